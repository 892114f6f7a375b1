import type { Context } from '../context.ts';
import { attachmentId } from '../domain/attachment-id.ts';
import { refuse } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { SafeHtml } from '../extract/safe-html.ts';
import type { Attachment } from '../ports/parser.ts';
import { betweenOthers } from './between-others.ts';
import { readAttachment, readParsed } from './read-message.ts';

/** The content types that a picture may have. */
const PICTURE = /^image\/[\w.+-]{1,100}$/i;

/** Returns the URL of a part by its attachment ID. */
export type PartAddress = (attachmentId: string) => string;

/** Renders a message as safe HTML for a frame. A message without HTML shows its text. */
export async function renderMessage(
  ctx: Context,
  message: Message,
  { allowed, addressOf }: { readonly allowed: AllowedHosts; readonly addressOf: PartAddress },
): Promise<SafeHtml> {
  const mail = await readParsed(ctx, message);
  const pictures = picturesOf(message, mail);
  const { rewriteHtml } = await import('../extract/safe-html.ts');
  const steps = rewriteHtml(mail.htmlBody ?? plainPage(mail.textBody ?? ''), {
    allowed,
    partUrl: (contentId) => {
      const id = pictures.get(contentId);
      return id === undefined ? null : addressOf(id);
    },
  });
  return betweenOthers(steps);
}

/** Renders a message like {@link renderMessage}, with its pictures embedded as data URLs. */
export async function renderWhole(ctx: Context, message: Message): Promise<SafeHtml> {
  const asked: string[] = [];
  const addressOf = (id: string) => {
    asked.push(id);
    return '';
  };
  await renderMessage(ctx, message, { allowed: {}, addressOf });
  const data = new Map<string, string>();
  for (const id of new Set(asked)) {
    const { contentType, content } = await readPicture(ctx, message, id);
    data.set(id, `data:${contentType};base64,${content.toString('base64')}`);
  }
  return renderMessage(ctx, message, { allowed: {}, addressOf: (id) => data.get(id) ?? '' });
}

/** Reads a picture of a message. Throws `not_found` if the attachment is no picture. */
export async function readPicture(ctx: Context, message: Message, id: string): Promise<Attachment> {
  const attachment = await readAttachment(ctx, message, id);
  if (!PICTURE.test(attachment.contentType)) throw refuse('not_found');
  return attachment;
}

/** Maps content IDs to attachment IDs. The first attachment wins if several share a content ID. */
function picturesOf({ id }: Message, { attachments }: ParsedMail): Map<string, string> {
  const pictures = new Map<string, string>();
  for (const [position, { contentId, contentType }] of attachments.entries())
    if (contentId !== null && PICTURE.test(contentType ?? '') && !pictures.has(contentId))
      pictures.set(contentId, attachmentId(id, position));
  return pictures;
}

function plainPage(text: string): string {
  const shown = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><pre style="white-space: pre-wrap; overflow-wrap: anywhere">\n${shown}</pre>`;
}

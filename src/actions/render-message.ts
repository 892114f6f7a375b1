import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { attachmentId, nestedAttachmentId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageLook } from '../extract/safe-html.ts';
import type { Attachment, PageBytes, PagePicture } from '../ports/mail.ts';
import { harmlessLine } from '../text/harmless.ts';
import { readAttachedMail, readAttachment, readParsed } from './read-message.ts';

/** The content types that a picture may have. */
const PICTURE = /^image\/[\w.+-]{1,100}$/i;

/** Returns the URL of a part by its attachment ID. */
export type PartAddress = (attachmentId: string) => string;

export interface RenderOptions {
  readonly allowed: AllowedHosts;
  readonly addressOf: PartAddress;
  /** The id of the attached mail to render instead of the message. */
  readonly attachedId?: string | undefined;
  readonly look?: PageLook | undefined;
  /** Tells whether the page begins with the head of the mail, as it is printed. */
  readonly hasHead?: boolean;
}

/**
 * Renders a message, or a mail that is attached to it, as safe HTML for a frame. A mail without HTML shows its text. If
 * the HTML cannot be rendered in bounds, the page says so and shows the text.
 */
export async function renderMessage(
  ctx: Context,
  message: Message,
  { allowed, addressOf, attachedId, look, hasHead = false }: RenderOptions,
): Promise<PageBytes> {
  const isAttached = attachedId !== undefined;
  const mail = isAttached ? await readAttachedMail(ctx, message, attachedId) : await readParsed(ctx, message);
  const idOf = (position: number) =>
    isAttached ? nestedAttachmentId(attachedId, position) : attachmentId(message.id, position);
  const pictures = picturesOf(mail, idOf).map(({ contentId, id }) => ({ contentId, shown: addressOf(id) }));
  const page = await pageOf(ctx, mail, allowed, pictures, look);
  return hasHead ? withHead(page, mail) : page;
}

/** The most characters of a line of the printed head. */
const HEAD_CHARACTERS = 2_000;

async function withHead(page: PageBytes, { subject, from, to, cc, headers }: ParsedMail): Promise<PageBytes> {
  const { headed } = await import('../extract/mail-page.ts');
  const given = Object.entries({ Subject: subject, From: from, To: to, Cc: cc, Date: headers['date'] });
  const lines = given.flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' && text !== '' ? [[name, harmlessLine(text, HEAD_CHARACTERS)]] : [],
  );
  return { ...page, html: Buffer.from(headed(Buffer.from(page.html).toString('utf8'), lines)) };
}

/** Renders a message like {@link renderMessage}, with its pictures embedded as data URLs. */
export async function renderWhole(ctx: Context, message: Message): Promise<PageBytes> {
  const mail = await readParsed(ctx, message);
  const pictures = picturesOf(mail, (position) => attachmentId(message.id, position));
  const named = pictures.map(({ contentId }) => ({ contentId, shown: '' }));
  const page = await pageOf(ctx, mail, {}, named);
  if (page.named.length === 0) return page;
  const shown = new Set(page.named);
  const embedded = pictures
    .filter(({ contentId }) => shown.has(contentId))
    .map(({ contentId, id, sizeBytes }) => ({
      contentId,
      shown: { sizeBytes, read: () => readPicture(ctx, message, id) },
    }));
  return pageOf(ctx, mail, {}, embedded);
}

/** Reads a picture of a message. Throws `not_found` if the attachment is no picture. */
export async function readPicture(ctx: Context, message: Message, id: string): Promise<Attachment> {
  const attachment = await readAttachment(ctx, message, id);
  if (!PICTURE.test(attachment.contentType)) throw refuse('not_found');
  return attachment;
}

async function pageOf(
  ctx: Context,
  { htmlBody: html, textBody: text }: ParsedMail,
  allowed: AllowedHosts,
  pictures: readonly PagePicture[],
  look?: PageLook,
): Promise<PageBytes> {
  const page = await ctx.parser.page({ html, text }, allowed, pictures, look);
  if (typeof page !== 'string') return page;
  const { pageInstead } = await import('../extract/mail-page.ts');
  return { html: Buffer.from(pageInstead(page, text)), remote: [], named: [] };
}

/** Lists the pictures of a mail. The first attachment wins if several share a content ID. */
function picturesOf({ attachments }: ParsedMail, idOf: (position: number) => string) {
  const pictures = new Map<string, { contentId: string; id: string; sizeBytes: number }>();
  for (const [position, { contentId, contentType, sizeBytes }] of attachments.entries())
    if (contentId !== null && PICTURE.test(contentType ?? '') && !pictures.has(contentId))
      pictures.set(contentId, { contentId, id: idOf(position), sizeBytes });
  return [...pictures.values()];
}

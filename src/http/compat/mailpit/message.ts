import { betweenOthers } from '../../../actions/between-others.ts';
import { readAttachment, readFacts, readParsed } from '../../../actions/read-message.ts';
import type { Context } from '../../../context.ts';
import { attachmentId } from '../../../domain/attachment-id.ts';
import { mediaTypeOr } from '../../../domain/content.ts';
import type { Message } from '../../../domain/message.ts';
import type { ParsedMail } from '../../../domain/parsed-mail.ts';
import { readListUnsubscribe } from '../../../extract/list-unsubscribe.ts';
import { readMailDate } from '../../../mail/mail-date.ts';
import { checksumsOf } from '../checksums.ts';
import { headerOf, mailpitAddresses, messageIdOf } from './summary.ts';

/** Reads a message as Mailpit shows it. Throws `not_found` if it was deleted meanwhile. */
export async function mailpitMessage(ctx: Context, message: Message) {
  const mail = await readParsed(ctx, message);
  const { envelope, user } = await readFacts(ctx, message);
  const { From, To, Cc, Bcc, ReplyTo } = await mailpitAddresses(message, mail);
  const files = await filesOf(ctx, message, mail);
  return {
    ID: message.id,
    MessageID: messageIdOf(mail),
    ...{ From, To, Cc, Bcc, ReplyTo },
    ReturnPath: envelope.mailFrom || From.Address,
    Subject: mail.subject ?? '',
    ListUnsubscribe: unsubscribeOf(mail),
    Date: dateOf(message, mail),
    Tags: [] as const,
    Username: user ?? '',
    Text: mail.textBody ?? (await textOf(mail.htmlBody ?? '')),
    HTML: mail.htmlBody ?? '',
    Size: message.sizeBytes,
    Inline: files.filter(({ isInline }) => isInline).map(({ file }) => file),
    Attachments: files.filter(({ isInline }) => !isInline).map(({ file }) => file),
  };
}

async function filesOf(ctx: Context, message: Message, { attachments }: ParsedMail) {
  const files = [];
  for (const [position, { filename, contentType, contentId, isInline, sizeBytes }] of attachments.entries()) {
    const { content } = await readAttachment(ctx, message, attachmentId(message.id, position));
    const { md5, sha1, sha256 } = await betweenOthers(checksumsOf(content));
    const file = {
      PartID: partId(position),
      FileName: filename ?? contentId ?? '',
      ContentType: mediaTypeOr(contentType, 'application/octet-stream'),
      ContentID: contentId ?? '',
      Size: sizeBytes,
      Checksums: { MD5: md5, SHA1: sha1, SHA256: sha256 },
    };
    files.push({ isInline, file });
  }
  return files;
}

/** Writes the id of a part: the number of the file in the mail, from 1. */
function partId(position: number): string {
  return String(position + 1);
}

/** Returns the position of a part by its id. Null if the text is no id. */
export function partPosition(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) - 1 : null;
}

function unsubscribeOf(mail: ParsedMail) {
  const Header = headerOf(mail, 'list-unsubscribe');
  const HeaderPost = headerOf(mail, 'list-unsubscribe-post');
  const { urls } = readListUnsubscribe(Header, HeaderPost);
  const web = urls.find((url) => /^https?:/i.test(url));
  const mailto = urls.find((url) => /^mailto:/i.test(url));
  return { Header, Links: urls.filter((url) => url === web || url === mailto), Errors: '', HeaderPost };
}

/** Writes the Date header in the sender's zone, or the time of receipt. */
function dateOf({ receivedAt }: Message, mail: ParsedMail): string {
  const date = readMailDate(headerOf(mail, 'date'));
  if (date === null) return new Date(receivedAt).toISOString();
  const { time, offsetMinutes } = date;
  const local = new Date(time + offsetMinutes * 60_000).toISOString().slice(0, 19);
  if (offsetMinutes === 0) return `${local}Z`;
  const minutes = Math.abs(offsetMinutes);
  const zone = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${zone}`;
}

/** The number of characters of HTML from which a text is made where the mail has none. */
const HTML_CHARACTERS = 64 * 1024;

async function textOf(html: string): Promise<string> {
  if (html === '') return '';
  const { readableText } = await import('../../../extract/readable-text.ts');
  return readableText(html.slice(0, HTML_CHARACTERS), () => null).text;
}

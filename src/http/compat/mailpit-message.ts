import { createHash } from 'node:crypto';
import { betweenOthers } from '../../actions/match-message.ts';
import { readAttachment, readFacts, readParsed, unlessGone } from '../../actions/read-message.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { attachmentId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { bccOf, type ParsedMail } from '../../domain/parsed-mail.ts';
import { readListUnsubscribe } from '../../extract/list-unsubscribe.ts';
import { mailboxesIn } from '../../mail/mailboxes-in.ts';
import { readMailDate } from '../../text/mail-date.ts';
import { headerOf, textOfHtml } from './shared.ts';

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
    Tags: message.tags,
    Username: user ?? '',
    Text: await mailpitText(mail),
    HTML: withCrlf(mail.htmlBody ?? ''),
    Size: message.sizeBytes,
    Inline: files.filter(({ isInline }) => isInline).map(({ file }) => file),
    Attachments: files.filter(({ isInline }) => !isInline).map(({ file }) => file),
  };
}

async function filesOf(ctx: Context, message: Message, { attachments }: ParsedMail) {
  const files = [];
  for (const [position, { part, filename, contentType, contentId, isInline, sizeBytes }] of attachments.entries()) {
    const { content } = await readAttachment(ctx, message, attachmentId(message.id, position));
    const { md5, sha1, sha256 } = await betweenOthers(checksumsOf(content));
    const file = {
      PartID: part,
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

/** Returns the text of a mail with the line ends of SMTP. A mail without one has the text of its HTML. */
export async function mailpitText({ textBody, htmlBody }: ParsedMail): Promise<string> {
  return withCrlf(textBody ?? (htmlBody === null ? '' : await textOfHtml(htmlBody)));
}

/** Bodies have the line ends of Unix here, and those of the network in Mailpit. */
function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** An address as Mailpit writes it. */
interface MailpitAddress {
  readonly Name: string;
  readonly Address: string;
}

/** Returns a message as Mailpit's lists show it. Null if it was deleted meanwhile. */
export function mailpitSummary(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const { user } = await readFacts(ctx, message);
    const { From, To, Cc, Bcc, ReplyTo } = await mailpitAddresses(message, mail);
    return {
      ID: message.id,
      MessageID: messageIdOf(mail),
      Read: message.isRead,
      ...{ From, To, Cc: Cc.length === 0 ? null : Cc, Bcc: Bcc.length === 0 ? null : Bcc, ReplyTo },
      Subject: mail.subject ?? '',
      Created: new Date(message.receivedAt).toISOString(),
      Username: user ?? '',
      Tags: message.tags,
      Size: message.sizeBytes,
      Attachments: mail.attachments.filter(({ isInline }) => !isInline).length,
      Snippet: cut(await shownText(mail)),
    };
  });
}

/** Reads the addresses of a message. Recipients that are only in the envelope count as Bcc, as in Mailpit. */
async function mailpitAddresses(message: Message, mail: ParsedMail) {
  const [from, To, Cc, Bcc, ReplyTo] = await Promise.all(
    [mail.from, mail.to, mail.cc, bccOf(mail.bcc, message.rcptTo, mail.toAndCc), mail.replyTo].map(listOf),
  );
  const none = { Name: mail.from ?? '', Address: '' };
  return { From: from?.[0] ?? none, To: To ?? [], Cc: Cc ?? [], Bcc: Bcc ?? [], ReplyTo: ReplyTo ?? [] };
}

async function listOf(list: string | null): Promise<MailpitAddress[]> {
  return (await mailboxesIn(list)).map(({ name, address }) => ({ Name: name, Address: address }));
}

function messageIdOf(mail: ParsedMail): string {
  return headerOf(mail, 'message-id').replace(/^[<>]+|(?<![<>])[<>]+$/g, '');
}

const SNIPPET_BYTES = 200;
/** The number of characters that are read for a snippet. It keeps lists fast when a mail is large. */
const READ_CHARACTERS = 16 * 1024;

async function shownText({ textBody, htmlBody }: ParsedMail): Promise<string> {
  if (htmlBody === null || htmlBody.trim() === '') return (textBody ?? '').slice(0, READ_CHARACTERS);
  const { visibleText } = await import('../../extract/visible-text.ts');
  return visibleText(htmlBody.slice(0, READ_CHARACTERS)).text;
}

function cut(text: string): string {
  const line = text.replace(/[\s\ufeff]+/g, ' ').trim();
  if (Buffer.byteLength(line) <= SNIPPET_BYTES) return line;
  // The cut may split a character. The incomplete character is left out.
  return `${Buffer.from(line)
    .subarray(0, SNIPPET_BYTES)
    .toString()
    .replace(/\ufffd$/, '')}...`;
}

const STEP_BYTES = 1024 * 1024;
const ALGORITHMS = ['md5', 'sha1', 'sha256'] as const;

/** The checksums of a file, in hex. */
type Checksums = Readonly<Record<(typeof ALGORITHMS)[number], string>>;

/** Computes the checksums of a file. It yields between steps of a megabyte. */
function* checksumsOf(content: Buffer): Generator<void, Checksums, void> {
  const [md5, sha1, sha256] = ALGORITHMS.map((algorithm) => createHash(algorithm)) as [Hash, Hash, Hash]; // one for each
  for (let at = 0; at < content.length; at += STEP_BYTES) {
    if (at > 0) yield;
    for (const hash of [md5, sha1, sha256]) hash.update(content.subarray(at, at + STEP_BYTES));
  }
  return { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha256: sha256.digest('hex') };
}

type Hash = ReturnType<typeof createHash>;

import type { Context } from '../context.ts';
import { type ApiKey, canReadMailbox } from '../domain/api-key.ts';
import { refuse, there } from '../domain/errors.ts';
import { attachmentId, attachmentPlace, type MessageId } from '../domain/ids.ts';
import type { Message, ReceiptMetadata } from '../domain/message.ts';
import { type ParsedMail, snippetOf, type VirusScanStatus } from '../domain/parsed-mail.ts';
import type { SpfResult } from '../domain/spf.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';
import { headerBlock, readFields } from '../mail/header-block.ts';
import type { Attachment } from '../ports/mail.ts';
import type { Reader } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { holdsMail } from '../text/mail-type.ts';
import { MailRefused, routeRecipient } from './receive-message.ts';
import { readWhile, streamWhile } from './stored-bytes.ts';

/** Reads the facts of a message: its envelope and its connection. Throws `not_found` if the message was deleted. */
export function readFacts(ctx: Context, message: Message): Promise<ReceiptMetadata> {
  return whileThere(ctx, message, async () => {
    const bytes = await ctx.store.blobs.read(message.facts);
    // The cast is safe: only this server writes these bytes, from a value of type Facts.
    return JSON.parse(bytes.toString('utf8')) as ReceiptMetadata;
  });
}

/** Parses a message in full. The parser caches the result. */
export function readParsed(ctx: Context, message: Message): Promise<ParsedMail> {
  return whileThere(ctx, message, () => ctx.parser.parse(message.id, () => ctx.store.blobs.read(message.raw)));
}

/** Reads the bytes of one attachment, also one of an attached mail. Throws `not_found`. */
export async function readAttachment(ctx: Context, message: Message, id: string): Promise<Attachment> {
  const place = there(attachmentPlace(message.id, id));
  let attachment = await whileThere(ctx, message, () =>
    ctx.parser.attachment(message.id, place.position, () => ctx.store.blobs.read(message.raw)),
  );
  for (const position of place.within) {
    if (attachment === null || !holdsMail(attachment.contentType)) throw refuse('not_found');
    const { attachments } = await ctx.parser.attached(attachment.content);
    attachment = attachments[position] ?? null;
  }
  return there(attachment);
}

/** Reads an attached mail as a mail of its own. Throws `not_found` if the attachment is no mail. */
export async function readAttachedMail(ctx: Context, message: Message, id: string): Promise<ParsedMail> {
  const { content, contentType } = await readAttachment(ctx, message, id);
  if (!holdsMail(contentType)) throw refuse('not_found');
  return (await ctx.parser.attached(content)).mail;
}

/** Streams the exact bytes of a message. The first read throws `not_found` if the message was deleted. */
export function readRaw(ctx: Context, message: Message): AsyncIterable<Buffer> {
  return streamWhile(() => isThere(ctx, message), ctx.store.blobs.stream(message.raw));
}

/** Reads the exact bytes of a message. Throws `not_found` if the message was deleted. */
export async function readWhole(ctx: Context, message: Message): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readRaw(ctx, message)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The bytes at the beginning of a mail in which fields are looked for. */
const HEADER_BYTES = 256 * 1024;

/** Reads the header fields of a message, without parsing the rest of it. Throws `not_found` if it was deleted. */
export function readTopFields(ctx: Context, message: Message) {
  return topFields(readRaw(ctx, message));
}

/** Reads the header fields of a mail. It takes no more of its bytes than it needs. */
export async function topFields(raw: AsyncIterable<Buffer>) {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= HEADER_BYTES || chunk.includes('\r\n\r\n') || chunk.includes('\n\n')) break;
  }
  return readFields(headerBlock(Buffer.concat(parts)).block, null).fields;
}

/** Resolves with the result of `read`, or with null if it fails because the message was deleted meanwhile. */
export async function unlessGone<T>(ctx: Context, message: Message, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (await isThere(ctx, message)) throw error;
    return null;
  }
}

/** Returns the result of `read`. Throws `not_found` if it fails because the message was deleted meanwhile. */
export function whileThere<T>(ctx: Context, message: Message, read: () => Promise<T>): Promise<T> {
  return readWhile(() => isThere(ctx, message), read);
}

async function isThere(ctx: Context, { id }: Message): Promise<boolean> {
  return (await ctx.store.read.messages.get(id, momentNow(ctx.clock))) !== null;
}

/**
 * Reads the facts of a message and removes those that the key may not know. One mail can reach mailboxes of several
 * workspaces; recipients outside the key's scope, such as blind copies, are left out.
 */
export async function readFactsInScope(ctx: Context, key: ApiKey, message: Message): Promise<ReceiptMetadata> {
  const facts = await readFacts(ctx, message);
  const { mailFrom, rcptTo } = facts.envelope;
  const own = new Set(message.rcptTo);
  if (rcptTo.every((recipient) => own.has(recipient))) return facts;
  const reader = await ctx.store.readNow();
  const known: string[] = [];
  for (const recipient of rcptTo)
    if (own.has(recipient) || (await isForReadable(ctx, reader, key, recipient))) known.push(recipient);
  return { ...facts, envelope: { mailFrom, rcptTo: known } };
}

async function isForReadable(ctx: Context, reader: Reader, key: ApiKey, recipient: string): Promise<boolean> {
  try {
    return canReadMailbox(key, await routeRecipient(ctx, reader, recipient));
  } catch (error) {
    if (error instanceof MailRefused) return false;
    throw error;
  }
}

/** Caches results and calls in progress. An entry lives as long as its parsed mail. */
const known = new WeakMap<ParsedMail, Promise<FoundCodesAndLinks>>();

/** Finds the codes and links of a mail that a person would use (docs/api.md#messages-of-all-mailboxes). */
export function readCodesAndLinks(ctx: Context, mail: ParsedMail): Promise<FoundCodesAndLinks> {
  const kept = known.get(mail);
  if (kept !== undefined) return kept;
  const found = ctx.parser.find(mail);
  known.set(mail, found);
  found.catch(() => known.delete(mail));
  return found;
}

/**
 * The verdicts of DNS and of the scanner on a message. They are obtained when it is first read, so that no sender
 * waits.
 */
export interface Verdicts {
  readonly spf: SpfResult;
  /** One status per attachment, in their order. */
  readonly virusScan: readonly VirusScanStatus[];
}

/**
 * The longest time a reader waits for a scan, in milliseconds. A slower scan continues, and its verdict is cached for
 * later readers.
 */
const PATIENCE_MS = 5_000;

export async function readVerdicts(
  ctx: Context,
  message: Message,
  facts: ReceiptMetadata,
  mail: ParsedMail,
): Promise<Verdicts> {
  const [spf, virusScan] = await Promise.all([ctx.spf.evaluate(message.id, facts), scanAll(ctx, message, mail)]);
  return { spf, virusScan };
}

async function scanAll(ctx: Context, message: Message, mail: ParsedMail): Promise<VirusScanStatus[]> {
  // The parser recognizes the EICAR test file itself, so the daemon need not scan it.
  if (mail.attachments.every(({ virusScanStatus }) => virusScanStatus !== 0)) {
    return mail.attachments.map(({ virusScanStatus }) => virusScanStatus);
  }
  let waiting = true;
  let stop = () => {};
  const late = new Promise<VirusScanStatus>((resolve) => {
    stop = ctx.clock.after(PATIENCE_MS, () => {
      waiting = false;
      resolve(3);
    });
  });
  try {
    return await Promise.all(
      mail.attachments.map(({ virusScanStatus }, position) =>
        virusScanStatus === 0
          ? Promise.race([scanOne(ctx, message, position, () => waiting), late])
          : Promise.resolve(virusScanStatus),
      ),
    );
  } finally {
    stop();
  }
}

function scanOne(ctx: Context, message: Message, position: number, isWanted: () => boolean): Promise<VirusScanStatus> {
  const read = async () => {
    const raw = () => ctx.store.blobs.read(message.raw);
    return (await ctx.parser.attachment(message.id, position, raw))?.content ?? null;
  };
  return ctx.scanner.scan(attachmentId(message.id, position), read, isWanted);
}

/** The facts that a list shows about a message besides its summary. */
export interface MessagePreview {
  readonly id: MessageId;
  readonly snippet: string;
  /** The best code, or all candidates if several are equally likely. */
  readonly codes: readonly string[];
}

/** The number of HTML characters that are searched for a snippet. It keeps lists fast when a mail is large. */
const HTML_CHARACTERS = 16 * 1024;

/** Reads the previews of messages by id. It leaves out messages that no longer exist. */
export async function getMessagePreviews(ctx: Context, ids: readonly MessageId[]): Promise<MessagePreview[]> {
  const previews = await Promise.all(ids.map((id) => previewOf(ctx, id)));
  return previews.filter((preview) => preview !== null);
}

async function previewOf(ctx: Context, id: MessageId): Promise<MessagePreview | null> {
  const message = await ctx.store.read.messages.get(id, momentNow(ctx.clock));
  if (message === null) return null;
  return unlessGone(ctx, message, async () => {
    const parsed = await readParsed(ctx, message);
    const { codes } = await readCodesAndLinks(ctx, parsed);
    const told = codes[0]?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
    return { id, snippet: snippetOf(await textOf(parsed)), codes: told.map(({ code }) => code) };
  });
}

async function textOf({ textBody, htmlBody }: ParsedMail): Promise<string> {
  const text = textBody?.trim();
  if (text || htmlBody === null) return text ?? '';
  const { visibleText } = await import('../extract/visible-text.ts');
  return visibleText(htmlBody.slice(0, HTML_CHARACTERS)).text;
}

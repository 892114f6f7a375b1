import type { Context } from '../context.ts';
import { attachmentPlace } from '../domain/attachment-id.ts';
import { refuse } from '../domain/errors.ts';
import type { Facts, Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import { momentNow } from '../ports/clock.ts';
import type { Attachment } from '../ports/parser.ts';
import { holdsMail } from '../text/mail-type.ts';
import { readWhile, streamWhile } from './stored-bytes.ts';

/** Reads the facts of a message: its envelope and its connection. Throws `not_found` if the message was deleted. */
export function readFacts(ctx: Context, message: Message): Promise<Facts> {
  return whileThere(ctx, message, async () => {
    const bytes = await ctx.store.blobs.read(message.facts);
    // The cast is safe: only this server writes these bytes, from a value of type Facts.
    return JSON.parse(bytes.toString('utf8')) as Facts;
  });
}

/** Parses a message in full. The parser caches the result. */
export function readParsed(ctx: Context, message: Message): Promise<ParsedMail> {
  return whileThere(ctx, message, () => ctx.parser.parse(message.id, () => ctx.store.blobs.read(message.raw)));
}

/** Reads the bytes of one attachment, also one of an attached mail. Throws `not_found`. */
export async function readAttachment(ctx: Context, message: Message, id: string): Promise<Attachment> {
  const place = attachmentPlace(message.id, id);
  if (place === null) throw refuse('not_found');
  let attachment = await whileThere(ctx, message, () =>
    ctx.parser.attachment(message.id, place.position, () => ctx.store.blobs.read(message.raw)),
  );
  for (const position of place.within) {
    if (attachment === null || !holdsMail(attachment.contentType)) throw refuse('not_found');
    const { attachments } = await ctx.parser.attached(attachment.content);
    attachment = attachments[position] ?? null;
  }
  if (attachment === null) throw refuse('not_found');
  return attachment;
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

/** Resolves with the result of `read`, or with null if it fails because the message was deleted meanwhile. */
export async function unlessGone<T>(ctx: Context, message: Message, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (await isThere(ctx, message)) throw error;
    return null;
  }
}

function whileThere<T>(ctx: Context, message: Message, read: () => Promise<T>): Promise<T> {
  return readWhile(() => isThere(ctx, message), read);
}

async function isThere(ctx: Context, { id }: Message): Promise<boolean> {
  return (await ctx.store.read.messages.get(id, momentNow(ctx.clock))) !== null;
}

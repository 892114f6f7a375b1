import { setImmediate } from 'node:timers/promises';
import type { MessageId } from '../domain/ids.ts';
import type { MailContent } from '../extract/bounds.ts';
import { headerBlock } from '../mail/header-block.ts';
import { outlineOf, type Parse, parseMail, readKnown } from '../mail/parse.ts';
import type { Attachment, MailTexts, Parser } from '../ports/mail.ts';
import type { Log } from '../ports/system.ts';
import { Semaphore } from '../semaphore.ts';
import { LruCache } from './lru-cache.ts';
import { parseBytes } from './parse-message.ts';
import { ParsePool } from './parse-pool.ts';
import { limitWork, PARSE_BOUNDS, type ParseBounds, progressFromNow, tookTooLong } from './parse-thread.ts';

/** The bounds of the bytes that a parser holds. */
export interface ParserMemory {
  readonly cacheBytes: number;
  /** The bytes of queued mails that stay in memory. Further mails are read again when their turn comes. */
  readonly waitingBytes: number;
  /** The time in milliseconds for which a parse is kept that failed. A later one may have more time and memory. */
  readonly failedMs: number;
}

const MEMORY: ParserMemory = { cacheBytes: 64 * 1024 * 1024, waitingBytes: 64 * 1024 * 1024, failedMs: 60_000 };

/**
 * The bounds of an ordinary mail. It is parsed on the main thread in about a millisecond. Others go to a thread,
 * because a hostile one may take long.
 */
const SMALL_BYTES = 64 * 1024;
const SMALL_HEADER_BYTES = 16 * 1024;
const FEW_PARTS = 50;
/** A mail larger than this must not name a slow charset, which takes a microsecond per byte. */
const SLOW_BYTES = 8 * 1024;
const SLOW_CHARSET = /utf-?7|iso-?2022|jis/i;
/** The number of characters that are searched on the main thread. Any text of this length takes a few milliseconds. */
const FEW_CHARACTERS = 4 * 1024;
/** The number of mails read from the store at a time. */
const READERS = 8;

/**
 * Creates the parser. It parses ordinary mails on the main thread and others in threads. It caches results with their
 * attachments up to a bound.
 */
export function createParser(log: Log, bounds: ParseBounds = PARSE_BOUNDS, memory: ParserMemory = MEMORY): Parser {
  const cache = new LruCache<MessageId, Parse>(memory.cacheBytes, parseBytes);
  const pool = new ParsePool(log, bounds, memory.waitingBytes);
  const semaphore = new Semaphore(READERS);
  const pending = new Map<MessageId, Promise<Parse>>();

  const load = (id: MessageId, read: () => Promise<Buffer>): Promise<Parse> => {
    const kept = cache.get(id);
    if (kept !== undefined) return Promise.resolve(kept);
    const known = pending.get(id);
    if (known !== undefined) return known;
    const parse = parseNow(read)
      .then((result) => {
        // The result is not cached if `forget` was called meanwhile.
        if (pending.get(id) === parse) keep(id, result);
        return result;
      })
      .finally(() => {
        if (pending.get(id) === parse) pending.delete(id);
      });
    pending.set(id, parse);
    return parse;
  };

  const keep = (id: MessageId, result: Parse): void => {
    cache.set(id, result);
    if (result.mail.parseError === null) return;
    const forget = () => {
      if (cache.get(id) === result) cache.delete(id);
    };
    setTimeout(forget, memory.failedMs).unref();
  };

  const parseNow = async (read: () => Promise<Buffer>): Promise<Parse> => {
    const large = await semaphore.run(async () => {
      const raw = await read();
      if (!isOrdinary(raw)) return { parse: pool.parse(raw, read) };
      return parseHere(raw, bounds.ms);
    });
    return 'parse' in large ? large.parse : large;
  };

  return {
    parse: async (id, read) => (await load(id, read)).mail,
    attachment: async (id, position, read) => attachmentAt(await load(id, read), position),
    attached: async (content) => {
      // A thread takes the bytes it parses, and these belong to the cache.
      const parse = await parseNow(() => Promise.resolve(Buffer.from(content)));
      const all = parse.mail.attachments.map((_, position) => attachmentAt(parse, position));
      return { mail: parse.mail, attachments: all.filter((one) => one !== null) };
    },
    find: async (mail) => {
      const texts = textsOf(mail);
      return isLong(texts) ? pool.find(texts) : (await loadFinders()).findCodesAndLinks(texts);
    },
    see: async (mail) => {
      const texts = textsOf(mail);
      return isLong(texts) ? pool.see(texts) : (await loadFinders()).seeMail(texts);
    },
    documents: (mails) => pool.documents(mails),
    // For some mails a check takes long, so it always runs in a thread.
    check: (sizeBytes, read, options) => pool.check(sizeBytes, read, options),
    page: async (bodies, allowed, pictures, look = {}) => {
      const linked = pictures.map(({ contentId, shown }) =>
        typeof shown === 'string' ? ([contentId, shown] as const) : null,
      );
      const characters = (bodies.html?.length ?? 0) + (bodies.text?.length ?? 0);
      // Embedded pictures make a large page of a small mail.
      if (characters > FEW_CHARACTERS || linked.includes(null)) return pool.page(bodies, allowed, pictures, look);
      const { makePage } = await import('./make-page.ts');
      return makePage({ bodies, allowed, look, pictures: linked.filter((picture) => picture !== null) });
    },
    thumbnail: (content) => pool.thumbnail(content),
    forget: (id) => {
      cache.delete(id);
      pending.delete(id);
    },
    close: async () => {
      cache.clear();
      await pool.close();
    },
  };
}

/** Returns one attachment. A page asks for each of its pictures, so this must not look at the others. */
function attachmentAt({ mail, contents }: Parse, position: number): Attachment | null {
  const [attachment, content] = [mail.attachments[position], contents[position]];
  if (attachment === undefined || content === undefined) return null;
  const { filename, contentType } = attachment;
  return { filename, contentType: contentType ?? 'application/octet-stream', content };
}

function textsOf({ subject, textBody: text, htmlBody: html }: MailTexts): MailContent {
  return { subject, text, html };
}

function isLong({ subject, text, html }: MailContent): boolean {
  return (subject?.length ?? 0) + (text?.length ?? 0) + (html?.length ?? 0) > FEW_CHARACTERS;
}

/** Loads the finders with the first search, one module after another, so that the event loop stays responsive. */
async function loadFinders() {
  await import('../extract/visible-text.ts');
  await setImmediate();
  await import('../extract/codes.ts');
  await setImmediate();
  return import('../extract/find.ts');
}

function isOrdinary(raw: Buffer): boolean {
  if (raw.length > SMALL_BYTES || headerBlock(raw).block.length > SMALL_HEADER_BYTES) return false;
  if (raw.length > SLOW_BYTES && SLOW_CHARSET.test(raw.toString('latin1'))) return false;
  return outlineOf(raw).parts <= FEW_PARTS;
}

/** Parses a mail with a limit, so that a mail on which the parser hangs does not block its reader. */
async function parseHere(raw: Buffer, ms: number): Promise<Parse> {
  const progress = progressFromNow(() => performance.eventLoopUtilization().idle);
  let endLimit = () => {};
  const late = new Promise<null>((resolve) => {
    endLimit = limitWork(ms, progress, () => resolve(null));
  });
  const parse = await Promise.race([parseMail(raw), late]).finally(endLimit);
  return parse ?? { mail: readKnown(raw, tookTooLong('parse', ms)), contents: [] };
}

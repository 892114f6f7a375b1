import type { MessageId } from '../domain/ids.ts';
import { headerBlock } from '../mail/header-block.ts';
import { readKnown } from '../mail/known.ts';
import { type Parse, parseMail } from '../mail/parse.ts';
import { scanMail } from '../mail/scan.ts';
import type { Log } from '../ports/log.ts';
import type { Parser } from '../ports/parser.ts';
import { Gate } from './gate.ts';
import { Latest } from './latest.ts';
import { parseBytes } from './parse-size.ts';
import { PARSE_BOUNDS, type ParseBounds, ParseThread, tookTooLong } from './parse-thread.ts';

/** An ordinary mail is parsed at once, in about a millisecond. What a hostile one may cost goes with these. */
const SMALL_BYTES = 64 * 1024;
const SMALL_HEADER_BYTES = 16 * 1024;
const FEW_PARTS = 50;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Mails read from the store at a time. */
const READERS = 8;

/** Parses small mails here and the others in a thread; keeps results, attachments included, within a bound. */
export function createParser(log: Log, bounds: ParseBounds = PARSE_BOUNDS): Parser {
  const cache = new Latest<MessageId, Parse>(CACHE_BYTES, parseBytes);
  const thread = new ParseThread(log, bounds);
  const gate = new Gate(READERS);
  const pending = new Map<MessageId, Promise<Parse>>();

  const load = (id: MessageId, read: () => Promise<Buffer>): Promise<Parse> => {
    const kept = cache.get(id);
    if (kept !== undefined) return Promise.resolve(kept);
    const known = pending.get(id);
    if (known !== undefined) return known;
    const parse = parseNow(read)
      .then((result) => {
        // Not when it was forgotten meanwhile.
        if (pending.get(id) === parse) cache.set(id, result);
        return result;
      })
      .finally(() => {
        if (pending.get(id) === parse) pending.delete(id);
      });
    pending.set(id, parse);
    return parse;
  };

  const parseNow = async (read: () => Promise<Buffer>): Promise<Parse> => {
    const large = await gate.run(async () => {
      const raw = await read();
      if (!isOrdinary(raw)) return { parse: thread.parse(raw, read) };
      return parseHere(raw, bounds.ms);
    });
    return 'parse' in large ? large.parse : large;
  };

  return {
    parse: async (id, read) => (await load(id, read)).mail,
    attachment: async (id, position, read) => {
      const { mail, contents } = await load(id, read);
      const attachment = mail.attachments[position];
      const content = contents[position];
      if (attachment === undefined || content === undefined) return null;
      return {
        filename: attachment.filename,
        contentType: attachment.contentType ?? 'application/octet-stream',
        content,
      };
    },
    forget: (id) => {
      cache.delete(id);
      pending.delete(id);
    },
    close: async () => {
      cache.clear();
      await thread.close();
    },
  };
}

function isOrdinary(raw: Buffer): boolean {
  if (raw.length > SMALL_BYTES || headerBlock(raw).block.length > SMALL_HEADER_BYTES) return false;
  return scanMail(raw).parts <= FEW_PARTS;
}

/** A mail the parser never ends with must not leave its reader waiting. */
async function parseHere(raw: Buffer, ms: number): Promise<Parse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  const parse = await Promise.race([parseMail(raw), late]);
  clearTimeout(timer);
  return parse ?? { mail: await readKnown(raw, tookTooLong(ms)), contents: [] };
}

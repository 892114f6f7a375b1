import type { MessageId } from '../domain/ids.ts';
import { readKnown } from '../mail/known.ts';
import { type Parse, parseMail } from '../mail/parse.ts';
import { scanMail } from '../mail/scan.ts';
import type { Log } from '../ports/log.ts';
import type { Parser } from '../ports/parser.ts';
import { Gate } from './gate.ts';
import { ParseCache } from './parse-cache.ts';
import { PARSE_MS, ParseThread } from './parse-thread.ts';

/** Up to this, and of no more parts, a mail is parsed at once: about a millisecond. */
const SMALL_BYTES = 64 * 1024;
const FEW_PARTS = 50;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Mails read from the store at a time. */
const READERS = 8;

/** Parses small mails here and the others in a thread; keeps results, attachments included, within a bound. */
export function createParser(log: Log): Parser {
  const cache = new ParseCache(CACHE_BYTES);
  const thread = new ParseThread(log);
  const gate = new Gate(READERS);
  const pending = new Map<MessageId, Promise<Parse>>();

  const load = (id: MessageId, read: () => Promise<Buffer>): Promise<Parse> => {
    const kept = cache.get(id);
    if (kept !== null) return Promise.resolve(kept);
    const known = pending.get(id);
    if (known !== undefined) return known;
    const parse = parseNow(read)
      .then((result) => {
        // Not when it was forgotten meanwhile.
        if (pending.get(id) === parse) cache.put(id, result);
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
      if (raw.length > SMALL_BYTES || scanMail(raw).parts > FEW_PARTS) return { parse: thread.parse(raw, read) };
      return parseHere(raw);
    });
    return 'parse' in large ? large.parse : large;
  };

  return {
    parse: async (id, read) => (await load(id, read)).mail,
    attachment: async (id, attachmentId, read) => {
      const { mail, contents } = await load(id, read);
      const index = mail.attachments.findIndex((attachment) => attachment.id === attachmentId);
      const attachment = mail.attachments[index];
      const content = contents[index];
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

/** A mail the parser never ends with must not leave its reader waiting. */
async function parseHere(raw: Buffer): Promise<Parse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PARSE_MS, null);
  });
  const parse = await Promise.race([parseMail(raw), late]);
  clearTimeout(timer);
  return parse ?? { mail: await readKnown(raw, `Parsing took more than ${PARSE_MS / 1000} seconds.`), contents: [] };
}

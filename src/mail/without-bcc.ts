import { fieldEnd, isBlank, isHeaderless, lineEnd } from './header-block.ts';

/** A blank line. It ends a header (RFC 5322 2.1). */
const BLANK = /\n\r?\n/;
const NAME = /^(?:\xef\xbb\xbf)?\s*(?:resent-)?bcc\s*:/i;

/** The bytes in which the name of a field and its colon are searched. */
const LONGEST_NAME = 1_000;

/**
 * Streams a mail without its Bcc and Resent-Bcc fields, which other recipients must not see (RFC 5322 3.6.3). It keeps
 * every other byte.
 */
export async function* withoutBcc(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer[] | null = [];
  // A blank line may be split between two pieces. The first line of a mail can be blank too.
  let tail = '\n';
  for await (const piece of source) {
    if (head === null) {
      yield piece;
      continue;
    }
    head.push(piece);
    const seen: string = tail + piece.toString('latin1');
    tail = seen.slice(-2);
    if (!BLANK.test(seen)) continue;
    yield stripped(Buffer.concat(head));
    head = null;
  }
  if (head !== null) yield stripped(Buffer.concat(head));
}

/** Takes the fields out of the start of a mail, which must contain the whole header. */
function stripped(start: Buffer): Buffer {
  if (isHeaderless(start)) return start;
  const kept: Buffer[] = [];
  let at = 0;
  while (at < start.length && !isBlank(start, at, lineEnd(start, at))) {
    const end = fieldEnd(start, at);
    if (!NAME.test(start.toString('latin1', at, Math.min(end, at + LONGEST_NAME)))) kept.push(start.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, start.subarray(at)]);
}

import { isBlank, isFold, isHeaderless, LF, lineEnd } from './header-block.ts';

/** A Bcc or Resent-Bcc field up to its colon. The white space around its name may be folded. */
const NAME = /^(?:\xef\xbb\xbf)?(?:[^\S\n]|\n[ \t])*(?:resent-)?bcc(?:[^\S\n]|\n[ \t])*:$/i;
/** The bytes with which such a field can begin: its letters, white space, and a byte order mark. */
const BEGINNINGS: ReadonlySet<number> = new Set(Buffer.from('bBrR \t\v\f\r\n\xef', 'latin1'));
const COLON = 0x3a;
const NOTHING = Buffer.alloc(0);

/** The bytes in which the name of a field and its colon are searched. */
const LONGEST_NAME = 1_000;
/** The bytes at the start of a mail that tell whether it has a header. */
const START_BYTES = 64 * 1024;

/**
 * Streams a mail without its Bcc and Resent-Bcc fields, which other recipients must not see (RFC 5322 3.6.3). It keeps
 * every other byte. The work for a chunk depends only on the size of that chunk, because a sender chooses the length of
 * a header.
 */
export async function* withoutBcc(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const filter = new BccFilter();
  for await (const piece of source) yield* filter.pass(piece, false);
  yield* filter.pass(NOTHING, true);
}

class BccFilter {
  /** The bytes that are not decided yet: the start of the mail, or of a field. */
  #held: Buffer = NOTHING;
  /** The place of the next byte. `line` means the start of any line of the header but the first. */
  #place: 'start' | 'first line' | 'line' | 'within a line' | 'body' = 'start';
  /** Tells whether the current field is left out. */
  #drops = false;

  /** Returns the bytes to keep. `isEnd` means that no chunk follows. */
  pass(piece: Buffer, isEnd: boolean): Buffer[] {
    if (this.#place === 'body') return [piece];
    const bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const isUndecided = this.#place === 'start' && bytes.length < START_BYTES && !isEnd;
    this.#held = isUndecided ? bytes : NOTHING;
    if (isUndecided) return [];
    if (this.#place === 'start') this.#place = isHeaderless(bytes) ? 'body' : 'first line';
    return this.#place === 'body' ? [bytes] : this.#strip(bytes, isEnd);
  }

  #strip(bytes: Buffer, isEnd: boolean): Buffer[] {
    const kept: Buffer[] = [];
    let keptFrom = 0;
    let at = 0;
    while (at < bytes.length && this.#place !== 'body') {
      const isFieldStart = this.#place === 'first line' || (this.#place === 'line' && !isFold(bytes[at] ?? 0));
      if (isFieldStart) {
        if (bytes.length - at < LONGEST_NAME && !isEnd) {
          this.#held = bytes.subarray(at);
          break;
        }
        const isBody = isBlank(bytes, at, lineEnd(bytes, at));
        const drops = !isBody && isBcc(bytes, at);
        if (drops && !this.#drops) kept.push(bytes.subarray(keptFrom, at));
        if (!drops && this.#drops) keptFrom = at;
        this.#drops = drops;
        if (isBody) this.#place = 'body';
      }
      if (this.#place === 'body') break;
      const lf = bytes.indexOf(LF, at);
      this.#place = lf < 0 ? 'within a line' : 'line';
      at = lf < 0 ? bytes.length : lf + 1;
    }
    const end = this.#place === 'body' ? bytes.length : at;
    if (!this.#drops) kept.push(bytes.subarray(keptFrom, end));
    return kept;
  }
}

function isBcc(bytes: Buffer, at: number): boolean {
  if (!BEGINNINGS.has(bytes[at] ?? 0)) return false;
  const colon = bytes.subarray(at, at + LONGEST_NAME).indexOf(COLON);
  return colon >= 0 && NAME.test(bytes.toString('latin1', at, at + colon + 1));
}

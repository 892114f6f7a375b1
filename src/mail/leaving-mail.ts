import { isBlank, isFold, isHeaderless, LF, lineEnd } from './header-block.ts';

/** The fields of one name: the name up to its colon, in which white space may be folded, and the bytes it can begin with. */
interface FieldName {
  readonly name: RegExp;
  readonly beginnings: ReadonlySet<number>;
}

/** White space and a byte order mark, with which a field can begin. */
const BLANKS = ' \t\v\f\r\n\xef';
const BCC: FieldName = {
  name: /^(?:\xef\xbb\xbf)?(?:[^\S\n]|\n[ \t])*(?:resent-)?bcc(?:[^\S\n]|\n[ \t])*:$/i,
  beginnings: new Set(Buffer.from(`bBrR${BLANKS}`, 'latin1')),
};
const FROM: FieldName = {
  name: /^(?:\xef\xbb\xbf)?(?:[^\S\n]|\n[ \t])*from(?:[^\S\n]|\n[ \t])*:$/i,
  beginnings: new Set(Buffer.from(`fF${BLANKS}`, 'latin1')),
};
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
export function withoutBcc(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  return streamed(source, new HeaderFilter([BCC], ''));
}

/**
 * Streams a mail as it leaves: without Bcc, and with fields at its top, each with its line end. `from` replaces its From
 * field. A mail without a header gets no fields.
 */
export function leavingMail(
  source: AsyncIterable<Buffer>,
  { from, fields = '' }: { readonly from: string | null; readonly fields?: string },
): AsyncGenerator<Buffer, void> {
  const added = from === null ? fields : `${fields}From: <${from}>\r\n`;
  return streamed(source, new HeaderFilter(from === null ? [BCC] : [BCC, FROM], added));
}

async function* streamed(source: AsyncIterable<Buffer>, filter: HeaderFilter): AsyncGenerator<Buffer, void> {
  for await (const piece of source) yield* filter.pass(piece, false);
  yield* filter.pass(NOTHING, true);
}

class HeaderFilter {
  /** The fields that are left out. */
  readonly #names: readonly FieldName[];
  /** The fields at the top, until they are written. */
  #added: string;
  /** The bytes that are not decided yet: the start of the mail, or of a field. */
  #held: Buffer = NOTHING;
  /** The place of the next byte. `line` means the start of any line of the header but the first. */
  #place: 'start' | 'first line' | 'line' | 'within a line' | 'body' = 'start';
  /** Tells whether the current field is left out. */
  #drops = false;

  constructor(names: readonly FieldName[], added: string) {
    this.#names = names;
    this.#added = added;
  }

  /** Returns the bytes to keep. `isEnd` means that no chunk follows. */
  pass(piece: Buffer, isEnd: boolean): Buffer[] {
    if (this.#place === 'body') return [piece];
    const bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const isUndecided = this.#place === 'start' && bytes.length < START_BYTES && !isEnd;
    this.#held = isUndecided ? bytes : NOTHING;
    if (isUndecided) return [];
    if (this.#place === 'start') this.#place = isHeaderless(bytes) ? 'body' : 'first line';
    if (this.#place === 'body') return [bytes];
    const added = Buffer.from(this.#added);
    this.#added = '';
    return added.length === 0 ? this.#strip(bytes, isEnd) : [added, ...this.#strip(bytes, isEnd)];
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
        const drops = !isBody && this.#names.some((one) => isNamed(one, bytes, at));
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

function isNamed({ name, beginnings }: FieldName, bytes: Buffer, at: number): boolean {
  if (!beginnings.has(bytes[at] ?? 0)) return false;
  const colon = bytes.subarray(at, at + LONGEST_NAME).indexOf(COLON);
  return colon >= 0 && name.test(bytes.toString('latin1', at, at + colon + 1));
}

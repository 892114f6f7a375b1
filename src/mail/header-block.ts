export const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** The limits of one header block, in bytes and in fields. The rest is not read. */
export const MAX_HEADER_BYTES = 256 * 1024;
export const MAX_FIELDS = 1_000;

/** The bytes in which a field name and its colon are searched. A line has at most 998 bytes (RFC 5322 2.1.1). */
const LONGEST_NAME = 1_000;
/** The start of a field (RFC 5322 3.6.8 and 4.5). It skips a byte order mark or white space before the first field. */
const FIELD = /^(?:\xef\xbb\xbf)?[ \t]*[!-9;-~]+[ \t]*(?:\r?\n[ \t]+)*:/;
const LINE_BREAK = /^\r?\n/;

/** A header field, as the mail contains it. */
export interface Field {
  readonly name: string;
  /** The value, still folded and encoded. */
  readonly value: Buffer;
}

export interface Fields {
  readonly fields: readonly Field[];
  /** Tells whether the header has more fields than were read. */
  readonly truncated: boolean;
}

/** Reads the fields of a header block in order. `wanted` restricts them to those that start with one of its bytes. */
export function readFields(block: Buffer, wanted: ReadonlySet<number> | null): Fields {
  const fields: Field[] = [];
  let at = isPreamble(block) ? fieldEnd(block, 0) : markLength(block);
  for (let count = 0; at < block.length; count++) {
    if (count === MAX_FIELDS) return { fields, truncated: true };
    const end = fieldEnd(block, at);
    if (wanted === null || wanted.has(byteAt(block, at))) {
      const colon = block.indexOf(COLON, at);
      if (colon >= 0 && colon < end) {
        fields.push({
          name: block.toString('latin1', at, colon).trim().toLowerCase(),
          value: block.subarray(colon + 1, end),
        });
      }
    }
    at = end;
  }
  return { fields, truncated: false };
}

/** Returns the length of the byte order mark before the first field, which programs that write files leave there. */
function markLength(block: Buffer): number {
  return byteAt(block, 0) === 0xef && byteAt(block, 1) === 0xbb && byteAt(block, 2) === 0xbf ? 3 : 0;
}

/**
 * Tells whether a mail starts with text: its first line is neither a header field nor empty. All of such a mail is its
 * body. A line of mbox or HTTP counts as a preamble only if a header follows.
 */
export function isHeaderless(raw: Buffer): boolean {
  const first = raw.toString('latin1', 0, LONGEST_NAME);
  if (raw.length === 0 || LINE_BREAK.test(first) || FIELD.test(first)) return false;
  if (!isPreamble(raw)) return true;
  const next = fieldEnd(raw, 0);
  return !FIELD.test(raw.toString('latin1', next, next + LONGEST_NAME));
}

/**
 * Returns the header block at the start of a mail, up to MAX_HEADER_BYTES. It ends at an empty line, or before a line at
 * which `endsAt` says so, such as a delimiter.
 */
export function headerBlock(
  raw: Buffer,
  endsAt: (at: number) => boolean = () => false,
): { readonly block: Buffer; readonly truncated: boolean } {
  if (isHeaderless(raw)) return { block: raw.subarray(0, 0), truncated: false };
  let at = 0;
  for (;;) {
    const end = lineEnd(raw, at);
    if (end === at || isBlank(raw, at, end) || endsAt(at)) return { block: raw.subarray(0, at), truncated: false };
    if (end > MAX_HEADER_BYTES) return { block: raw.subarray(0, at), truncated: true };
    at = end;
  }
}

/**
 * Tells whether a line is no header but an mbox separator or an HTTP request line. `From :` is a field (RFC 5322 4.5).
 */
function isPreamble(block: Buffer): boolean {
  const first = byteAt(block, 0) | SPACE;
  return (first === 0x66 || first === 0x70) && /^(?:From +[^: ]|POST )/i.test(block.toString('latin1', 0, 64));
}

/** Returns the position after the last line of the field that starts at `at`. */
function fieldEnd(block: Buffer, at: number): number {
  let end = lineEnd(block, at);
  while (end < block.length && isFold(byteAt(block, end))) end = lineEnd(block, end);
  return end;
}

/** Returns the position after the line that starts at `at`. */
export function lineEnd(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  return lf < 0 ? bytes.length : lf + 1;
}

/** Tells whether the line from `at` to `end` is empty. */
export function isBlank(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[end - 1] !== LF) return false;
  return end - at === 1 || (end - at === 2 && bytes[at] === CR);
}

/** Tells whether a line that begins with this byte continues the field before it. */
export function isFold(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

const FIRST_BYTES = 4 * 1024;
const NOTHING = Buffer.alloc(0);

/** Collects a header block that arrives in chunks. It drops everything over the limit, and keeps only whole lines. */
export class HeaderBytes {
  #bytes: Buffer | null = null;
  #length = 0;
  #isFull = false;

  /** Adds a copy of the chunk. */
  add(piece: Buffer): void {
    if (this.#isFull || piece.length === 0) return;
    const fits = Math.min(piece.length, MAX_HEADER_BYTES - this.#length);
    this.#isFull = fits < piece.length;
    this.#bytes = withRoom(this.#bytes, this.#length, fits);
    piece.copy(this.#bytes, this.#length, 0, fits);
    this.#length += fits;
  }

  /** Returns the bytes that were added, as a view that is valid until the next call. */
  soFar(): Buffer {
    return this.#bytes?.subarray(0, this.#length) ?? NOTHING;
  }

  /** Returns the whole block with `last` as its last chunk. The result may be a view of `last`. */
  take(last: Buffer): Buffer {
    if (this.#bytes === null && last.length <= MAX_HEADER_BYTES) return last;
    this.add(last);
    const block = (this.#bytes ?? last).subarray(0, this.#length);
    const whole = this.#isFull ? block.subarray(0, block.lastIndexOf(LF) + 1) : block;
    this.#bytes = null;
    this.#length = 0;
    this.#isFull = false;
    return whole;
  }
}

function withRoom(bytes: Buffer | null, length: number, more: number): Buffer {
  if (bytes !== null && bytes.length >= length + more) return bytes;
  const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, length + more, 2 * length));
  if (bytes !== null) bytes.copy(grown, 0, 0, length);
  return grown;
}

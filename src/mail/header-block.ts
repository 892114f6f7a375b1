const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** Of one header block no more is kept, and no more fields are read. */
export const MAX_HEADER_BYTES = 256 * 1024;
export const MAX_FIELDS = 1_000;

/** A header field as it stands in the mail. */
export interface Field {
  readonly name: string;
  /** Still folded and encoded. */
  readonly value: Buffer;
}

export interface Fields {
  readonly fields: readonly Field[];
  /** More fields than are read. */
  readonly truncated: boolean;
}

/** The fields of a header block, in order; with `wanted`, only those that begin with one of its bytes. */
export function readFields(block: Buffer, wanted: ReadonlySet<number> | null): Fields {
  const fields: Field[] = [];
  let at = isPreamble(block) ? fieldEnd(block, 0) : 0;
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

/** The header block at the start of a mail, no more of it than is kept. */
export function headerBlock(raw: Buffer): { readonly block: Buffer; readonly truncated: boolean } {
  let at = 0;
  for (;;) {
    const end = lineEnd(raw, at);
    if (end === at || isBlank(raw, at, end)) return { block: raw.subarray(0, at), truncated: false };
    if (end > MAX_HEADER_BYTES) return { block: raw.subarray(0, at), truncated: true };
    at = end;
  }
}

/** An mbox separator, or the request line of a posted mail: no header. `From :` is one (RFC 5322 4.5). */
function isPreamble(block: Buffer): boolean {
  const first = byteAt(block, 0) | SPACE;
  return (first === 0x66 || first === 0x70) && /^(?:From +[^: ]|POST )/i.test(block.toString('latin1', 0, 64));
}

/** Behind the last line of the field that begins at `at`. */
function fieldEnd(block: Buffer, at: number): number {
  let end = lineEnd(block, at);
  while (end < block.length && isFold(byteAt(block, end))) end = lineEnd(block, end);
  return end;
}

function lineEnd(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  return lf < 0 ? bytes.length : lf + 1;
}

/** The line from `at` to `end` is an empty one. */
export function isBlank(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[end - 1] !== LF) return false;
  return end - at === 1 || (end - at === 2 && bytes[at] === CR);
}

function isFold(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

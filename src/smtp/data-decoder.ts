// The end of data and dot-unstuffing (RFC 5321 4.1.1.4 and 4.5.2). Only CRLF ends a line:
//   - a line with a single dot ends the message: CRLF.CRLF, or .CRLF as the very first line;
//   - a dot at the start of a line is removed, whatever follows it;
//   - a bare CR or LF is content. It starts no line, so a dot after it is neither removed nor the end.

const CRLF_DOT = Buffer.from('\r\n.');
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const NOTHING = Buffer.alloc(0);
const HELD_CR = Buffer.from('\r');

/** The states: the position of the next byte in its line. */
const WITHIN = 0;
const AFTER_CR = 1;
const AT_START = 2;
/** The dot at the start of the line was removed. */
const AFTER_DOT = 3;
/** A CR followed the removed dot. It is held back and is content unless LF follows. */
const AFTER_DOT_CR = 4;

export interface Decoded {
  /** The bytes of the message in this chunk. */
  readonly content: Buffer;
  /** The bytes after the end of the message. Null while the message goes on. */
  readonly rest: Buffer | null;
}

/**
 * Extracts a message from the bytes after DATA, however they are split into chunks. It moves content within the chunk
 * in place, so it owns the chunk.
 */
export class DataDecoder {
  #state = AT_START;

  decode(chunk: Buffer): Decoded {
    // The CR held back from the previous chunk is content after all.
    const owesCr = this.#state === AFTER_DOT_CR && chunk[0] !== LF;
    const length = chunk.length;
    let at = 0;
    let kept = 0;
    let from = 0;
    let state = this.#state;

    while (at < length) {
      if (state === WITHIN) {
        const found = chunk.indexOf(CRLF_DOT, at);
        if (found < 0) {
          state = stateAtEnd(chunk, at);
          break;
        }
        kept = keep(chunk, kept, from, found + 2);
        from = at = found + 3;
        state = AFTER_DOT;
        continue;
      }
      const byte = chunk[at];
      if (state === AFTER_DOT_CR) {
        if (byte === LF) {
          this.#state = AT_START;
          return { content: content(chunk, kept, owesCr), rest: chunk.subarray(at + 1) };
        }
        state = AFTER_CR;
        continue;
      }
      if (state === AT_START && byte === DOT) {
        kept = keep(chunk, kept, from, at);
        from = at + 1;
        state = AFTER_DOT;
      } else if (byte === CR) {
        state = state === AFTER_DOT ? AFTER_DOT_CR : AFTER_CR;
      } else {
        state = state === AFTER_CR && byte === LF ? AT_START : WITHIN;
      }
      at++;
    }

    const holdsCr = state === AFTER_DOT_CR;
    const end = holdsCr ? length - 1 : length;
    this.#state = state;
    if (end > from) kept = keep(chunk, kept, from, end);
    return { content: content(chunk, kept, owesCr && length > 0), rest: null };
  }
}

function content(chunk: Buffer, kept: number, owesCr: boolean): Buffer {
  const bytes = kept === 0 ? NOTHING : chunk.subarray(0, kept);
  return owesCr ? Buffer.concat([HELD_CR, bytes]) : bytes;
}

function keep(chunk: Buffer, kept: number, from: number, to: number): number {
  if (from !== kept) chunk.copyWithin(kept, from, to);
  return kept + (to - from);
}

function stateAtEnd(chunk: Buffer, from: number): number {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return AFTER_CR;
  return chunk[last] === LF && last - 1 >= from && chunk[last - 1] === CR ? AT_START : WITHIN;
}

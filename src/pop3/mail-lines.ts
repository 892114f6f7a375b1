const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/**
 * Writes a mail as POP3 sends it (RFC 1939 3): lines end with CRLF, a line with a dot at its start gets another one,
 * and a single dot ends it. The mail may come in any chunks.
 */
export class MailLines {
  readonly #mostBodyLines: number;
  #isAtStart = true;
  #isAfterCr = false;
  #isInHeader = true;
  #bodyLines = 0;
  #isLineEmpty = true;
  isComplete = false;

  /** @param mostBodyLines the lines of the body that TOP asks for */
  constructor(mostBodyLines = Number.POSITIVE_INFINITY) {
    this.#mostBodyLines = mostBodyLines;
  }

  next(chunk: Buffer): Buffer {
    // Each byte becomes two at most: a dot, or a line feed without its carriage return.
    const out = Buffer.allocUnsafe(chunk.length * 2);
    let length = 0;
    for (let at = 0; at < chunk.length && !this.isComplete; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isAtStart && byte === DOT) out[length++] = DOT;
      if (byte === LF && !this.#isAfterCr) out[length++] = CR;
      out[length++] = byte;
      this.#isAtStart = byte === LF;
      if (byte === LF) this.#lineEnds();
      else if (byte !== CR) this.#isLineEmpty = false;
      this.#isAfterCr = byte === CR;
    }
    return out.subarray(0, length);
  }

  end(): string {
    return this.#isAtStart ? '.\r\n' : '\r\n.\r\n';
  }

  #lineEnds(): void {
    if (this.#isInHeader) this.#isInHeader = !this.#isLineEmpty;
    else this.#bodyLines++;
    this.#isLineEmpty = true;
    if (!this.#isInHeader && this.#bodyLines >= this.#mostBodyLines) this.isComplete = true;
  }
}

/** Counts the octets that {@link MailLines} adds to a mail, but for the dots, which a client removes again. */
export class AddedOctets {
  #added = 0;
  #last = LF;

  next(chunk: Buffer): void {
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1))
      if ((at === 0 ? this.#last : chunk[at - 1]) !== CR) this.#added++;
    this.#last = chunk.at(-1) ?? this.#last;
  }

  /** Returns their number. The last line gets a line end if it has none. */
  end(): number {
    return this.#added + (this.#last === LF ? 0 : 2);
  }
}

const MAX_LINES = 100;
const MAX_LENGTH = 8 * 1024;

/** The dialogue since the last message, secrets left out and no longer than its caps. */
export class Transcript {
  #lines: string[] = [];
  #length = 0;

  /** A line of either side, as {@link clientLine} and {@link serverLines} have it. */
  push(line: string): void {
    if (this.#isFull || this.#length + line.length > MAX_LENGTH) {
      this.#length = MAX_LENGTH;
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  clear(): void {
    this.#lines = [];
    this.#length = 0;
  }

  get #isFull(): boolean {
    return this.#lines.length >= MAX_LINES || this.#length >= MAX_LENGTH;
  }
}

/** What a client said. `secret`: the line answers a challenge of AUTH. */
export function clientLine(line: string, secret: boolean): string {
  return secret ? 'C: ***' : `C: ${withoutSecret(line)}`;
}

/** One reply, its lines without the last line end. */
export function serverLines(text: string): readonly string[] {
  return text.includes('\r\n') ? text.split('\r\n').map((line) => `S: ${line}`) : [`S: ${text}`];
}

const AUTH_WITH_ARGUMENT = /^(\s*auth\s+\S+\s+)\S.*$/i;

function withoutSecret(line: string): string {
  const first = line.charCodeAt(0) | 0x20;
  return first === 0x61 || first <= 0x20 ? line.replace(AUTH_WITH_ARGUMENT, '$1***') : line;
}

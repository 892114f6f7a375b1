const MAX_LINES = 100;
const MAX_LENGTH = 8 * 1024;

/** The dialogue since the last message, without secrets and of bounded length. */
export class Transcript {
  #lines: string[] = [];
  #length = 0;

  /** Adds a line from {@link clientLine} or {@link serverLines}. */
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

/** Formats a client's line. `secret` marks the answer to an AUTH challenge, which is masked. */
export function clientLine(line: string, secret: boolean): string {
  return secret ? 'C: ***' : `C: ${withoutSecret(line)}`;
}

/** Formats the lines of a reply. `text` has no final line end. */
export function serverLines(text: string): readonly string[] {
  return text.includes('\r\n') ? text.split('\r\n').map((line) => `S: ${line}`) : [`S: ${text}`];
}

const AUTH_WITH_ARGUMENT = /^(\s*auth\s+\S+\s+)\S.*$/i;

function withoutSecret(line: string): string {
  const first = line.charCodeAt(0) | 0x20;
  return first === 0x61 || first <= 0x20 ? line.replace(AUTH_WITH_ARGUMENT, '$1***') : line;
}

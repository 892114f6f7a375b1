const MAX_LINES = 100;
const MAX_LENGTH = 8 * 1024;

/** The dialogue since the last message, secrets left out and no longer than its caps. */
export class Transcript {
  #lines: string[] = [];
  #length = 0;

  /** `secret`: the line answers a challenge of AUTH. */
  said(line: string, secret: boolean): void {
    if (this.#isFull) return;
    this.#push(secret ? 'C: ***' : `C: ${withoutSecret(line)}`);
  }

  /** One reply, its lines without the last line end. */
  replied(text: string): void {
    if (this.#isFull) return;
    if (!text.includes('\r\n')) this.#push(`S: ${text}`);
    else for (const line of text.split('\r\n')) this.#push(`S: ${line}`);
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

  #push(line: string): void {
    if (this.#isFull || this.#length + line.length > MAX_LENGTH) {
      this.#length = MAX_LENGTH;
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
  }
}

const AUTH_WITH_ARGUMENT = /^(\s*auth\s+\S+\s+)\S.*$/i;

function withoutSecret(line: string): string {
  const first = line.charCodeAt(0) | 0x20;
  return first === 0x61 || first <= 0x20 ? line.replace(AUTH_WITH_ARGUMENT, '$1***') : line;
}

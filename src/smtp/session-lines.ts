import { shorten } from '../text/shorten.ts';

const MAX_HEAD = 30;
const MAX_TAIL = 50;
const MAX_LINE = 240;

/** The dialogue of a whole connection. It keeps the first and the last lines, each cut, so that its size is bounded. */
export class SessionLines {
  readonly #head: string[] = [];
  readonly #tail: string[] = [];
  /** The index that the next line overwrites once the tail is full. */
  #next = 0;
  #leftOut = 0;

  push(line: string): void {
    const kept = cutCopy(line, MAX_LINE);
    if (this.#head.length < MAX_HEAD) this.#head.push(kept);
    else if (this.#tail.length < MAX_TAIL) this.#tail.push(kept);
    else {
      this.#tail[this.#next] = kept;
      this.#next = (this.#next + 1) % MAX_TAIL;
      this.#leftOut++;
    }
  }

  lines(): readonly string[] {
    const tail = [...this.#tail.slice(this.#next), ...this.#tail.slice(0, this.#next)];
    const gap = this.#leftOut === 0 ? [] : [`(${this.#leftOut} more lines)`];
    return [...this.#head, ...gap, ...tail];
  }
}

/** Cuts a text, and makes a copy if it does, because a substring keeps the whole string in memory. */
export function cutCopy(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(shorten(text, length)).toString();
}

import type { Message } from '../../../domain/message.ts';

const ROWS = 4_096;

/** A cache of recently read rows by address. Repeated reads return the same object. */
export class RowCache {
  readonly #addresses = new Int32Array(ROWS).fill(-1);
  readonly #rows = new Array<Message | undefined>(ROWS).fill(undefined);

  /** Returns the row at an address. It calls `read` on a miss. */
  get(address: number, read: (address: number) => Message): Message {
    const place = address % ROWS;
    const known = this.#addresses[place] === address ? this.#rows[place] : undefined;
    if (known !== undefined) return known;
    const row = read(address);
    this.#addresses[place] = address;
    this.#rows[place] = row;
    return row;
  }

  forget(address: number): void {
    const place = address % ROWS;
    if (this.#addresses[place] !== address) return;
    this.#addresses[place] = -1;
    this.#rows[place] = undefined;
  }
}

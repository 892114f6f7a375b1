/** Which of some places in segments are referred to. A place is `segment * 2 ** 32 + offset`. */
export class KeyScan {
  readonly found = new Set<number>();
  /** By segment, as few rows have bytes in those asked for. */
  readonly #offsets = new Map<number, Set<number>>();

  constructor(keys: ReadonlySet<number>) {
    for (const key of keys) {
      const segment = Math.floor(key / 2 ** 32);
      const offsets = this.#offsets.get(segment);
      if (offsets === undefined) this.#offsets.set(segment, new Set([key % 2 ** 32]));
      else offsets.add(key % 2 ** 32);
    }
  }

  /** Hears of a place that a row refers to. */
  readonly see = (segment: number, offset: number): void => {
    if (this.#offsets.get(segment)?.has(offset) === true) this.found.add(segment * 2 ** 32 + offset);
  };
}

/** Which of some places in segments are referred to. A place is `segment * 2 ** 32 + offset`. */
export class KeyScan {
  readonly found = new Set<number>();
  readonly #keys: ReadonlySet<number>;
  /** Few rows have bytes in those asked for. */
  readonly #segments = new Set<number>();

  constructor(keys: ReadonlySet<number>) {
    this.#keys = keys;
    for (const key of keys) this.#segments.add(Math.floor(key / 2 ** 32));
  }

  /** Hears of a place that a row refers to. */
  readonly see = (segment: number, offset: number): void => {
    if (!this.#segments.has(segment)) return;
    const key = segment * 2 ** 32 + offset;
    if (this.#keys.has(key)) this.found.add(key);
  };
}

/** Finds the positions to which rows refer, out of a given set. A position is `segment * 2 ** 32 + offset`. */
export class KeyScan {
  readonly found = new Set<number>();
  readonly #keys: ReadonlySet<number>;
  /** The segments of the positions. Few rows have bytes in them, so this check comes first. */
  readonly #segments = new Set<number>();

  constructor(keys: ReadonlySet<number>) {
    this.#keys = keys;
    for (const key of keys) this.#segments.add(Math.floor(key / 2 ** 32));
  }

  /** Adds a position to which a row refers to `found` if it is in the given set. */
  readonly see = (segment: number, offset: number): void => {
    if (!this.#segments.has(segment)) return;
    const key = segment * 2 ** 32 + offset;
    if (this.#keys.has(key)) this.found.add(key);
  };
}

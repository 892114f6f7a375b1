/** Counts by the values of a few labels. */
export class Tally {
  readonly names: string[];
  readonly #counts = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.names = [...names];
  }

  /** One value for each label, none of which holds a tab. */
  add(...values: readonly string[]): void {
    const key = values.join('\t');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  *entries(): Generator<[Record<string, string>, number]> {
    for (const [key, count] of this.#counts) {
      const values = key.split('\t');
      yield [Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ''])), count];
    }
  }
}

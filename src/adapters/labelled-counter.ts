/** A counter that keeps one count for each combination of label values, as a Prometheus counter does. */
export class LabelledCounter {
  readonly labelNames: string[];
  readonly #counts = new Map<string, number>();

  constructor(labelNames: readonly string[]) {
    this.labelNames = [...labelNames];
  }

  /** Adds 1. It takes one value for each label, in the order of `labelNames`; no value may hold a tab. */
  increment(...values: readonly string[]): void {
    const key = values.join('\t');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Yields each combination of labels that was counted, with its count. */
  *entries(): Generator<[Record<string, string>, number]> {
    for (const [key, count] of this.#counts) {
      const values = key.split('\t');
      yield [Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? ''])), count];
    }
  }
}

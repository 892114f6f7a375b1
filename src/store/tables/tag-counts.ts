import { type TagCount, tagKey, type WorkspaceTags } from '../../domain/marks.ts';

/** Counts the messages that have each tag. A count may be below zero, so that counts can be taken from each other. */
export class TagCounts {
  readonly #counts = new Map<string, TagCount>();

  get size(): number {
    return this.#counts.size;
  }

  add(tags: readonly string[], by: number): void {
    for (const name of tags) {
      const key = tagKey(name);
      const known = this.#counts.get(key);
      const count = (known?.count ?? 0) + by;
      // The way in which the last message writes a tag counts. Only a renamed tag changes its case.
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, { name: by > 0 ? name : (known?.name ?? name), count });
    }
  }

  of(key: string): TagCount | undefined {
    return this.#counts.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys();
  }
}

/** The tags of a workspace, as the sum of some counts. The first one has most of them. */
export class SummedTags implements WorkspaceTags {
  readonly #first: TagCounts | undefined;
  readonly #others: readonly TagCounts[];

  constructor(counts: readonly (TagCounts | undefined)[]) {
    [this.#first, ...this.#others] = counts.filter((one) => one !== undefined);
  }

  /** Returns these tags with further counts. */
  with(more: TagCounts): SummedTags {
    return new SummedTags([this.#first, ...this.#others, more]);
  }

  get size(): number {
    let size = this.#first?.size ?? 0;
    for (const key of new Set(this.#others.flatMap((counts) => [...counts.keys()]))) {
      const wasCounted = this.#first?.of(key) !== undefined;
      const isThere = this.#of(key) !== null;
      if (isThere !== wasCounted) size += isThere ? 1 : -1;
    }
    return size;
  }

  nameOf(tag: string): string | null {
    return this.#of(tagKey(tag))?.name ?? null;
  }

  list(): readonly TagCount[] {
    const keys = new Set([this.#first, ...this.#others].flatMap((counts) => [...(counts?.keys() ?? [])]));
    return [...keys]
      .sort()
      .map((key) => this.#of(key))
      .filter((tag) => tag !== null);
  }

  #of(key: string): TagCount | null {
    let count = 0;
    let name: string | undefined;
    for (const counts of [this.#first, ...this.#others]) {
      const found = counts?.of(key);
      if (found === undefined) continue;
      count += found.count;
      if (found.count > 0) name = found.name;
    }
    return name === undefined || count <= 0 ? null : { name, count };
  }
}

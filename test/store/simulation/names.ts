import { keeping } from './content.ts';
import type { Draw } from './draw.ts';

/** One atomic operation on names: each name refers to an inode afterwards, or to none. */
export type NameChange = readonly {
  readonly directory: number;
  readonly name: string;
  readonly inode: number | null;
}[];

type Entries = Map<number, Map<string, number>>;

/** The names of all directories in the page cache and on the platter. */
export class Names {
  readonly #cache: Entries;
  readonly #platter: Entries;
  #unsynced: readonly NameChange[];

  constructor(cache: Entries = new Map(), platter: Entries = new Map(), unsynced: readonly NameChange[] = []) {
    this.#cache = cache;
    this.#platter = platter;
    this.#unsynced = unsynced;
  }

  copy(): Names {
    return new Names(copyOf(this.#cache), copyOf(this.#platter), this.#unsynced);
  }

  /** Returns the names of a directory, or none for an unknown one. */
  in(directory: number): ReadonlyMap<string, number> {
    return this.#cache.get(directory) ?? new Map();
  }

  change(change: NameChange): void {
    apply(this.#cache, change);
    this.#unsynced = [...this.#unsynced, change];
  }

  /** Syncs a directory. Its changes, and all names that changed together with them, then survive a power cut. */
  sync(directory: number): void {
    const concerns = (change: NameChange) => change.some((set) => set.directory === directory);
    for (const change of this.#unsynced.filter(concerns)) apply(this.#platter, change);
    this.#unsynced = this.#unsynced.filter((change) => !concerns(change));
  }

  /** Returns the names after a kill: the page cache, completely written. */
  killed(): Names {
    return new Names(copyOf(this.#cache), copyOf(this.#cache));
  }

  /** Returns names that a power cut may leave. A change can survive only if all earlier changes of the same name do. */
  crashed(draw: Draw): Names {
    const left = copyOf(this.#platter);
    const missing = new Set<string>();
    const kept = keeping(draw);
    for (const change of this.#unsynced) {
      const keys = change.map(({ directory, name }) => `${directory}/${name}`);
      if (draw.chance(kept) && !keys.some((key) => missing.has(key))) apply(left, change);
      else for (const key of keys) missing.add(key);
    }
    return new Names(copyOf(left), left);
  }

  /** Applies a damage from outside at once, in the cache and on the platter. */
  force(change: NameChange): void {
    apply(this.#cache, change);
    apply(this.#platter, change);
  }
}

function apply(entries: Entries, change: NameChange): void {
  for (const { directory, name, inode } of change) {
    let names = entries.get(directory);
    if (names === undefined) {
      names = new Map();
      entries.set(directory, names);
    }
    if (inode === null) names.delete(name);
    else names.set(name, inode);
  }
}

function copyOf(entries: Entries): Entries {
  return new Map([...entries].map(([directory, names]) => [directory, new Map(names)]));
}

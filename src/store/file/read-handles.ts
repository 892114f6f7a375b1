import type { DiskFile } from '../../ports/disk.ts';

/** The number of files that stay open for reading. */
const OPEN_FILES = 64;

interface Handle {
  readonly file: Promise<DiskFile>;
  users: number;
  isRetired: boolean;
}

/** An LRU cache of files open for reading, by segment. It closes the least recently used first. */
export class ReadHandles {
  readonly #open: (number: number) => Promise<DiskFile>;
  readonly #handles = new Map<number, Handle>();

  constructor(open: (number: number) => Promise<DiskFile>) {
    this.#open = open;
  }

  async use<T>(number: number, body: (file: DiskFile) => Promise<T>): Promise<T> {
    const handle = this.#handle(number);
    handle.users++;
    try {
      return await body(await handle.file);
    } finally {
      handle.users--;
      await closeUnused(handle);
    }
  }

  /** Removes a handle. It closes once its readers are done, each after at most one piece of a blob. */
  async retire(number: number): Promise<void> {
    const handle = this.#handles.get(number);
    if (handle === undefined) return;
    this.#handles.delete(number);
    handle.isRetired = true;
    await closeUnused(handle);
  }

  async close(): Promise<void> {
    for (const number of [...this.#handles.keys()]) await this.retire(number);
  }

  #handle(number: number): Handle {
    let handle = this.#handles.get(number);
    // The handle is removed and inserted again, which keeps the map in the order of use.
    this.#handles.delete(number);
    handle ??= this.#opened(number);
    this.#handles.set(number, handle);
    const [oldest] = this.#handles.keys();
    if (this.#handles.size > OPEN_FILES && oldest !== undefined) void this.retire(oldest);
    return handle;
  }

  #opened(number: number): Handle {
    const handle: Handle = { file: this.#open(number), users: 0, isRetired: false };
    handle.file.catch(() => {
      if (this.#handles.get(number) === handle) this.#handles.delete(number);
    });
    return handle;
  }
}

async function closeUnused({ file, users, isRetired }: Handle): Promise<void> {
  if (!isRetired || users > 0) return;
  await file.then((opened) => opened.close()).catch(() => {});
}

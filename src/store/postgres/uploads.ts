import { crc32 } from 'node:zlib';
import type { ObjectStorage } from '../../ports/object-storage.ts';
import { objectKey } from './object-keys.ts';

/** The maximum number of concurrent uploads. Bodies that arrive meanwhile share the next object. */
const AT_ONCE = 4;
/** An object takes no further body once it has this many bytes or bodies. */
const OBJECT_BYTES = 4 * 1024 * 1024;
const OBJECT_BODIES = 1_000;
/**
 * The ids of the bodies of one object differ by less than this number. It must never change, because stored objects
 * depend on it.
 */
export const OBJECT_SPAN = 4_096;

/** The place of a small body in the storage: a part of an object. */
export interface StoredBody {
  readonly object: number;
  readonly start: number;
  readonly size: number;
  readonly checksum: number;
}

/** A small body on its way to the storage. */
export interface Upload {
  readonly id: number;
  readonly bytes: Buffer;
  /** The place of the body. Null until the body is durable there. */
  stored: StoredBody | null;
}

/** Several small bodies that are uploaded as one object. */
class Batch {
  readonly bodies: Upload[] = [];
  size = 0;
  least = Number.POSITIVE_INFINITY;
  most = Number.NEGATIVE_INFINITY;
  settle: () => void = () => {};
  readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  takes(id: number): boolean {
    if (this.bodies.length === 0) return true;
    const span = Math.max(this.most, id) - Math.min(this.least, id);
    return this.size < OBJECT_BYTES && this.bodies.length < OBJECT_BODIES && span < OBJECT_SPAN;
  }

  add(body: Upload): void {
    this.bodies.push(body);
    this.size += body.bytes.length;
    this.least = Math.min(this.least, body.id);
    this.most = Math.max(this.most, body.id);
  }
}

interface UploadsParts {
  readonly storage: ObjectStorage;
  /** The first part of the keys. */
  readonly store: string;
  /** Called after each upload, with its error or null. */
  readonly onOutcome: (error: unknown) => void;
  /** Tells whether the storage is away. Waiting uploads then fail at once instead of running into a timeout. */
  readonly isAway: () => boolean;
}

/** Uploads small bodies to an object storage as soon as they arrive, several in one object. */
export class Uploads {
  readonly #storage: ObjectStorage;
  readonly #store: string;
  readonly #onOutcome: (error: unknown) => void;
  readonly #isAway: () => boolean;
  /** The batches that are not uploaded yet, the oldest first. The last one may take more bodies. */
  readonly #waiting: Batch[] = [];
  readonly #running = new Set<Batch>();

  constructor({ storage, store, onOutcome, isAway }: UploadsParts) {
    this.#storage = storage;
    this.#store = store;
    this.#onOutcome = onOutcome;
    this.#isAway = isAway;
  }

  add(body: Upload): void {
    let batch = this.#waiting.at(-1);
    if (batch?.takes(body.id) !== true) {
      batch = new Batch();
      this.#waiting.push(batch);
      // Bodies that arrive in the same tick of the event loop share the object.
      setImmediate(() => this.#next());
    }
    batch.add(body);
  }

  /** Settles when all bodies added so far are stored or have failed. Returns null if no upload is running. */
  settled(): Promise<unknown> | null {
    if (this.#running.size + this.#waiting.length === 0) return null;
    return Promise.all([...this.#running, ...this.#waiting].map(({ settled }) => settled));
  }

  #next(): void {
    while (this.#running.size < AT_ONCE) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      if (this.#isAway()) {
        batch.settle();
        continue;
      }
      this.#running.add(batch);
      void this.#write(batch).then(() => {
        this.#running.delete(batch);
        batch.settle();
        this.#next();
      });
    }
  }

  /** Uploads one object. It never rejects. */
  async #write({ bodies, size, least }: Batch): Promise<void> {
    try {
      const bytes = Buffer.concat(
        bodies.map((body) => body.bytes),
        size,
      );
      await this.#storage.put(objectKey(this.#store, least, 0), bytes);
      let start = 0;
      for (const body of bodies) {
        const { length } = body.bytes;
        body.stored = { object: least, start, size: length, checksum: crc32(body.bytes) };
        start += length;
      }
      this.#onOutcome(null);
    } catch (error) {
      this.#onOutcome(error);
    }
  }
}

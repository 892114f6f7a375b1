import { crc32 } from 'node:zlib';
import { refuse } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type ObjectStorage, ObjectStorageAway } from '../../ports/object-storage.ts';
import { markOf, objectKey } from './object-keys.ts';
import { type StoredBody, type Upload, Uploads } from './uploads.ts';

/** The interval in milliseconds at which a server tries to write to a storage that is away. */
const PROBE_MS = 1_000;

/** The place of a body in the storage. A body of several pieces has an object of its own, and its `start` is 0. */
export interface StoredBlob extends StoredBody {
  readonly pieces: number;
}

/** The error for bytes from the storage that fail their length or checksum. */
export class BodyDamaged extends Error {
  override readonly name = 'BodyDamaged';
}

interface StoredObjectsParts {
  readonly storage: ObjectStorage;
  /** The first part of the keys of this store. */
  readonly store: string;
  /** The clock and log to watch a storage that is away. Without them, every write tries the storage. */
  readonly watch?: { readonly clock: Pick<Clock, 'after'>; readonly log: Log };
}

/** The bodies of one store in an object storage. */
export class StoredObjects {
  readonly storage: ObjectStorage;
  readonly store: string;
  readonly #watch: NonNullable<StoredObjectsParts['watch']> | null;
  readonly #uploads: Uploads;
  #isAway = false;
  #cancel = () => {};
  #closed = false;

  constructor({ storage, store, watch }: StoredObjectsParts) {
    this.storage = storage;
    this.store = store;
    this.#watch = watch ?? null;
    this.#uploads = new Uploads({
      storage,
      store,
      onOutcome: (error) => this.#met(error),
      isAway: () => this.#isAway,
    });
  }

  /**
   * Tells whether a write failed and the storage has not answered since. Until it answers, no body is written to it.
   */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Throws `storage_unavailable` while the storage is away, so that callers need not wait for its timeouts. */
  requireThere(): void {
    if (this.#isAway) throw refuse('storage_unavailable');
  }

  upload(body: Upload): void {
    this.#uploads.add(body);
  }

  /** Settles when all uploads so far are stored or have failed. Returns null if none is running. */
  uploaded(): Promise<unknown> | null {
    return this.#uploads.settled();
  }

  async putPiece(object: number, piece: number, bytes: Buffer): Promise<void> {
    try {
      await this.storage.put(objectKey(this.store, object, piece), bytes);
    } catch (error) {
      this.#met(error);
      throw passingTrouble(error);
    }
  }

  /**
   * Streams a body. Throws {@link BodyDamaged} before the last piece if its length or checksum is wrong, and
   * `storage_unavailable` if the storage is away.
   */
  async *stream({ object, start, size, pieces, checksum }: StoredBlob): AsyncGenerator<Buffer> {
    let [length, sum] = [0, 0];
    for (let piece = 0; piece < pieces; piece++) {
      const key = objectKey(this.store, object, piece);
      const range = pieces === 1 ? { start, length: size } : undefined;
      const bytes = await this.storage.get(key, range).catch((error: unknown) => {
        throw passingTrouble(error);
      });
      length += bytes.length;
      sum = crc32(bytes, sum);
      // The last piece is yielded only after the checksum of the whole body has matched.
      if (piece === pieces - 1 && (length !== size || sum !== checksum))
        throw new BodyDamaged(`the bytes of ${key} in ${this.storage.url} fail their checksum`);
      yield bytes;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#uploads.settled();
    await this.storage.close();
  }

  #met(error: unknown): void {
    if (error === null || this.#isAway || this.#closed || this.#watch === null) return;
    const { clock, log } = this.#watch;
    this.#isAway = true;
    log.error('bodies can not be stored: mail and captures are refused until the object storage answers', { error });
    const probe = (): void => {
      // The probe is a write, because a full or read-only storage still answers reads.
      this.storage.put(markOf(this.store), Buffer.from(this.store)).then(() => {
        this.#isAway = false;
        log.warn('the object storage answers again');
      }, later);
    };
    const later = (): void => {
      if (!this.#closed) this.#cancel = clock.after(PROBE_MS, probe);
    };
    later();
  }
}

/**
 * Turns an unreachable storage into `storage_unavailable`, because it may come back. A missing object stays an error.
 */
function passingTrouble(error: unknown): unknown {
  return error instanceof ObjectStorageAway ? refuse('storage_unavailable', undefined, { cause: error }) : error;
}

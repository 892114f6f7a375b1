import { crc32 } from 'node:zlib';
import { refuse } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type ObjectStorage, ObjectStorageAway } from '../../ports/object-storage.ts';
import { markOf, objectKey } from './object-keys.ts';
import { type StoredBody, type Upload, Uploads } from './uploads.ts';

/** The interval in milliseconds at which a storage that is away is asked whether it is back. */
const PROBE_MS = 1_000;

/** The place of a body in the storage. A body of several pieces is alone in its object, and begins at its start. */
export interface StoredBlob extends StoredBody {
  readonly pieces: number;
}

/** The error for bytes that are not those that were stored. */
export class BodyDamaged extends Error {
  override readonly name = 'BodyDamaged';
}

interface StoredObjectsParts {
  readonly storage: ObjectStorage;
  /** The first part of the keys of this store. */
  readonly store: string;
  /** The means to wait for a storage that is away. Without them every write tries it. */
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

  /** Tells whether the last write failed. Until the storage answers again, nothing is written to it. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Refuses while the storage is away, so that nobody waits for its time limits. */
  requireThere(): void {
    if (this.#isAway) throw refuse('storage_unavailable');
  }

  upload(body: Upload): void {
    this.#uploads.add(body);
  }

  /** Settles when all uploads so far are stored or have failed. Null if none is under way. */
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

  /** Reads a body, and checks what came. */
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
      // The last piece is held back until all of them are known to be right.
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
    log.error('bodies can not be stored: what comes is refused until the object storage answers', { error });
    const probe = (): void => {
      // A write shows more than a read: a full or read-only storage still reads.
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

/** A storage that is away may come back. An object that is missing does not. */
function passingTrouble(error: unknown): unknown {
  return error instanceof ObjectStorageAway ? refuse('storage_unavailable', undefined, { cause: error }) : error;
}

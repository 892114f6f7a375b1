import { crc32 } from 'node:zlib';
import { refuse } from '../../domain/errors.ts';
import { type ObjectStorage, ObjectStorageAway } from '../../ports/storage.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { type DatabaseRow, numberColumn, type RunStatement, statement } from './connection.ts';

/** The interval in milliseconds at which a server tries to write to a storage that is away. */
const PROBE_MS = 1_000;

/** The place of a body in the storage. A body of several pieces has an object of its own, and its `start` is 0. */
interface StoredBlob extends StoredBody {
  readonly pieces: number;
}

/** The columns of the table `blobs` that {@link storedBlob} reads. */
export const STORED_COLUMNS = `object::float8 as object, start::float8 as start, size::float8 as size,
     pieces::float8 as pieces, checksum::float8 as checksum`;

export function storedBlob(row: DatabaseRow): StoredBlob {
  return {
    object: numberColumn(row, 'object'),
    start: numberColumn(row, 'start'),
    size: numberColumn(row, 'size'),
    pieces: numberColumn(row, 'pieces'),
    checksum: numberColumn(row, 'checksum'),
  };
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
  /** The batches of small bodies that are not uploaded yet, the oldest first. The last one may take more bodies. */
  readonly #waiting: Batch[] = [];
  readonly #running = new Set<Batch>();
  #isAway = false;
  #cancel = () => {};
  #closed = false;

  constructor({ storage, store, watch }: StoredObjectsParts) {
    this.storage = storage;
    this.store = store;
    this.#watch = watch ?? null;
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

  /** Uploads a small body as soon as possible, together with others that arrive meanwhile. */
  upload(body: Upload): void {
    let batch = this.#waiting.at(-1);
    if (batch?.takes(body.id) !== true) {
      batch = new Batch();
      this.#waiting.push(batch);
      // Bodies that arrive in the same tick of the event loop share the object.
      setImmediate(() => this.#uploadNext());
    }
    batch.add(body);
  }

  /** Settles when all uploads so far are stored or have failed. Returns null if none is running. */
  uploaded(): Promise<unknown> | null {
    if (this.#running.size + this.#waiting.length === 0) return null;
    return Promise.all([...this.#running, ...this.#waiting].map(({ settled }) => settled));
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
    await this.uploaded();
    await this.storage.close();
  }

  #uploadNext(): void {
    while (this.#running.size < AT_ONCE) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      // Waiting uploads fail at once while the storage is away, instead of running into a timeout.
      if (this.#isAway) {
        batch.settle();
        continue;
      }
      this.#running.add(batch);
      void this.#write(batch).then(() => {
        this.#running.delete(batch);
        batch.settle();
        this.#uploadNext();
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
      await this.storage.put(objectKey(this.store, least, 0), bytes);
      let start = 0;
      for (const body of bodies) {
        const { length } = body.bytes;
        body.stored = { object: least, start, size: length, checksum: crc32(body.bytes) };
        start += length;
      }
    } catch (error) {
      this.#met(error);
    }
  }

  /** Refuses bodies from now on until the storage answers. */
  #met(error: unknown): void {
    if (this.#isAway || this.#closed || this.#watch === null) return;
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

/** The maximum number of concurrent uploads. Bodies that arrive meanwhile share the next object. */
const AT_ONCE = 4;
/** An object takes no further body once it has this many bytes or bodies. */
const OBJECT_BYTES = 4 * 1024 * 1024;
const OBJECT_BODIES = 1_000;
/**
 * The ids of the bodies of one object differ by less than this number. It must never change, because stored objects
 * depend on it.
 */
const OBJECT_SPAN = 4_096;

/** The place of a small body in the storage: a part of an object. */
interface StoredBody {
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

/** The number of digits of the largest safe integer, which an object's number never exceeds. */
const DIGITS = 16;

/**
 * Returns the key of a piece of an object. Pieces count from 0. An object that holds several small bodies has one
 * piece.
 */
function objectKey(store: string, object: number, piece: number): string {
  return `${store}/${String(object).padStart(DIGITS, '0')}/${piece}`;
}

/** Parses a key that {@link objectKey} wrote. Returns null for any other key. */
function readKey(store: string, key: string): { readonly object: number; readonly piece: number } | null {
  if (!key.startsWith(`${store}/`)) return null;
  const [, object, piece] = /^(\d{16})\/(\d{1,9})$/.exec(key.slice(store.length + 1)) ?? [];
  return object === undefined || piece === undefined ? null : { object: Number(object), piece: Number(piece) };
}

/** Returns the key of the mark: the object that shows that a bucket holds the bodies of this store. */
export function markOf(store: string): string {
  return `${store}/store`;
}

/** The maximum number of objects of one step. */
const STEP = 1_000;
/** The interval in milliseconds at which all objects of the storage are listed. */
const LIST_EVERY_MS = 60 * 60_000;

const EMPTIED = statement(
  'emptied objects',
  `select object::float8 as object, max(pieces)::float8 as pieces from emptied_objects
   where at < now() - $1::float8 * interval '1 millisecond' group by object limit $2`,
);
const FORGET = statement('forget emptied objects', 'delete from emptied_objects where object = any ($1::bigint[])');
// The ids of the bodies of an object start at the object's number and span less than OBJECT_SPAN.
const BURY = statement(
  'bury objects',
  `insert into dead_objects (object, pieces)
   select object, pieces from unnest($1::bigint[], $2::int[]) as emptied (object, pieces)
   where not exists (
     select 1 from blobs
     where id >= emptied.object and id < emptied.object + ${OBJECT_SPAN} and blobs.object = emptied.object)
   on conflict (object) do update set pieces = greatest(dead_objects.pieces, excluded.pieces), erased = false`,
);
const DEAD = statement(
  'dead objects',
  'select object::float8 as object, pieces::float8 as pieces from dead_objects where not erased limit $1',
);
const ERASED = statement(
  'erased objects',
  'update dead_objects set erased = true, at = now() where object = any ($1::bigint[])',
);
// A day is longer than any server holds an uploaded body before a row refers to it.
const PRUNE = statement(
  'prune dead objects',
  "delete from dead_objects where erased and at < now() - interval '1 day'",
);
const NOTE = statement(
  'note orphans',
  `insert into emptied_objects (object, pieces, at)
   select object, pieces, '-infinity' from unnest($1::bigint[], $2::int[]) as listed (object, pieces)
   where not exists (
     select 1 from blobs
     where id >= listed.object and id < listed.object + ${OBJECT_SPAN} and blobs.object = listed.object)`,
);

interface ObjectSweepParts {
  readonly objects: StoredObjects;
  readonly query: RunStatement;
  /** Runs `act` while no other transaction of any server runs, and commits its statements. */
  readonly alone: <T>(act: (query: RunStatement) => Promise<T>) => Promise<T>;
  readonly clock: Pick<Clock, 'steady'>;
  /**
   * The time in milliseconds for which an object stays after its last row was removed, or after it was written if it
   * never had a row.
   */
  readonly graceMs: number;
}

/**
 * Returns the function that removes objects to which no row refers. While no transaction runs, an object without rows is
 * declared dead. From then on no row may refer to it, so it can be removed from the storage. A transaction that refers to
 * the object therefore either comes first and keeps it, or is refused.
 */
export function objectSweep({ objects, query, alone, clock, graceMs }: ObjectSweepParts): () => Promise<void> {
  let listedAt = Number.NEGATIVE_INFINITY;

  /** Finds the objects that a server wrote before it was killed, and to which no row refers. */
  const noteOrphans = async (): Promise<void> => {
    for await (const page of objects.storage.list(`${objects.store}/`)) {
      const found = page.flatMap(({ key, ageMs }) => {
        const read = readKey(objects.store, key);
        return read === null || ageMs < graceMs ? [] : [read];
      });
      if (found.length === 0) continue;
      await query(NOTE, [found.map(({ object }) => object), found.map(({ piece }) => piece + 1)]);
    }
  };
  /** Declares emptied objects dead. Returns whether there may be more. */
  const bury = async (): Promise<boolean> => {
    const emptied = await query(EMPTIED, [graceMs, STEP]);
    if (emptied.length === 0) return false;
    const numbers = emptied.map((row) => numberColumn(row, 'object'));
    const pieces = emptied.map((row) => numberColumn(row, 'pieces'));
    await alone(async (ask) => {
      await ask(BURY, [numbers, pieces]);
      await ask(FORGET, [numbers]);
    });
    return emptied.length === STEP;
  };
  /** Removes dead objects from the storage. Returns whether there may be more. */
  const erase = async (): Promise<boolean> => {
    const dead = await query(DEAD, [STEP]);
    if (dead.length === 0) return false;
    const keys = dead.flatMap((row) =>
      Array.from({ length: numberColumn(row, 'pieces') }, (_, piece) =>
        objectKey(objects.store, numberColumn(row, 'object'), piece),
      ),
    );
    await objects.storage.remove(keys);
    await query(ERASED, [dead.map((row) => numberColumn(row, 'object'))]);
    return dead.length === STEP;
  };
  return async () => {
    if (clock.steady() - listedAt >= LIST_EVERY_MS) {
      await noteOrphans();
      listedAt = clock.steady();
    }
    while (await bury());
    while (await erase());
    await query(PRUNE);
  };
}

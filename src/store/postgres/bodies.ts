import { crc32 } from 'node:zlib';
import { refuse } from '../../domain/errors.ts';
import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import { wholeOf } from '../concat.ts';
import {
  bytesColumn,
  type DatabaseConnection,
  type DatabaseRow,
  nextOf,
  numberColumn,
  type RunStatement,
  type StatementValue,
  statement,
  textColumn,
} from './connection.ts';
import { STORED_COLUMNS, type StoredObjects, storedBlob, type Upload } from './objects.ts';

/** The size in bytes from which a blob is written ahead of its transaction, in parts of this size. */
const PART_BYTES = 1024 * 1024;
/** The number of ids that a server reserves at once. */
const IDS = 1_000_000;
/** The maximum number of bytes of blobs in one statement. */
const STATEMENT_BYTES = 8 * 1024 * 1024;

/**
 * Returns the SQL that inserts the blobs that {@link Bodies.pack} packed. Its parameters begin with the number `first`.
 * `beside` may name a common table expression, with a comma at its end; nothing is written if that expression has no row.
 */
export function insertBlobsSql(first = 1, beside = ''): string {
  // All blobs are in one parameter, because an array of bytea costs several times as much to encode.
  return `insert into blobs (id, refs, bytes)
   select id, refs, substring($${first}::bytea from start + 1 for size)
   from ${beside}unnest($${first + 1}::bigint[], $${first + 2}::int[], $${first + 3}::int[], $${first + 4}::int[])
     as blob (id, refs, start, size)`;
}

const INSERT = statement('insert blobs', insertBlobsSql());
const BEGIN_LARGE = statement(
  'begin blob',
  'with made as (insert into blobs (id, refs) values ($1, 0) returning id) insert into loose_blobs (id) select id from made',
);
// The foreign key of `loose_blobs` is checked at the end of the statement, when both rows exist.
const INSERT_PART = statement('insert blob part', 'insert into blob_parts (blob, part, bytes) values ($1, $2, $3)');
// The database itself must refuse objects that are declared dead, because the commit is sent without waiting for this
// statement's answer.
const REQUIRE_ALIVE = statement('require objects', 'select require_alive($1::bigint[])');
const INSERT_STORED = statement(
  'insert stored blobs',
  `insert into blobs (id, refs, object, start, size, pieces, checksum)
   select id, 1, object, start, size, 1, checksum
   from unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::bigint[]) as body (id, object, start, size, checksum)`,
);
const BEGIN_LARGE_STORED = statement(
  'begin stored blob',
  `with made as (insert into blobs (id, refs, object, start, size, pieces, checksum)
                 values ($1, 0, $1, 0, 0, 0, 0) returning id)
   insert into loose_blobs (id) select id from made`,
);
const GROW_STORED = statement(
  'grow stored blob',
  'update blobs set pieces = $2, size = $3, checksum = $4 where id = $1',
);
const DISCARD = statement('discard blobs', 'delete from blobs where id = any ($1::bigint[]) and refs = 0');
const READ = statement('read blob', `select bytes, ${STORED_COLUMNS} from blobs where id = $1`);
const READ_SMALL = statement(
  'read small blobs',
  'select id::float8 as id, bytes from blobs where id = any ($1::bigint[]) and bytes is not null',
);
// The starts of many blobs are one text, because the driver takes longer for many values, and twice as long for bytes.
// The database leaves out what follows the first byte behind an empty line: that byte tells that the header ended.
const READ_STARTS = statement(
  'read starts of blobs',
  `select coalesce(string_agg(id::text, ' '), '') as ids, coalesce(string_agg(length(start)::text, ' '), '') as lengths,
     coalesce(string_agg(start, ''), '') as starts
   from (select id, encode(case when gap > 0 then substring(part from 1 for gap + 4) else part end, 'escape') as start
         from (select id, part, position('\\x0d0a0d0a'::bytea in part) as gap
               from (select id, substring(bytes from 1 for $2) as part from blobs
                     where id = any ($1::bigint[]) and bytes is not null offset 0) as begun offset 0) as ended) as written`,
);
const PARTS = statement('count blob parts', 'select count(*)::float8 as parts from blob_parts where blob = $1');
const READ_PART = statement('read blob part', 'select bytes from blob_parts where blob = $1 and part = $2');
const SWEEP = statement(
  'sweep blobs',
  `with old as (delete from loose_blobs where since < now() - interval '1 hour' returning id)
   delete from blobs using old where blobs.id = old.id and refs = 0`,
);

/** A small blob that waits in memory for the transaction that refers to it. */
interface Pending extends Upload {
  /** Tells whether the caller discarded it while a batch held it. */
  discarded: boolean;
}

/**
 * The blobs in the database. A small one waits in memory and is written with the next batch of transactions. A large
 * one is written ahead, in parts, and is removed after an hour if no transaction refers to it.
 *
 * With an object storage, the storage holds the bytes, and the database holds their place in it. The upload starts as
 * soon as the bytes arrive. No row may refer to a blob before its upload has ended.
 */
export class Bodies implements Blobs {
  readonly #query: RunStatement;
  readonly #objects: StoredObjects | null;
  readonly #pending = new Map<number, Pending>();
  /** The large blobs that are written and to which no transaction refers yet. */
  readonly #large = new Set<number>();
  /** The small blobs that the running batch writes or may refer to. They stay in memory until the batch ends. */
  #held: ReadonlySet<number> = new Set();
  /** The first id of the reserved block, and the number of ids of the block that are used. */
  #first = 0;
  #used = IDS;
  #taking: Promise<void> | null = null;

  constructor(query: RunStatement, objects: StoredObjects | null) {
    this.#query = query;
    this.#objects = objects;
  }

  async put(part: Uint8Array): Promise<BlobRef> {
    this.#objects?.requireThere();
    const id = await this.#nextId();
    const pending: Pending = { id, bytes: Buffer.from(part), discarded: false, stored: null };
    this.#pending.set(id, pending);
    this.#objects?.upload(pending);
    return refOf(id, part.length);
  }

  /**
   * Settles when all blobs put so far are in the object storage or have failed. Returns null if no upload is running.
   */
  uploaded(): Promise<unknown> | null {
    return this.#objects?.uploaded() ?? null;
  }

  /**
   * Checks that a row may refer to a blob: its bytes are durable, or become durable with the row. Throws
   * `storage_unavailable` if its upload has not succeeded.
   */
  requireDurable(id: number): void {
    if (this.#objects !== null && this.#pending.get(id)?.stored === null) throw refuse('storage_unavailable');
  }

  writer(): BlobWriter {
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    let length = 0;
    let checksum = 0;
    let large: { readonly id: number; parts: number } | null = null;
    const objects = this.#objects;
    const writePart = async (): Promise<void> => {
      const bytes = Buffer.concat(waiting, waitingBytes);
      waiting = [];
      waitingBytes = 0;
      objects?.requireThere();
      if (large === null) {
        large = { id: await this.#nextId(), parts: 0 };
        await this.#query(objects === null ? BEGIN_LARGE : BEGIN_LARGE_STORED, [large.id]);
      }
      const part = large.parts++;
      if (objects === null) {
        await this.#query(INSERT_PART, [large.id, part, bytes]);
        return;
      }
      checksum = crc32(bytes, checksum);
      // The row is updated before the upload, so that a later removal of the blob finds every piece.
      await this.#query(GROW_STORED, [large.id, large.parts, length, checksum]);
      await objects.putPiece(large.id, part, bytes);
    };
    return {
      write: async (chunk) => {
        waiting.push(Buffer.from(chunk));
        waitingBytes += chunk.length;
        length += chunk.length;
        if (waitingBytes >= PART_BYTES) await writePart();
      },
      finish: async () => {
        if (large === null) return this.put(Buffer.concat(waiting, waitingBytes));
        if (waitingBytes > 0) await writePart();
        this.#large.add(large.id);
        return refOf(large.id, length);
      },
      abort: () => {
        waiting = [];
        if (large !== null) this.#remove([large.id]);
      },
    };
  }

  discard(refs: readonly BlobRef[]): void {
    const written: number[] = [];
    for (const id of refs.map(blobIdOf)) {
      const pending = this.#pending.get(id);
      if (pending !== undefined && this.#held.has(id)) pending.discarded = true;
      else if (pending !== undefined) this.#pending.delete(id);
      else if (this.#large.delete(id)) written.push(id);
    }
    if (written.length > 0) this.#remove(written);
  }

  read(ref: BlobRef): Promise<Buffer> {
    return wholeOf(this.stream(ref));
  }

  async readSmall(refs: readonly BlobRef[], enough?: number): Promise<(Buffer | null)[]> {
    const ids = refs.map(blobIdOf);
    const found = new Map<number, Buffer | null>();
    for (const id of ids) {
      const pending = this.#pending.get(id);
      if (pending !== undefined) found.set(id, pending.bytes);
    }
    const stored = ids.filter((id) => !found.has(id));
    if (this.#objects === null && stored.length > 0)
      if (enough !== undefined) startsIn(await this.#query(READ_STARTS, [stored, enough]), found);
      else
        for (const row of await this.#query(READ_SMALL, [stored]))
          found.set(numberColumn(row, 'id'), bytesColumn(row, 'bytes'));
    return ids.map((id) => found.get(id) ?? null);
  }

  async *stream(ref: BlobRef): AsyncGenerator<Buffer> {
    const id = blobIdOf(ref);
    const pending = this.#pending.get(id);
    if (pending !== undefined) {
      yield pending.bytes;
      return;
    }
    const [row] = await this.#query(READ, [id]);
    if (row === undefined) throw new Error('the blob is gone');
    if (row['object'] !== null) {
      if (this.#objects === null) throw new Error('the bytes of this blob are in an object storage');
      yield* this.#objects.stream(storedBlob(row));
      return;
    }
    const whole = bytesColumn(row, 'bytes');
    if (whole !== null) {
      yield whole;
      return;
    }
    const [counted] = await this.#query(PARTS, [id]);
    const parts = numberColumn(counted, 'parts');
    for (let part = 0; part < parts; part++) {
      const [found] = await this.#query(READ_PART, [id, part]);
      const bytes = bytesColumn(found, 'bytes');
      if (bytes === null) throw new Error('the blob is gone');
      yield bytes;
    }
  }

  /** Tells whether a blob waits in memory. */
  isPending(id: number): boolean {
    return this.#pending.has(id);
  }

  /**
   * Keeps the waiting blobs in memory until {@link release}, because a batch starts. Returns the ids of the blobs that
   * the batch must write first.
   */
  hold(): readonly number[] {
    const ids = [...this.#pending.keys()];
    this.#held = new Set(ids);
    // With an object storage, only the place of a blob is written, which costs little under the lock. So it is written
    // when a row refers to the blob.
    return this.#objects === null ? ids : [];
  }

  /** Tells whether one statement can write all waiting blobs together with the rows. */
  get fitsOneStatement(): boolean {
    if (this.#objects !== null) return false;
    let total = 0;
    for (const { bytes } of this.#pending.values()) total += bytes.length;
    return total <= STATEMENT_BYTES;
  }

  /**
   * Packs waiting blobs for {@link insertBlobsSql}: their bytes one after the other, and lists of their ids, of the numbers
   * of rows that refer to them, which `refs` returns, and of their starts and sizes in these bytes.
   */
  pack(ids: readonly number[], refs: (id: number) => number): StatementValue[] {
    const bodies = ids.map((id) => this.#bytesOf(id));
    const starts: number[] = [];
    let total = 0;
    for (const { length } of bodies) {
      starts.push(total);
      total += length;
    }
    return [Buffer.concat(bodies, total), ids, ids.map(refs), starts, bodies.map(({ length }) => length)];
  }

  /** Writes waiting blobs, each with a count of one reference. */
  async write(connection: DatabaseConnection, ids: readonly number[]): Promise<void> {
    if (this.#objects !== null) return this.#record(connection, ids);
    const running: Promise<unknown>[] = [];
    let some: number[] = [];
    let total = 0;
    const send = () => {
      const packed = this.pack(some, () => 1);
      running.push(connection.query(INSERT, packed));
      some = [];
      total = 0;
    };
    for (const id of ids) {
      some.push(id);
      total += this.#bytesOf(id).length;
      if (total >= STATEMENT_BYTES) send();
    }
    if (some.length > 0) send();
    await Promise.all(running);
  }

  /** Ends the hold that {@link hold} began. `referred` are the blobs to which durable rows now refer. */
  release(referred: Iterable<number>): void {
    for (const id of referred) {
      this.#pending.delete(id);
      this.#large.delete(id);
    }
    for (const id of this.#held) if (this.#pending.get(id)?.discarded) this.#pending.delete(id);
    this.#held = new Set();
  }

  /** Removes large blobs that were written more than an hour ago and to which no row refers. */
  async sweep(): Promise<void> {
    await this.#query(SWEEP);
  }

  #bytesOf(id: number): Buffer {
    const pending = this.#pending.get(id);
    if (pending === undefined) throw new Error('the blob is no longer in memory');
    return pending.bytes;
  }

  /** Stores the places of blobs that are in the object storage. */
  async #record(connection: DatabaseConnection, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const stored = ids.map((id) => {
      const found = this.#pending.get(id)?.stored ?? null;
      if (found === null) throw refuse('storage_unavailable');
      return found;
    });
    const objects = stored.map(({ object }) => object);
    await Promise.all([
      connection.query(REQUIRE_ALIVE, [[...new Set(objects)]]),
      connection.query(INSERT_STORED, [
        ids,
        objects,
        stored.map(({ start }) => start),
        stored.map(({ size }) => size),
        stored.map(({ checksum }) => checksum),
      ]),
    ]);
  }

  #remove(ids: readonly number[]): void {
    // If it fails, the sweep removes them later.
    void this.#query(DISCARD, [ids]).catch(() => {});
  }

  async #nextId(): Promise<number> {
    while (this.#used >= IDS) {
      this.#taking ??= nextOf(this.#query, 'blob blocks')
        .then((block) => {
          this.#first = block * IDS;
          this.#used = 0;
        })
        .finally(() => {
          this.#taking = null;
        });
      await this.#taking;
    }
    return this.#first + this.#used++;
  }
}

/** Reads the answer of {@link READ_STARTS}. */
function startsIn([row]: readonly DatabaseRow[], found: Map<number, Buffer | null>): void {
  const lengths = textColumn(row, 'lengths').split(' ');
  const starts = textColumn(row, 'starts');
  if (starts === '') return;
  // All characters are ASCII, so each is a byte.
  const bytes = Buffer.from(starts, 'latin1');
  let at = 0;
  for (const [index, id] of textColumn(row, 'ids').split(' ').entries()) {
    const end = at + Number(lengths[index]);
    const start = bytes.subarray(at, end);
    found.set(Number(id), start.includes(BACKSLASH) ? unescaped(start) : start);
    at = end;
  }
}

const BACKSLASH = 0x5c;

/** Reads PostgreSQL's format `escape`: a backslash is two, and a byte that is no ASCII has three octal digits. */
function unescaped(start: Buffer): Buffer {
  const text = start
    .toString('latin1')
    .replace(/\\(?:\\|([0-7]{3}))/g, (_, octal: string | undefined) =>
      octal === undefined ? '\\' : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return Buffer.from(text, 'latin1');
}

function refOf(id: number, length: number): BlobRef {
  // The cast is safe: only this function creates references to blobs in the database.
  return `${id}.${length}` as BlobRef;
}

/** Returns the id of a blob from its reference. */
export function blobIdOf(ref: BlobRef): number {
  const id = Number.parseInt(ref, 10);
  if (!Number.isSafeInteger(id)) throw new Error('the reference belongs to another store');
  return id;
}

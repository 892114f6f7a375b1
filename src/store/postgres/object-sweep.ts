import type { Clock } from '../../ports/clock.ts';
import { numberColumn, type RunStatement, statement } from './connection.ts';
import { objectKey, readKey } from './object-keys.ts';
import type { StoredObjects } from './stored-objects.ts';
import { OBJECT_SPAN } from './uploads.ts';

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
 * Removes objects to which no row refers. While no transaction runs, an object without rows is declared dead. From then
 * on no row may refer to it, so it can be removed from the storage. A transaction that refers to the object therefore
 * either comes first and keeps it, or is refused.
 */
export class ObjectSweep {
  readonly #parts: ObjectSweepParts;
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ObjectSweepParts) {
    this.#parts = parts;
  }

  async sweep(): Promise<void> {
    const { query, clock } = this.#parts;
    if (clock.steady() - this.#listedAt >= LIST_EVERY_MS) {
      await this.noteOrphans();
      this.#listedAt = clock.steady();
    }
    while (await this.#bury());
    while (await this.#erase());
    await query(PRUNE);
  }

  /** Finds the objects that a server wrote before it was killed, and to which no row refers. */
  async noteOrphans(): Promise<void> {
    const { objects, query, graceMs } = this.#parts;
    for await (const page of objects.storage.list(`${objects.store}/`)) {
      const found = page.flatMap(({ key, ageMs }) => {
        const read = readKey(objects.store, key);
        return read === null || ageMs < graceMs ? [] : [read];
      });
      if (found.length === 0) continue;
      await query(NOTE, [found.map(({ object }) => object), found.map(({ piece }) => piece + 1)]);
    }
  }

  /** Declares emptied objects dead. Returns whether there may be more. */
  async #bury(): Promise<boolean> {
    const { query, alone, graceMs } = this.#parts;
    const emptied = await query(EMPTIED, [graceMs, STEP]);
    if (emptied.length === 0) return false;
    const numbers = emptied.map((row) => numberColumn(row, 'object'));
    const pieces = emptied.map((row) => numberColumn(row, 'pieces'));
    await alone(async (ask) => {
      await ask(BURY, [numbers, pieces]);
      await ask(FORGET, [numbers]);
    });
    return emptied.length === STEP;
  }

  /** Removes dead objects from the storage. Returns whether there may be more. */
  async #erase(): Promise<boolean> {
    const { objects, query } = this.#parts;
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
  }
}

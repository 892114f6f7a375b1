import { ObjectMissing } from '../../ports/object-storage.ts';
import {
  type DatabaseConnection,
  type DatabaseRow,
  type Driver,
  numberColumn,
  type RunStatement,
  statement,
} from './connection.ts';
import { BodyDamaged, type StoredObjects } from './stored-objects.ts';

/** The number of rows of one query. */
const PAGE = 1_000;

const STORED = statement(
  'stored blobs by id',
  `select id::float8 as id, object::float8 as object, start::float8 as start, size::float8 as size,
     pieces::float8 as pieces, checksum::float8 as checksum
   from blobs where id > $1 and object is not null and refs > 0 order by id limit $2`,
);
const THERE = statement('is blob there', 'select 1 from blobs where id = $1');

/**
 * Reads every body from the object storage and checks it. `tell` gets a sentence for each fault. A body that was
 * deleted meanwhile is no fault.
 */
export async function verifyObjects(
  driver: Driver,
  objects: StoredObjects,
  query: RunStatement,
  tell: (fault: string) => void,
): Promise<void> {
  // `query` reads an old snapshot. This second session sees which bodies were deleted since.
  let now: DatabaseConnection | null = null;
  try {
    for (let after = 0; ; ) {
      const page = await query(STORED, [after, PAGE]);
      for (const row of page) {
        const fault = await faultOf(objects, row);
        if (fault === null) continue;
        now ??= await driver.connect('copy');
        if ((await now.query(THERE, [numberColumn(row, 'id')])).length > 0)
          tell(`body ${numberColumn(row, 'id')}: ${fault}`);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = numberColumn(last, 'id');
    }
  } finally {
    await now?.close();
  }
}

async function faultOf(objects: StoredObjects, row: DatabaseRow): Promise<string | null> {
  const [object, start, size] = [numberColumn(row, 'object'), numberColumn(row, 'start'), numberColumn(row, 'size')];
  const stored = { object, start, size, pieces: numberColumn(row, 'pieces'), checksum: numberColumn(row, 'checksum') };
  try {
    const pieces = objects.stream(stored);
    while ((await pieces.next()).done !== true);
    return null;
  } catch (error) {
    if (error instanceof ObjectMissing || error instanceof BodyDamaged) return error.message;
    throw error;
  }
}

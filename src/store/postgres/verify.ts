import { ObjectMissing } from '../../ports/storage.ts';
import { BLOB_TABLES, blobsOf, type Put, TABLES, type TableName } from '../tables/state.ts';
import { blobIdOf } from './bodies.ts';
import {
  type DatabaseConnection,
  type DatabaseRow,
  type Driver,
  numberColumn,
  type RunStatement,
  says,
  statement,
  textColumn,
} from './connection.ts';
import { openDatabaseSource, type SourceOptions } from './copy-ends.ts';
import { serversOf } from './listener.ts';
import { BodyDamaged, STORED_COLUMNS, type StoredObjects, storedBlob } from './objects.ts';

/** The result of a verification: counts of the store's content, and a sentence for each fault. */
export interface VerifiedDatabase {
  readonly faults: readonly string[];
  readonly messages: number;
  readonly mailboxes: number;
  readonly capturedRequests: number;
  readonly bodies: number;
  readonly bytes: number;
  /** The number of servers that use the store now. */
  readonly servers: number;
  /** Tells whether PostgreSQL has checksums for its own pages. */
  readonly hasChecksums: boolean;
}

/** The maximum number of faults to report. */
const MOST = 100;

// The hash makes PostgreSQL read and decompress each body in full.
const READ_ALL = statement(
  'read all bodies',
  `select count(md5(bytes))::float8 as whole, (select count(md5(bytes)) from blob_parts)::float8 as parts,
     (select count(*) from blobs)::float8 as bodies from blobs`,
);
const SIZES = statement(
  'sizes of bodies',
  `select id::float8 as id, coalesce(size, octet_length(bytes),
     (select sum(octet_length(part.bytes)) from blob_parts as part where part.blob = blobs.id), -1)::float8 as size
   from blobs where id = any ($1::bigint[])`,
);
/** A check of the database: the statement that finds faults, and the sentence for each of its rows. */
interface Check {
  readonly name: string;
  readonly sql: string;
  readonly fault: (row: DatabaseRow) => string;
}

const CHECKS: readonly Check[] = [
  {
    name: 'count references',
    sql: `with used as (
     select blob, count(*) as refs from (
       ${BLOB_TABLES.map((table) => `select unnest(blobs) as blob from ${table}`).join(' union all ')}) as each
     group by blob)
   select coalesce(used.blob, blobs.id)::text as blob, coalesce(used.refs, 0)::float8 as used,
     coalesce(blobs.refs, -1)::float8 as counted
   from used full join blobs on blobs.id = used.blob
   where blobs.refs is distinct from coalesce(used.refs, 0) and
     not exists (select 1 from loose_blobs where loose_blobs.id = blobs.id) limit $1`,
    fault: (row) => {
      const counted = numberColumn(row, 'counted');
      const said = counted < 0 ? 'is not there' : `counts ${counted}`;
      return `body ${textColumn(row, 'blob')} ${said}, and ${numberColumn(row, 'used')} rows refer to it`;
    },
  },
  {
    name: 'check counts',
    sql: `with real as (select mailbox_id, count(*) as messages, sum(size_bytes) as bytes,
            count(*) filter (where unread) as unread from messages group by mailbox_id),
   said as (select id, (row::json->>'messages')::bigint as messages, (row::json->>'bytes')::float8 as bytes,
              (row::json->>'unread')::bigint as unread
            from small_rows where kind = 'stored' and row is not null)
   select coalesce(real.mailbox_id, said.id) as id, coalesce(real.messages, 0)::float8 as real,
     coalesce(said.messages, 0)::float8 as said
   from real full join said on said.id = real.mailbox_id
   where coalesce(real.messages, 0) <> coalesce(said.messages, 0)
      or coalesce(real.bytes, 0) <> coalesce(said.bytes, 0)
      or coalesce(real.unread, 0) <> coalesce(said.unread, 0) limit $1`,
    fault: (row) =>
      `mailbox ${textColumn(row, 'id')} has ${numberColumn(row, 'real')} messages, and its count says ${numberColumn(row, 'said')}, or the counted bytes or unread messages are wrong`,
  },
  {
    name: 'check tags',
    sql: `with real as (select lower(tag) as tag, count(*) as count
            from messages, json_array_elements_text(messages.tags::json) as tag group by lower(tag)),
   said as (select lower(row::json->>'name') as tag, sum((row::json->>'count')::bigint) as count
            from small_rows where kind = 'tagged' and row is not null group by lower(row::json->>'name'))
   select coalesce(real.tag, said.tag) as tag, coalesce(real.count, 0)::float8 as real, coalesce(said.count, 0)::float8 as said
   from real full join said on said.tag = real.tag
   where coalesce(real.count, 0) <> coalesce(said.count, 0) limit $1`,
    fault: (row) =>
      `${numberColumn(row, 'real')} messages have the tag ${textColumn(row, 'tag')}, and its count says ${numberColumn(row, 'said')}`,
  },
  {
    name: 'newest of feed',
    sql: `select id from (select max(id) as id from messages union all select max(id) from requests
     union all select max(id) from events) as newest, head where id > last_id limit $1`,
    fault: (row) => `${textColumn(row, 'id')} is newer than the newest id of the feed on record`,
  },
  {
    name: 'texts without message',
    sql: `select id from message_texts where not exists (select from messages where messages.id = message_texts.id)
   order by id limit $1`,
    fault: (row) => `there is a prepared text of message ${textColumn(row, 'id')}, which is not there`,
  },
  {
    name: 'messages that lost their text',
    sql: `select id from messages where id <= (select up_to from text_progress)
     and not exists (select from message_texts where message_texts.id = messages.id) order by id limit $1`,
    fault: (row) => `message ${textColumn(row, 'id')} has no prepared text, and the progress says that it has one`,
  },
];

const CHECKSUMS = statement('checksums', "select current_setting('data_checksums') = 'on' as yes");

/**
 * Verifies one snapshot of a store in a database: every row, every reference and every count, and that every byte can
 * be read. It changes nothing, and servers may run meanwhile.
 *
 * @throws DatabaseRefused if there is no store, or if its schema has another version.
 */
export async function verifyDatabase(
  driver: Driver,
  schema: string,
  openStorage: SourceOptions['openStorage'],
): Promise<VerifiedDatabase> {
  const { end, close } = await openDatabaseSource(driver, schema, { isAlone: false, openStorage });
  try {
    const { query } = end.connection;
    const faults: string[] = [];
    const tell = (fault: string) => {
      if (faults.length < MOST) faults.push(fault);
    };
    const rows = new Map<TableName, number>();
    const ids = new Map<TableName, Set<string>>();
    let bytes = 0;
    for (const table of TABLES) {
      const known = new Set<string>();
      let count = 0;
      let page: Put[] = [];
      const check = async () => {
        bytes += await checkBodies(end.connection, page, tell);
        page = [];
      };
      for await (const put of end.rows(table)) {
        count += 1;
        if (table === 'mailboxes' || table === 'webhooks' || table === 'workspaces') known.add(put[2].id);
        checkOwner(put, ids, tell);
        if (blobsOf(put).length > 0) page.push(put);
        if (page.length >= 200) await check();
      }
      await check();
      rows.set(table, count);
      ids.set(table, known);
    }
    for (const { name, sql, fault } of CHECKS)
      for (const row of await query(statement(name, sql), [MOST])) tell(fault(row));
    if (end.objects !== null) await verifyObjects(driver, end.objects, query, tell);
    const [all] = await query(READ_ALL);
    return {
      faults,
      messages: rows.get('messages') ?? 0,
      mailboxes: rows.get('mailboxes') ?? 0,
      capturedRequests: rows.get('requests') ?? 0,
      bodies: numberColumn(all, 'bodies'),
      bytes,
      servers: await serversOf(query, schema),
      hasChecksums: await says(query, CHECKSUMS),
    };
  } finally {
    await close();
  }
}

/** Checks that the bodies of rows are as long as their references say. Returns the sum of their bytes. */
async function checkBodies(
  connection: DatabaseConnection,
  puts: readonly Put[],
  tell: (fault: string) => void,
): Promise<number> {
  const refs = puts.flatMap((put) => blobsOf(put).map((ref) => ({ put, ref })));
  if (refs.length === 0) return 0;
  const found = await connection.query(SIZES, [refs.map(({ ref }) => blobIdOf(ref))]);
  const sizes = new Map(found.map((row) => [numberColumn(row, 'id'), numberColumn(row, 'size')]));
  let sum = 0;
  for (const { put, ref } of refs) {
    const size = sizes.get(blobIdOf(ref));
    const said = Number(ref.slice(ref.indexOf('.') + 1));
    if (size !== said) tell(`${put[1]} ${put[2].id} refers to ${said} bytes, and ${size ?? 0} are there`);
    sum += said;
  }
  return sum;
}

/** Checks that the owner of a row exists. `ids` holds the ids of the tables that were read before. */
function checkOwner(
  [, table, row]: Put,
  ids: ReadonlyMap<TableName, ReadonlySet<string>>,
  tell: (fault: string) => void,
): void {
  if (table === 'messages' && ids.get('mailboxes')?.has(row.mailboxId) !== true)
    tell(`message ${row.id} belongs to mailbox ${row.mailboxId}, which is not there`);
  if (table === 'requests' && ids.get('webhooks')?.has(row.webhookId) !== true)
    tell(`captured request ${row.id} belongs to webhook ${row.webhookId}, which is not there`);
  if (table === 'mailboxes' && ids.get('workspaces')?.has(row.workspaceId) !== true)
    tell(`mailbox ${row.id} belongs to workspace ${row.workspaceId}, which is not there`);
}

/** The number of rows of one query. */
const PAGE = 1_000;

const STORED = statement(
  'stored blobs by id',
  `select id::float8 as id, ${STORED_COLUMNS} from blobs where id > $1 and object is not null and refs > 0 order by id limit $2`,
);
const THERE = statement('is blob there', 'select 1 from blobs where id = $1');

/**
 * Reads every body from the object storage and checks it. `tell` gets a sentence for each fault. A body that was
 * deleted meanwhile is no fault.
 */
async function verifyObjects(
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
  try {
    const pieces = objects.stream(storedBlob(row));
    while ((await pieces.next()).done !== true);
    return null;
  } catch (error) {
    if (error instanceof ObjectMissing || error instanceof BodyDamaged) return error.message;
    throw error;
  }
}

import {
  codeOf,
  type DatabaseConnection,
  DatabaseRefused,
  numberColumn,
  says,
  statement,
  textColumn,
  UNLOCK,
} from './connection.ts';

const LOCK = statement('lock migrations', 'select pg_advisory_lock(hashtextextended($1, 0))');
const ENCODING = statement('encoding', "select current_setting('server_encoding') as encoding");
const TABLE = statement('find migrations', "select to_regclass('migrations') is not null as yes");
const NEWEST = statement('newest migration', 'select coalesce(max(number), 0)::float8 as number from migrations');
const RECORD = statement('record migration', 'insert into migrations (number) values ($1)');

/**
 * The time in milliseconds that a migration waits for the lock of a table before it rolls back and starts again. It is
 * shorter than PostgreSQL's `deadlock_timeout`, so that a deadlock never makes a running server refuse mail.
 */
const GIVE_WAY_MS = 500;
const PAUSE = statement('pause a migration', 'select pg_sleep(0.1)');
/** The maximum number of attempts to run a migration. If all fail, another session holds a table permanently. */
const MOST_TRIES = 120;
const GAVE_WAY = new Set(['55P03', '40P01']);

/**
 * Brings the schema to the newest version. Servers that start at the same time migrate one after the other.
 *
 * @throws DatabaseRefused if the schema is newer than this program, or if the database's encoding is not UTF8.
 */
export async function migrate(
  connection: DatabaseConnection,
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const [encoding] = await connection.query(ENCODING);
  if (textColumn(encoding, 'encoding') !== 'UTF8')
    throw new DatabaseRefused(
      `the database's encoding is ${textColumn(encoding, 'encoding')}: create one with the encoding UTF8.`,
    );
  await oneAtATime(connection, schema, async () => {
    if (!(await says(connection.query, TABLE)))
      await connection.script(
        `create schema if not exists "${schema}"; create table if not exists "${schema}".migrations (number integer primary key, at timestamptz not null default now())`,
      );
    const current = await knownVersion(connection, migrations);
    for (const migration of migrations) if (migration.number > current) await run(connection, migration);
  });
}

/** Runs `act` under the lock of migrations, so that servers that start at the same time run it one after the other. */
export async function oneAtATime<T>(connection: DatabaseConnection, schema: string, act: () => Promise<T>): Promise<T> {
  const lock = `mailcap ${schema} migrations`;
  await connection.query(LOCK, [lock]);
  try {
    return await act();
  } finally {
    // If the session has ended, it has released the lock already.
    if (connection.isOpen) await connection.query(UNLOCK, [lock]);
  }
}

/** Runs one migration. If running servers hold its tables, it rolls back and tries again. */
async function run(connection: DatabaseConnection, { number, script }: Migration): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.script(`begin; set local lock_timeout to '${GIVE_WAY_MS}ms'`);
      await connection.script(script);
      await connection.query(RECORD, [number]);
      await connection.script('commit');
      return;
    } catch (error) {
      if (connection.isOpen) await connection.script('rollback');
      if (!GAVE_WAY.has(codeOf(error) ?? '') || tries === MOST_TRIES) throw error;
      await connection.query(PAUSE);
    }
  }
}

/**
 * Returns the version of an existing schema.
 *
 * @throws DatabaseRefused if it is newer than this program.
 */
export async function knownVersion(connection: DatabaseConnection, migrations: readonly Migration[]): Promise<number> {
  const [newest] = await connection.query(NEWEST);
  const current = numberColumn(newest, 'number');
  const ours = newestVersion(migrations);
  if (current > ours)
    throw new DatabaseRefused(
      `the database has version ${current} of mailcap's schema, and this mailcap knows ${ours}: update mailcap.`,
    );
  return current;
}

/** Returns the version of the schema after all migrations. */
export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}

/** A step of the schema. It runs once, in the order of its number, and is never changed after a release. */
export interface Migration {
  readonly number: number;
  readonly script: string;
}

// Ids are compared byte by byte, as JavaScript compares them. Rows are JSON in `text`, because `jsonb` refuses the
// character NUL, which a subject may hold.

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    script: `
      create table counters (
        name text primary key,
        value bigint not null
      );

      create table head (
        one boolean primary key default true check (one),
        epoch bigint not null default 0,
        last_id text collate "C" not null default '',
        pruned bigint not null default 0
      );
      insert into head default values;

      create table commits (
        server bigint primary key,
        number bigint not null,
        at timestamptz not null default now()
      );

      create table leader (
        one boolean primary key default true check (one),
        server bigint not null,
        process integer not null,
        until timestamptz not null
      );

      create table secrets (
        name text primary key,
        value text not null
      );

      create table small_rows (
        kind text collate "C" not null,
        id text collate "C" not null,
        epoch bigint not null,
        row text,
        primary key (kind, id)
      );
      create index small_rows_by_epoch on small_rows (epoch);

      create table messages (
        id text collate "C" primary key,
        mailbox_id text collate "C" not null,
        received_at double precision not null,
        size_bytes double precision not null,
        unread boolean not null,
        -- A JSON list, or null if there are none.
        tags text,
        blobs bigint[] not null,
        row text not null,
        is_sms boolean not null default false
      );
      create index messages_by_mailbox on messages (mailbox_id, id);
      -- A list of emails reads no text message, and the other way round.
      create index messages_emails on messages (mailbox_id, id) where not is_sms;
      create index messages_sms on messages (mailbox_id, id) where is_sms;

      -- The texts of messages that searches read, each text on a line of its own. If a row is not whole, searches read the
      -- mail. Large texts stay in their row as long as it fits a page: a search that reads many rows takes half the time.
      create table message_texts (
        id text collate "C" primary key,
        mailbox_id text collate "C" not null,
        workspace_id text collate "C" not null,
        is_whole boolean not null,
        has_code boolean not null,
        has_link boolean not null,
        has_inline boolean not null,
        has_html boolean not null,
        from_texts text collate "C",
        to_texts text collate "C",
        cc_texts text collate "C",
        bcc_texts text collate "C",
        reply_to_texts text collate "C",
        envelope_texts text collate "C",
        subject_texts text collate "C",
        message_id_texts text collate "C",
        body_texts text collate "C",
        filename_texts text collate "C",
        header_texts text collate "C",
        thread_texts text collate "C",
        head_texts text collate "C" not null generated always as (
          coalesce(from_texts || chr(10), '') ||
          coalesce(to_texts || chr(10), '') ||
          coalesce(cc_texts || chr(10), '') ||
          coalesce(bcc_texts || chr(10), '') ||
          coalesce(reply_to_texts || chr(10), '') ||
          coalesce(envelope_texts || chr(10), '') ||
          coalesce(subject_texts || chr(10), '') ||
          coalesce(message_id_texts || chr(10), '') ||
          coalesce(filename_texts || chr(10), '') ||
          coalesce(thread_texts || chr(10), '')) stored
      );
      alter table message_texts alter column body_texts set storage main;
      alter table message_texts alter column header_texts set storage main;
      create index message_texts_by_mailbox on message_texts (mailbox_id, id);
      create index message_texts_by_workspace on message_texts (workspace_id, id);
      create index message_texts_not_whole on message_texts (id) where not is_whole;
      -- Few messages may have one of these facts. A search finds them without reading the others.
      create index message_texts_with_code on message_texts (id) where has_code;
      create index message_texts_with_link on message_texts (id) where has_link;
      create index message_texts_with_inline on message_texts (id) where has_inline;
      create index message_texts_with_html on message_texts (id) where has_html;

      -- Every message up to this id has its texts.
      create table text_progress (
        one boolean primary key default true check (one),
        up_to text collate "C" not null default ''
      );
      insert into text_progress default values;

      -- A trigger sees texts that were added while the removal waited for the row of their message.
      create function forget_texts() returns trigger language plpgsql set search_path from current as $$ begin
        delete from message_texts using gone where message_texts.id = gone.id;
        return null;
      end $$;
      create trigger forgotten after delete on messages
        referencing old table as gone for each statement execute function forget_texts();

      -- held_bytes is what a captured request counts against the quotas.
      create table requests (
        id text collate "C" primary key,
        webhook_id text collate "C" not null,
        received_at double precision not null,
        pending boolean not null,
        held_bytes double precision not null,
        blobs bigint[] not null,
        row text not null
      );
      create index requests_by_webhook on requests (webhook_id, id);
      create index requests_pending on requests (id) where pending;

      create table sends (
        id text collate "C" primary key,
        workspace_id text collate "C" not null,
        mailbox_id text collate "C" not null,
        created_at double precision not null,
        pending boolean not null,
        blobs bigint[] not null,
        row text not null
      );
      create index sends_by_workspace on sends (workspace_id, id);
      create index sends_by_mailbox on sends (mailbox_id, id);
      create index sends_pending on sends (id) where pending;

      create table events (
        id text collate "C" primary key,
        type text collate "C" not null,
        mailbox_id text collate "C",
        row text not null
      );
      create index events_by_mailbox on events (mailbox_id, id);

      create table idempotency (
        id text collate "C" primary key,
        created_at double precision not null,
        row text not null
      );
      create index idempotency_by_time on idempotency (created_at);

      -- The bytes of a blob are in its row, in parts, or in an object storage. A trigger records the object of each
      -- removed blob, and a sweep removes the object later if no row uses it.
      create table blobs (
        id bigint primary key,
        refs integer not null,
        bytes bytea,
        object bigint,
        start integer,
        size integer,
        pieces integer,
        checksum bigint
      );
      create table blob_parts (
        blob bigint not null references blobs on delete cascade,
        part integer not null,
        bytes bytea not null,
        primary key (blob, part)
      );
      create table loose_blobs (
        id bigint primary key references blobs on delete cascade,
        since timestamptz not null default now()
      );
      do $$ begin
        if (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') then
          alter table blobs alter column bytes set compression lz4;
          alter table blob_parts alter column bytes set compression lz4;
          alter table message_texts alter column body_texts set compression lz4;
          alter table message_texts alter column header_texts set compression lz4;
        end if;
      end $$;

      create table object_storage (
        one boolean primary key default true check (one),
        store text not null,
        url text not null
      );

      create table emptied_objects (
        object bigint not null,
        pieces integer not null,
        at timestamptz not null default now()
      );
      create index emptied_objects_by_object on emptied_objects (object);

      create table dead_objects (
        object bigint primary key,
        pieces integer not null,
        erased boolean not null default false,
        at timestamptz not null default now()
      );
      create index dead_objects_to_erase on dead_objects (object) where not erased;

      create function require_alive(wanted bigint[]) returns void language plpgsql set search_path from current as $$ begin
        if exists (select 1 from dead_objects where object = any (wanted)) then
          raise exception 'an object was removed before a row came to refer to it' using errcode = '55000';
        end if;
      end $$;

      create function note_emptied() returns trigger language plpgsql set search_path from current as $$ begin
        insert into emptied_objects (object, pieces) values (old.object, old.pieces);
        return null;
      end $$;
      create trigger emptied after delete on blobs
        for each row when (old.object is not null) execute function note_emptied();

      -- Fault rules come and go one by one. The version counts these changes, and gives each added rule its own position.
      create table fault_set (
        one boolean primary key default true check (one),
        current bigint not null default 0,
        version bigint not null default 0
      );
      insert into fault_set default values;
      create table faults (
        set bigint not null,
        position integer not null,
        times double precision,
        applied bigint not null default 0,
        row text not null,
        primary key (set, position)
      );

      -- A crash of the database empties unlogged tables, so they hold nothing that must survive one.
      create unlogged table rate_windows (
        id text collate "C" primary key,
        opened_at double precision not null,
        used integer not null,
        clock_offset double precision not null,
        touched_at timestamptz not null default now()
      );

      create unlogged table smtp_journal (
        kind text collate "C" not null,
        server bigint not null,
        slot integer not null,
        number bigint not null,
        at double precision not null,
        row text not null,
        primary key (kind, server, slot)
      );

      create unlogged table views (
        token text collate "C" primary key,
        expires_at double precision not null,
        row text not null
      );
      create index views_by_expiry on views (expires_at);

      create unlogged table answers (
        asker bigint not null,
        number bigint not null,
        server bigint not null,
        row text not null,
        at timestamptz not null default now()
      );
    `,
  },
];

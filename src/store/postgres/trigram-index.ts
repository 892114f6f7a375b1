import type { Log } from '../../ports/system.ts';
import {
  codeOf,
  type DatabaseConnection,
  type Driver,
  type RunStatement,
  says,
  statement,
  textColumn,
} from './connection.ts';
import { oneAtATime } from './migrations.ts';

/** The index by which searches find prepared texts. */
export const INDEX = 'message_texts_trigrams';

const FIND_INDEX = statement(
  'find trigram index',
  'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
);
const FIND_EXTENSION = statement(
  'find trigrams',
  "select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm'",
);
const HAS_TEXTS = statement('has texts', 'select exists (select from message_texts) as yes');

/** The characters that a searched text must have in a row, so that the index can find it. */
const ASCII_LETTERS = /[a-z0-9]{3}/;
const LETTERS = /[\p{L}\p{N}]{3}/u;

/** The index by trigrams of a store, as searches use it. */
export interface TrigramIndex {
  /** Matches a text that the index can find. */
  readonly letters: RegExp;
}

/**
 * Finds or creates the index by trigrams. It returns `later` if there are texts already; {@link buildIndex} then builds
 * it beside the running servers. Null means that the database refuses the extension, so searches read every text.
 */
export async function openIndex(
  connection: DatabaseConnection,
  schema: string,
  log: Log,
): Promise<TrigramIndex | 'later' | null> {
  return oneAtATime(connection, schema, async () => {
    const [index] = await connection.query(FIND_INDEX, [INDEX]);
    if (index?.['valid'] === true) return describeIndex(connection.query);
    if (!(await hasExtension(connection, log))) return null;
    if (index !== undefined || (await says(connection.query, HAS_TEXTS))) return 'later';
    await connection.script(await creation(connection.query, ''));
    return describeIndex(connection.query);
  });
}

/** Builds the index while servers use the store. It may take a minute for 100,000 messages. */
export async function buildIndex(driver: Driver, schema: string, log: Log): Promise<TrigramIndex | null> {
  const connection = await driver.connect('index');
  try {
    return await oneAtATime(connection, `${schema} index`, async () => {
      const [index] = await connection.query(FIND_INDEX, [INDEX]);
      if (index?.['valid'] !== true) {
        log.info('the database builds the index of the search; until then a search reads every text');
        // What an interrupted build leaves is no index.
        await connection.script(`drop index if exists ${INDEX}`);
        await connection.script(await creation(connection.query, 'concurrently'));
      }
      return describeIndex(connection.query);
    });
  } finally {
    if (connection.isOpen) await connection.close();
  }
}

/** Makes sure that the database has the extension. Returns false if the database refuses it. */
async function hasExtension(connection: DatabaseConnection, log: Log): Promise<boolean> {
  try {
    // The schemas of several stores share the extension, so it is in none of them.
    await connection.script('create extension if not exists pg_trgm with schema public');
  } catch (error) {
    // Another store may have created it in the same moment.
    if ((await connection.query(FIND_EXTENSION)).length > 0) return true;
    log.warn(
      'the database refuses the extension pg_trgm, so a search reads every prepared text: let a superuser run "create extension pg_trgm", and start mailcap again',
      { code: codeOf(error), error },
    );
    return false;
  }
  return true;
}

async function creation(query: RunStatement, how: '' | 'concurrently'): Promise<string> {
  const [extension] = await query(FIND_EXTENSION);
  const ops = `"${textColumn(extension, 'schema')}".gin_trgm_ops`;
  // New entries wait in a list, which the server merges after each insertion. To insert each at once costs four times as
  // much. The limit keeps the insertion itself, which locks rows of messages, from merging.
  return `create index ${how} ${INDEX} on message_texts using gin (head_texts ${ops}, body_texts ${ops}, header_texts ${ops})
    with (fastupdate = on, gin_pending_list_limit = 65536)`;
}

/** Asks the database which characters have trigrams. With the locale C, only those of ASCII have. */
async function describeIndex(query: RunStatement): Promise<TrigramIndex> {
  const [extension] = await query(FIND_EXTENSION);
  const text = `select "${textColumn(extension, 'schema')}".show_trgm($1) <> '{}' as yes`;
  return { letters: (await says(query, { name: '', text }, ['äöü日本語'])) ? LETTERS : ASCII_LETTERS };
}

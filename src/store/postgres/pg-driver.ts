import type { Client, ClientConfig } from 'pg';
import type { DatabaseConnection, DatabaseRow, Driver, StatementValue } from './connection.ts';
import { DatabaseRefused } from './database-refused.ts';

/** The time in milliseconds that a session may take to open. */
const CONNECT_MS = 5_000;
/** After this many milliseconds without a statement, the database ends a transaction. A stopped server thus holds no lock. */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * Creates the driver of a database by its URL. It loads the package `pg`. `name` is what people read.
 *
 * @throws DatabaseRefused if the package is missing.
 */
export async function pgDriver(url: string, schema: string, name: string): Promise<Driver> {
  const pg = await import('pg').catch((error: unknown) => {
    throw new DatabaseRefused(
      'a store on PostgreSQL needs the package pg: install it beside mailcap with `npm i pg`.',
      {
        cause: error,
      },
    );
  });
  const settings: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
  };
  return {
    name,
    connect: async (role) => {
      const client = new pg.default.Client({ ...settings, application_name: `mailcap ${role} ${schema}` });
      const connection = new PgConnection(client);
      try {
        await client.connect();
        await connection.setUp(
          `set search_path to "${schema}"; set client_encoding to 'UTF8'; set default_transaction_isolation to 'read committed';` +
            // Every statement takes a few rows by an index. PostgreSQL would compile some, which takes milliseconds at each
            // use, and keep plans for small tables that read all of a table, and its dead rows, once it has grown.
            ' set jit to off; set enable_seqscan to off;' +
            // It would plan some statements anew at each use, because it takes their arrays for longer than they are.
            ' set plan_cache_mode to force_generic_plan;' +
            // A commit that is answered must be on the disk.
            " select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';",
        );
        await checkSession(connection);
      } catch (error) {
        connection.destroy();
        throw error;
      }
      return connection;
    },
  };
}

const LIMIT = `select current_setting('idle_in_transaction_session_timeout')::interval = '${IDLE_IN_TRANSACTION_MS} ms'::interval as kept`;

/**
 * Checks that the session has what it was opened with. A pooler may leave that out without a word, and then a server that
 * hangs would hold up all others.
 *
 * @throws DatabaseRefused if it has not.
 */
async function checkSession(connection: PgConnection): Promise<void> {
  const [row] = await connection.setUp(LIMIT);
  if (row?.['kept'] === true) return;
  throw new DatabaseRefused(
    'a pooler before the database leaves out idle_in_transaction_session_timeout: give --store a direct connection.',
  );
}

class PgConnection implements DatabaseConnection {
  readonly #client: Client;
  readonly #ends = new Set<() => void>();
  #open = true;

  constructor(client: Client) {
    this.#client = client;
    // A lost connection is told by both. Without a listener, `error` would end the process.
    client.on('error', () => this.#ended());
    client.on('end', () => this.#ended());
  }

  readonly query: DatabaseConnection['query'] = async ({ name, text }, values = []) => {
    const { rows } = await this.#client.query<DatabaseRow>({ name, text, values: values.map(sent) });
    return rows;
  };

  /** Runs statements that must be answered in the time that a session may take to open. */
  async setUp(text: string): Promise<readonly DatabaseRow[]> {
    // `connectionTimeoutMillis` ends with the greeting. The types lack this setting, which the package has for a query too.
    const limited = { text, query_timeout: CONNECT_MS };
    return (await this.#client.query<DatabaseRow>(limited)).rows;
  }

  async script(text: string): Promise<void> {
    await this.#client.query(text);
  }

  together<T>(act: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return act();
    } finally {
      stream.uncork();
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  onEnd(act: () => void): void {
    if (this.#open) this.#ends.add(act);
    else act();
  }

  onNotification(act: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => act(payload ?? ''));
  }

  async close(): Promise<void> {
    if (this.#open) await this.#client.end();
  }

  destroy(): void {
    this.#client.connection.stream.destroy();
    this.#ended();
  }

  #ended(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const act of this.#ends) act();
  }
}

function sent(value: StatementValue): unknown {
  if (Array.isArray(value)) return arrayOf(value);
  return value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
}

/**
 * Writes an array as PostgreSQL reads it. The package takes 2 µs for each character that it escapes: a client could hold
 * up the server, and the lock, with a text of quotation marks.
 */
export function arrayOf(values: readonly (string | number | boolean | null)[]): string {
  const written = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? quoted(value) : String(value);
  });
  return `{${written.join(',')}}`;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

function quoted(text: string): string {
  const bytes = Buffer.from(text);
  const out = Buffer.allocUnsafe(2 * bytes.length + 2);
  let at = 0;
  out[at++] = QUOTE;
  for (const byte of bytes) {
    if (byte === QUOTE || byte === BACKSLASH) out[at++] = BACKSLASH;
    out[at++] = byte;
  }
  out[at++] = QUOTE;
  return out.toString('utf8', 0, at);
}

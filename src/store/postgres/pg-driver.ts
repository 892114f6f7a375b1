import type { Client, ClientConfig } from 'pg';
import {
  type DatabaseConnection,
  DatabaseRefused,
  type DatabaseRow,
  type Driver,
  type StatementValue,
} from './connection.ts';

/** The time limit in milliseconds to open a session. */
const CONNECT_MS = 5_000;
/**
 * The database ends a session that has an open transaction and sends no statement for this many milliseconds. So a
 * server that hangs loses the lock.
 */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * Creates the driver for the database at a URL, with the package `pg`. `name` is shown to people.
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
            // Every statement reads a few rows by an index. With JIT, PostgreSQL would compile some statements, which
            // takes milliseconds at each use. With sequential scans, it would keep plans from when a table was small,
            // and read the whole table, with its dead rows, after it has grown.
            ' set jit to off; set enable_seqscan to off;' +
            // PostgreSQL would plan some statements again at each use, because it overestimates the length of their
            // arrays.
            ' set plan_cache_mode to force_generic_plan;' +
            // A commit must be on the disk before it is answered.
            " select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';",
        );
        // A pooler may silently drop the settings of a session, and then a server that hangs would keep the lock.
        const [limit] = await connection.setUp(LIMIT);
        if (limit?.['kept'] !== true)
          throw new DatabaseRefused(
            'a pooler before the database leaves out idle_in_transaction_session_timeout: give --store a direct connection.',
          );
      } catch (error) {
        connection.destroy();
        throw error;
      }
      return connection;
    },
  };
}

const LIMIT = `select current_setting('idle_in_transaction_session_timeout')::interval = '${IDLE_IN_TRANSACTION_MS} ms'::interval as kept`;

class PgConnection implements DatabaseConnection {
  readonly #client: Client;
  readonly #ends = new Set<() => void>();
  #open = true;

  constructor(client: Client) {
    this.#client = client;
    // A lost connection emits both events. Without a listener, `error` would end the process.
    client.on('error', () => this.#ended());
    client.on('end', () => this.#ended());
  }

  readonly query: DatabaseConnection['query'] = async ({ name, text }, values = []) => {
    const { rows } = await this.#client.query<DatabaseRow>({ name, text, values: values.map(sent) });
    return rows;
  };

  /** Runs statements with the time limit for opening a session. */
  async setUp(text: string): Promise<readonly DatabaseRow[]> {
    // `connectionTimeoutMillis` covers only the start of the session. The package takes `query_timeout` for a single
    // query too, but its types lack that.
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
 * Encodes an array as a PostgreSQL array literal. The package's own encoder takes 2 µs for each character that it
 * escapes, so a client could block the server, and the lock, with a text of quotation marks.
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

import type { Clock } from '../../ports/system.ts';
import {
  type DatabaseConnection,
  type Driver,
  isAnswer,
  numberColumn,
  type RunStatement,
  statement,
  storageTrouble,
  textColumn,
} from './connection.ts';

/** A database session that is opened when it is first needed, and opened again after it was lost. */
export class DatabaseSession {
  readonly #driver: Driver;
  readonly #role: string;
  #opening: Promise<DatabaseConnection> | null = null;
  #current: DatabaseConnection | null = null;
  #closed = false;
  running = 0;

  constructor(driver: Driver, role: string) {
    this.#driver = driver;
    this.#role = role;
  }

  get isOpen(): boolean {
    return this.#current !== null;
  }

  /** Returns the open session, or opens one. Rejects if that fails or the store is closed. */
  connection(): Promise<DatabaseConnection> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    if (this.#current !== null) return Promise.resolve(this.#current);
    this.#opening ??= this.#driver.connect(this.#role).then(
      async (connection) => {
        this.#opening = null;
        if (this.#closed) {
          await connection.close();
          throw new Error('the store is closed');
        }
        this.#current = connection;
        connection.onEnd(() => {
          if (this.#current === connection) this.#current = null;
        });
        if (!connection.isOpen) this.#current = null;
        return connection;
      },
      (error: unknown) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Ends the session at once. The next use opens a new one. */
  cut(): void {
    this.#current?.destroy();
    this.#current = null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {});
    await this.#current?.close();
  }
}

/** Several sessions for reads. A read uses the session with the fewest running statements. */
export class ReadSessions {
  readonly #sessions: readonly DatabaseSession[];

  constructor(driver: Driver, count: number) {
    this.#sessions = Array.from({ length: count }, () => new DatabaseSession(driver, 'reads'));
  }

  /** Runs a statement. Throws `disk_full` and `storage_unavailable` if the database fails. */
  readonly query: RunStatement = async (statement, values) => {
    const session = this.#idlest();
    session.running++;
    try {
      const connection = await session.connection();
      return await connection.query(statement, values);
    } catch (error) {
      throw storageTrouble(error);
    } finally {
      session.running--;
    }
  };

  cut(): void {
    for (const session of this.#sessions) session.cut();
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  #idlest(): DatabaseSession {
    let best: DatabaseSession | undefined;
    for (const session of this.#sessions) {
      if (best === undefined || session.running < best.running) best = session;
      // An open idle session is better than a new one.
      if (session.running === 0 && session.isOpen) return session;
    }
    if (best === undefined) throw new Error('no sessions');
    return best;
  }
}

const PROCESS = statement(
  'process',
  'select pid::float8 as pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()',
);
// A process counts as active, too, if it waits for the rest of a statement from the client. So that state is excluded.
const WORKS = statement(
  'is at work',
  `select 1 from pg_stat_activity
   where pid = $1::int and backend_start = $2::timestamptz and state = 'active' and wait_event is distinct from 'ClientRead'`,
);
const END = statement(
  'end process',
  'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1::int and backend_start = $2::timestamptz',
);

/** After this many milliseconds without an answer, another session checks the silent one. */
const SILENT_MS = 3_000;
/** A silent session then has this many milliseconds left, because an answer may be on its way. */
const ON_ITS_WAY_MS = 1_000;

/**
 * Watches the sessions of a driver. A broken connection may drop all data without reporting its end, so a caller would
 * wait for an answer forever. Therefore another session asks the database whether it still runs a statement of the
 * silent session. If it does not, the silent session is closed. Its process in the database is ended too, because it
 * may hold a lock and may not notice that the connection is broken. Statements have no time limit.
 */
export function watchConnections(driver: Driver, clock: Pick<Clock, 'after'>): Driver {
  return {
    name: driver.name,
    connect: async (role) => {
      const connection = await driver.connect(role);
      const watching = new ConnectionWatchdog(connection, clock, driver);
      try {
        await watching.start();
        return watching;
      } catch (error) {
        connection.destroy();
        throw error;
      }
    },
  };
}

/** A process of the database. A later process may have the same id, so the start time is needed too. */
interface Process {
  readonly pid: number;
  readonly since: string;
}

/** Tells whether a process of the database runs a statement. Returns false if the database can't be reached. */
async function isAtWork(driver: Driver, { pid, since }: Process): Promise<boolean> {
  try {
    return (await ask(driver, (connection) => connection.query(WORKS, [pid, since]))).length > 0;
  } catch (error) {
    // A database that refuses another session can be reached, so it may be running the statement.
    return isAnswer(error);
  }
}

/** Ends a process of the database, if it can be reached. */
async function end(driver: Driver, { pid, since }: Process): Promise<void> {
  await ask(driver, (connection) => connection.query(END, [pid, since])).catch(() => {});
}

async function ask<T>(driver: Driver, question: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
  const connection = await driver.connect('watch');
  try {
    return await question(connection);
  } finally {
    connection.destroy();
  }
}

class ConnectionWatchdog implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #driver: Driver;
  #process: Process = { pid: 0, since: '' };
  #waiting = 0;
  #answers = 0;
  #isWatching = false;

  constructor(inner: DatabaseConnection, clock: Pick<Clock, 'after'>, driver: Driver) {
    this.#inner = inner;
    this.#clock = clock;
    this.#driver = driver;
  }

  async start(): Promise<void> {
    // A pooler sends process ids of its own to its clients, so a query asks for the real one.
    const [row] = await this.#inner.query(PROCESS);
    this.#process = { pid: numberColumn(row, 'pid'), since: textColumn(row, 'since') };
  }

  readonly query: DatabaseConnection['query'] = (wanted, values) => this.#watch(this.#inner.query(wanted, values));

  script(text: string): Promise<void> {
    return this.#watch(this.#inner.script(text));
  }

  together<T>(act: () => T): T {
    return this.#inner.together(act);
  }

  get isOpen(): boolean {
    return this.#inner.isOpen;
  }

  onEnd(act: () => void): void {
    this.#inner.onEnd(act);
  }

  onNotification(act: (payload: string) => void): void {
    this.#inner.onNotification(act);
  }

  async close(): Promise<void> {
    const cancel = this.#clock.after(SILENT_MS, () => this.destroy());
    await this.#inner.close().finally(cancel);
  }

  destroy(): void {
    this.#inner.destroy();
  }

  #watch<T>(answer: Promise<T>): Promise<T> {
    this.#waiting++;
    const answered = () => {
      this.#waiting--;
      this.#answers++;
    };
    answer.then(answered, answered);
    if (!this.#isWatching) this.#lookLater(SILENT_MS, () => this.#ask());
    return answer;
  }

  /** Calls `act` after `ms` milliseconds without any answer, if an answer is still expected. */
  #lookLater(ms: number, act: () => void): void {
    this.#isWatching = true;
    const before = this.#answers;
    this.#clock.after(ms, () => {
      if (this.#waiting === 0 || !this.isOpen) this.#isWatching = false;
      else if (this.#answers > before) this.#lookLater(SILENT_MS, () => this.#ask());
      else act();
    });
  }

  #giveUp(): void {
    this.destroy();
    void end(this.#driver, this.#process);
  }

  #ask(): void {
    void isAtWork(this.#driver, this.#process).then((works) => {
      if (works) this.#lookLater(SILENT_MS, () => this.#ask());
      else this.#lookLater(ON_ITS_WAY_MS, () => this.#giveUp());
    });
  }
}

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
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
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

  async #open(): Promise<DatabaseConnection> {
    const connection = await this.#driver.connect(this.#role);
    if (this.#closed) {
      await connection.close();
      throw new Error('the store is closed');
    }
    this.#current = connection;
    connection.onEnd(() => {
      if (this.#current === connection) this.#current = null;
    });
    return connection;
  }
}

/** Returns several sessions for reads. A read uses the session with the fewest running statements. */
export function readSessions(driver: Driver, count: number) {
  const sessions = Array.from({ length: count }, () => new DatabaseSession(driver, 'reads'));
  const idlest = (): DatabaseSession => {
    let best: DatabaseSession | undefined;
    for (const session of sessions) {
      if (best === undefined || session.running < best.running) best = session;
      // An open idle session is better than a new one.
      if (session.running === 0 && session.isOpen) return session;
    }
    if (best === undefined) throw new Error('no sessions');
    return best;
  };
  /** Runs a statement. Throws `disk_full` and `storage_unavailable` if the database fails. */
  const query: RunStatement = async (statement, values) => {
    const session = idlest();
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
  return {
    query,
    cut: () => {
      for (const session of sessions) session.cut();
    },
    close: () => Promise.all(sessions.map((session) => session.close())),
  };
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
      try {
        // A pooler sends process ids of its own to its clients, so a query asks for the real one.
        const [row] = await connection.query(PROCESS);
        const process = { pid: numberColumn(row, 'pid'), since: textColumn(row, 'since') };
        return watched(connection, process, driver, clock);
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

function watched(
  connection: DatabaseConnection,
  process: Process,
  driver: Driver,
  clock: Pick<Clock, 'after'>,
): DatabaseConnection {
  let [waiting, answers] = [0, 0];
  let isWatching = false;
  const watch = <T>(answer: Promise<T>): Promise<T> => {
    waiting++;
    const answered = () => {
      waiting--;
      answers++;
    };
    answer.then(answered, answered);
    if (!isWatching) lookLater(SILENT_MS, check);
    return answer;
  };
  /** Calls `act` after `ms` milliseconds without any answer, if an answer is still expected. */
  const lookLater = (ms: number, act: () => void): void => {
    isWatching = true;
    const before = answers;
    clock.after(ms, () => {
      if (waiting === 0 || !connection.isOpen) isWatching = false;
      else if (answers > before) lookLater(SILENT_MS, check);
      else act();
    });
  };
  const check = (): void => {
    void isAtWork(driver, process).then((works) => {
      if (works) lookLater(SILENT_MS, check);
      else lookLater(ON_ITS_WAY_MS, giveUp);
    });
  };
  const giveUp = (): void => {
    connection.destroy();
    void end(driver, process);
  };
  return {
    query: (wanted, values) => watch(connection.query(wanted, values)),
    script: (text) => watch(connection.script(text)),
    together: (act) => connection.together(act),
    get isOpen() {
      return connection.isOpen;
    },
    onEnd: (act) => connection.onEnd(act),
    onNotification: (act) => connection.onNotification(act),
    close: () => connection.close().finally(clock.after(SILENT_MS, () => connection.destroy())),
    destroy: () => connection.destroy(),
  };
}

import type { Clock } from '../../ports/clock.ts';
import { type Connection, type Driver, numberOf, statement } from './connection.ts';
import { isAnswer } from './trouble.ts';

const PROCESS = statement('process', 'select pg_backend_pid()::float8 as pid');
const WORKS = statement('is at work', "select 1 from pg_stat_activity where pid = $1::int and state = 'active'");

/** A session that says nothing for this many milliseconds is asked about. */
const SILENT_MS = 3_000;
/** An answer may be on its way for this many milliseconds. */
const ON_ITS_WAY_MS = 1_000;

/**
 * Watches the sessions of a driver. A connection may swallow everything and tell no end, and whoever waits for an answer
 * would wait for good. So another session asks the database whether it still works for the silent one; if it does not,
 * the silent one is cut. A statement may take as long as it takes.
 */
export function watched(driver: Driver, clock: Pick<Clock, 'after'>): Driver {
  return {
    name: driver.name,
    connect: async (role) => {
      const connection = await driver.connect(role);
      const watching = new WatchedConnection(connection, clock, (pid) => isAtWork(driver, pid));
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

/** Tells whether a process of the database works on a statement. A database that can't be reached does not. */
async function isAtWork(driver: Driver, pid: number): Promise<boolean> {
  let connection: Connection | null = null;
  try {
    connection = await driver.connect('watch');
    return (await connection.query(WORKS, [pid])).length > 0;
  } catch (error) {
    // A database that refuses another session is there, and may be at work.
    return isAnswer(error);
  } finally {
    connection?.destroy();
  }
}

class WatchedConnection implements Connection {
  readonly #inner: Connection;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #isAtWork: (pid: number) => Promise<boolean>;
  #pid = 0;
  #waiting = 0;
  #answers = 0;
  #isWatching = false;

  constructor(inner: Connection, clock: Pick<Clock, 'after'>, isAtWorkFor: (pid: number) => Promise<boolean>) {
    this.#inner = inner;
    this.#clock = clock;
    this.#isAtWork = isAtWorkFor;
  }

  async start(): Promise<void> {
    // A pooler gives numbers of its own to its clients, so the session itself is asked.
    const [row] = await this.#inner.query(PROCESS);
    this.#pid = numberOf(row, 'pid');
  }

  readonly query: Connection['query'] = (wanted, values) => this.#watch(this.#inner.query(wanted, values));

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

  /** Acts after a time in which nothing was answered, if something is waited for. */
  #lookLater(ms: number, act: () => void): void {
    this.#isWatching = true;
    const before = this.#answers;
    this.#clock.after(ms, () => {
      if (this.#waiting === 0 || !this.isOpen) this.#isWatching = false;
      else if (this.#answers > before) this.#lookLater(SILENT_MS, () => this.#ask());
      else act();
    });
  }

  #ask(): void {
    void this.#isAtWork(this.#pid).then((isAtWork) => {
      if (isAtWork) this.#lookLater(SILENT_MS, () => this.#ask());
      else this.#lookLater(ON_ITS_WAY_MS, () => this.destroy());
    });
  }
}

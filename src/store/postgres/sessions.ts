import type { DatabaseConnection, Driver, RunStatement } from './connection.ts';
import { storageTrouble } from './errors.ts';

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

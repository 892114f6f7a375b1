import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { ANYTHING, type Note, readNote } from './commit-note.ts';
import { type DatabaseConnection, type Driver, numberColumn, statement } from './connection.ts';
import { DatabaseRefused } from './database-refused.ts';

const NOTIFY = statement(
  'notify',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now, pg_notify($1, $2)',
);

/** The interval in milliseconds at which the listener checks that it still hears. */
const PROBE_EVERY_MS = 2_000;
/** The longest time in milliseconds until a probe is heard. */
const PROBE_MS = 3_000;
/** A difference to the database's clock of up to this many milliseconds is left alone. */
const CLOCK_ERROR_MS = 100;
/** The pauses in milliseconds between attempts to connect. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

interface ListenerParts {
  readonly driver: Driver;
  readonly channel: string;
  readonly server: number;
  readonly clock: Pick<Clock, 'after' | 'now' | 'offsetMs' | 'steady'>;
  readonly log: Log;
  /** Takes by how many milliseconds the clock is behind the database's. */
  readonly onClockError: (byMs: number) => void;
  /** Prepares each session before it counts as open. */
  readonly onOpen: (connection: DatabaseConnection) => Promise<void>;
  /** Hears each commit of another server, and "anything" after a time without hearing. */
  readonly onNote: (note: Omit<Note, 'server'>) => void;
  /** Takes a notification that is no commit. Returns false for others. */
  readonly onOther: (payload: string) => boolean;
  /** Called when the database stops answering. */
  readonly onAway: () => void;
}

/**
 * Hears the commits of other servers on a session of its own. It tells itself something every two seconds: a dead
 * connection may say nothing. So it also knows whether the database is there.
 */
export class Listener {
  readonly #parts: ListenerParts;
  #connection: DatabaseConnection | null = null;
  #probe = 0;
  #heard = 0;
  #cancel = () => {};
  #closed = false;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** Tells whether it hears. */
  get isHearing(): boolean {
    return this.#connection !== null;
  }

  /** Opens the session. Throws if that fails or if notifications do not come through. */
  async start(): Promise<void> {
    const connection = await this.#open();
    await this.#isHeard(connection).catch((error: unknown) => {
      connection.destroy();
      throw new DatabaseRefused(
        'the database passes no notifications: give --store a direct connection, not one through a pooler of transactions.',
        { cause: error },
      );
    });
    this.#adopt(connection);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#connection?.close();
  }

  async #open(): Promise<DatabaseConnection> {
    const { driver, channel, onOpen } = this.#parts;
    const connection = await driver.connect('listener');
    try {
      await onOpen(connection);
      connection.onNotification((payload) => this.#hear(payload));
      await connection.script(`listen "${channel}"`);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  #adopt(connection: DatabaseConnection): void {
    this.#connection = connection;
    this.#pauseMs = FIRST_PAUSE_MS;
    connection.onEnd(() => this.#lost(connection));
    if (connection.isOpen) this.#probeLater(connection);
    else this.#lost(connection);
  }

  #probeLater(connection: DatabaseConnection): void {
    this.#cancel = this.#parts.clock.after(PROBE_EVERY_MS, () => {
      this.#isHeard(connection).then(
        () => {
          if (this.#connection === connection && !this.#closed) this.#probeLater(connection);
        },
        () => {
          connection.destroy();
          this.#lost(connection);
        },
      );
    });
  }

  /** Settles when a notification of its own comes back. Rejects if none does in time. */
  async #isHeard(connection: DatabaseConnection): Promise<void> {
    const { channel, server, clock } = this.#parts;
    const probe = ++this.#probe;
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(PROBE_MS, () => reject(new Error('the database sends no notifications')));
    });
    try {
      const askedAt = clock.steady();
      const asked = connection.query(NOTIFY, [channel, JSON.stringify({ probe, of: server })]);
      const [row] = await Promise.race([asked, late]);
      this.#compareClocks(numberColumn(row, 'now'), clock.steady() - askedAt);
      // A session gets its own notification with the answer of the statement that sent it.
      if (this.#heard < probe) await Promise.race([this.#untilHeard(probe), late]);
    } finally {
      cancel();
      late.catch(() => {});
    }
  }

  /** Compares the clocks. The database told its time at some moment of the question. */
  #compareClocks(databaseNow: number, questionMs: number): void {
    const { clock, log, onClockError } = this.#parts;
    const errorMs = databaseNow + questionMs / 2 - (clock.now() - clock.offsetMs());
    if (Math.abs(errorMs) <= Math.max(CLOCK_ERROR_MS, questionMs)) return;
    log.warn('the clock of this machine differs from the database, which is followed', { byMs: Math.round(errorMs) });
    onClockError(errorMs);
  }

  #waiting: { readonly probe: number; readonly act: () => void } | null = null;

  #untilHeard(probe: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { probe, act: resolve };
    });
  }

  #hear(payload: string): void {
    const { server, onNote, onOther } = this.#parts;
    const probe = /^\{"probe":(\d+),"of":(\d+)\}$/.exec(payload);
    if (probe !== null) {
      if (Number(probe[2]) !== server) return;
      this.#heard = Math.max(this.#heard, Number(probe[1]));
      if (this.#waiting !== null && this.#heard >= this.#waiting.probe) this.#waiting.act();
      return;
    }
    if (onOther(payload)) return;
    const note = readNote(payload);
    // The writer has told its own commits already.
    if (note.server !== server) onNote(note);
  }

  #lost(connection: DatabaseConnection): void {
    if (this.#connection !== connection || this.#closed) return;
    this.#connection = null;
    this.#cancel();
    this.#parts.log.error('the database does not answer: what needs it is refused until it does', {
      store: this.#parts.driver.name,
    });
    this.#parts.onAway();
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    if (this.#closed) return;
    this.#cancel = this.#parts.clock.after(this.#pauseMs, () => void this.#reconnect());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  async #reconnect(): Promise<void> {
    let connection: DatabaseConnection | null = null;
    try {
      connection = await this.#open();
      await this.#isHeard(connection);
    } catch (error) {
      this.#parts.log.debug('the database still does not answer', { error });
      connection?.destroy();
      this.#reconnectLater();
      return;
    }
    if (this.#closed) {
      await connection.close();
      return;
    }
    this.#adopt(connection);
    this.#parts.log.warn('the database answers again', { store: this.#parts.driver.name });
    // Nobody knows what was told meanwhile.
    this.#parts.onNote({ commit: ANYTHING, settings: true });
  }
}

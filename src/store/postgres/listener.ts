import type { KeyId, MailboxId, WebhookId } from '../../domain/ids.ts';
import type { Commit } from '../../ports/store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { isObject, jsonOrNull } from '../../text/unknown.ts';
import {
  type DatabaseConnection,
  DatabaseRefused,
  type Driver,
  numberColumn,
  type RunStatement,
  statement,
} from './connection.ts';

/** The maximum length of a note in characters. PostgreSQL takes payloads of less than 8,000 bytes. */
const LONGEST = 7_900;

/** The commit for listeners that must read everything again, because it is not known which rows changed. */
const ANYTHING: Commit = {
  mailboxIds: new Set(),
  keyIds: new Set(),
  webhookIds: new Set(),
  feed: true,
  sends: true,
  due: true,
  clocks: true,
  all: true,
};

/** A message from one server to the others about a commit. */
export interface Note {
  readonly server: number;
  readonly commit: Commit;
  /** Tells whether the commit changed a setting. */
  readonly settings: boolean;
}

/**
 * Encodes a note as the payload of a notification. A note that would be too long tells only that anything may have
 * changed.
 */
export function writeNote({ server, commit, settings }: Note): string {
  const { mailboxIds, keyIds, webhookIds, feed, sends, due, clocks } = commit;
  const ids = { mailboxes: [...mailboxIds], keys: [...keyIds], webhooks: [...webhookIds] };
  const note = JSON.stringify({ server, ...ids, feed, sends, due, clocks, settings });
  return note.length > LONGEST ? JSON.stringify({ server, all: true, settings }) : note;
}

/** Decodes a note. A payload that this version does not understand counts as "anything may have changed". */
function readNote(payload: string): Note {
  const read = jsonOrNull(payload);
  const note = isObject(read) ? read : {};
  const server = typeof note['server'] === 'number' ? note['server'] : -1;
  const settings = note['settings'] === true || server < 0;
  if (note['all'] === true || server < 0) return { server, commit: ANYTHING, settings };
  return {
    server,
    commit: {
      // The casts are safe: only servers of this store write notes, with ids of the named kind.
      mailboxIds: new Set(listOf(note['mailboxes']) as MailboxId[]),
      keyIds: new Set(listOf(note['keys']) as KeyId[]),
      webhookIds: new Set(listOf(note['webhooks']) as WebhookId[]),
      feed: note['feed'] === true,
      sends: note['sends'] === true,
      due: note['due'] === true,
      clocks: note['clocks'] === true,
      all: false,
    },
    settings,
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const NOTIFY = statement(
  'notify',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now, pg_notify($1, $2)',
);

const LISTENERS = statement(
  'count servers',
  `select count(*)::float8 as count from pg_stat_activity
   where datname = current_database() and application_name = $1`,
);

/** Counts the servers of a database. Each has exactly one session with this name. */
export async function serversOf(query: RunStatement, schema: string): Promise<number> {
  return numberColumn((await query(LISTENERS, [`mailcap listener ${schema}`]))[0], 'count');
}

/** The interval in milliseconds at which the listener sends itself a notification, as a heartbeat. */
const PROBE_EVERY_MS = 2_000;
/** The time in milliseconds within which the heartbeat must come back. */
const PROBE_MS = 3_000;
/** A difference of up to this many milliseconds from the database's clock is not corrected. */
const CLOCK_ERROR_MS = 100;
/**
 * The first and the longest pause in milliseconds between attempts to connect. Each pause is twice the previous one.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

interface ListenerParts {
  readonly driver: Driver;
  readonly channel: string;
  readonly server: number;
  readonly clock: Pick<Clock, 'after' | 'now' | 'offsetMs' | 'steady'>;
  readonly log: Log;
  /** Called with the number of milliseconds by which this server's clock is behind the database's clock. */
  readonly onClockError: (byMs: number) => void;
  /** Called with each new session before it listens. */
  readonly onOpen: (connection: DatabaseConnection) => Promise<void>;
  /** Called with each commit of another server. After a lost connection it is called with {@link ANYTHING}. */
  readonly onNote: (note: Omit<Note, 'server'>) => void;
  /** Called with each notification. Returns true if it was no commit and has been handled. */
  readonly onOther: (payload: string) => boolean;
  /** Called when the database stops answering. */
  readonly onAway: () => void;
}

/**
 * Listens to the commits of other servers on a session of its own. It sends itself a heartbeat every two seconds,
 * because a dead connection may stay silent. So it also knows whether the database answers.
 */
export class Listener {
  readonly #parts: ListenerParts;
  #connection: DatabaseConnection | null = null;
  #probe = 0;
  /** The function to call when a heartbeat comes back, by the heartbeat's number. */
  readonly #probes = new Map<number, () => void>();
  #cancel = () => {};
  #closed = false;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** Tells whether the session is open and the database answers. */
  get isHearing(): boolean {
    return this.#connection !== null;
  }

  /** Opens the session. Throws if that fails, and {@link DatabaseRefused} if no notification comes back. */
  async start(): Promise<void> {
    const connection = await this.#open();
    await this.#isHeard(connection).catch((error: unknown) => {
      connection.destroy();
      throw new DatabaseRefused(
        'the database passes no notifications: give --store a direct connection, not one through a pooler in transaction mode.',
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

  /** Sends a heartbeat and settles when it comes back. Rejects if it does not come back in time. */
  async #isHeard(connection: DatabaseConnection): Promise<void> {
    const { channel, server, clock } = this.#parts;
    const probe = ++this.#probe;
    let cancel = () => {};
    const heard = new Promise<void>((resolve, reject) => {
      this.#probes.set(probe, resolve);
      cancel = clock.after(PROBE_MS, () => reject(new Error('the database sends no notifications')));
    });
    const askedAt = clock.steady();
    const asked = connection
      .query(NOTIFY, [channel, JSON.stringify({ probe, of: server })])
      .then(([row]) => this.#compareClocks(numberColumn(row, 'now'), clock.steady() - askedAt));
    try {
      await Promise.all([asked, heard]);
    } finally {
      cancel();
      this.#probes.delete(probe);
    }
  }

  /**
   * Compares the clocks. The database read its clock at some moment between the query and its answer, so the middle is
   * assumed.
   */
  #compareClocks(databaseNow: number, questionMs: number): void {
    const { clock, log, onClockError } = this.#parts;
    const errorMs = databaseNow + questionMs / 2 - (clock.now() - clock.offsetMs());
    if (Math.abs(errorMs) <= Math.max(CLOCK_ERROR_MS, questionMs)) return;
    log.warn("this machine's clock differs from the database's clock, which is used", { byMs: Math.round(errorMs) });
    onClockError(errorMs);
  }

  #hear(payload: string): void {
    const { server, onNote, onOther } = this.#parts;
    const probe = /^\{"probe":(\d+),"of":(\d+)\}$/.exec(payload);
    if (probe !== null) {
      if (Number(probe[2]) === server) this.#probes.get(Number(probe[1]))?.();
      return;
    }
    if (onOther(payload)) return;
    const note = readNote(payload);
    // The writer has reported the commits of this server already.
    if (note.server !== server) onNote(note);
  }

  #lost(connection: DatabaseConnection): void {
    if (this.#connection !== connection || this.#closed) return;
    this.#connection = null;
    this.#cancel();
    this.#parts.log.error('the database does not answer: requests that need it are refused until it does', {
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
    // Notifications were lost in between, so anything may have changed.
    this.#parts.onNote({ commit: ANYTHING, settings: true });
  }
}

import type { Ulid } from '../domain/ids.ts';
import type { SmtpStage } from '../domain/smtp.ts';
import type { Moment } from '../domain/time.ts';
import type { Counts, StoreHealth } from './store.ts';

/** The time. `PUT /_mailcap/clock` sets its offset. */
export interface Clock {
  /** The time in milliseconds since 1970, with the offset. */
  now(): number;
  offsetMs(): number;
  setOffsetMs(offsetMs: number): void;
  /** Calls `act` after each change of the offset. The returned function removes the listener. */
  onShift(act: () => void): () => void;
  /**
   * Moves the clock by this many milliseconds, to follow the clock of the database that several servers share. It does
   * not change the offset.
   */
  follow(byMs: number): void;
  /** Waits for real milliseconds. The offset has no effect. Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `act` once after real milliseconds. The returned function cancels the call. The timer does not keep the
   * process alive.
   */
  after(ms: number, act: () => void): () => void;
  /** A monotonic reading in milliseconds, to measure durations. */
  steady(): number;
}

/** Returns the real time in milliseconds since 1970, without the offset. */
export function realTime(clock: Pick<Clock, 'now' | 'offsetMs'>): number {
  return clock.now() - clock.offsetMs();
}

/** Returns the present moment, from which the time of each workspace follows. */
export function momentNow(clock: Pick<Clock, 'now' | 'offsetMs'>): Moment {
  return { realNow: realTime(clock), serverOffsetMs: clock.offsetMs() };
}

/** A source of cryptographically secure random bytes. */
export interface Random {
  bytes(count: number): Uint8Array;
}

export interface Ids {
  /**
   * Returns a ULID that is greater than `after` and than all ULIDs it returned before. The time in it is `now` or
   * later, in milliseconds since 1970. `number`, below 2 ** 35, becomes its last digits.
   */
  next<Id extends Ulid>(now: number, after?: Ulid | null, number?: number): Id;
}

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** The log, which always goes to standard error. `fields` are for machines and never hold secrets. */
export interface Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Returns a log that adds fields to each message. */
export function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return {
    error: (message, more) => log.error(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
  };
}

/** The metrics of a server. Counting only adds to a number; everything else happens when the metrics are read. */
export interface Metrics {
  /** Counts an HTTP answer. `route` is the declared path, never the requested one. */
  answered(method: string, route: string, status: number): void;
  /** Counts a mail that SMTP accepted with 250. */
  mailTaken(sizeBytes: number): void;
  /**
   * Counts an SMTP refusal of a connection, command, recipient or mail. `data` includes the end of data. `reason` comes
   * from a small fixed set.
   */
  mailRefused(at: Exclude<SmtpStage, 'end'>, reason: string): void;
  /** Counts a sign-in over POP3 or IMAP. */
  signedIn(protocol: 'pop3' | 'imap', isAccepted: boolean): void;
  /** Counts captured requests that a quota removed. */
  capturesTrimmed(count: number): void;
  /** Counts a captured request that was refused because of a quota. */
  captureRefused(): void;
  /** Returns what this server has done since its start, and what it uses now. */
  totals(): ServerTotals;
  /** What the quotas of captured requests cost since the start of this server. */
  readonly captures: { readonly trimmed: number; readonly refused: number };
  /** Writes the counts and the given levels in the Prometheus text format. */
  write(levels: Levels): Promise<string>;
  close(): Promise<void>;
}

/** What a server has done since its start, and what it uses now. */
export interface ServerTotals {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly uptimeSeconds: number;
  readonly memoryBytes: number;
  /** The mails that SMTP accepted, and their bytes. */
  readonly mails: number;
  readonly mailBytes: number;
  /** What SMTP refused: connections, commands, recipients and mails. */
  readonly refusals: number;
}

/** The current values of the gauges. */
export interface Levels extends Counts {
  readonly waiters: number;
  /** The number of feed subscribers. */
  readonly subscribers: number;
  readonly storage: StoreHealth;
}

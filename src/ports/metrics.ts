import type { SmtpStage } from '../domain/smtp-stage.ts';
import type { Counts, StoreHealth } from './store.ts';

/** The metrics of a server. Counting only adds to a number; everything else happens when the metrics are read. */
export interface Metrics {
  /** Counts an HTTP answer. `route` is the declared path, never the requested one. */
  answered(method: string, route: string, status: number): void;
  /** Counts a mail that SMTP accepted with 250. */
  mailTaken(): void;
  /**
   * Counts an SMTP refusal of a connection, command, recipient or mail. `data` includes the end of data. `reason` comes
   * from a small fixed set.
   */
  mailRefused(at: Exclude<SmtpStage, 'end'>, reason: string): void;
  /** Counts captured requests that a quota removed. */
  capturesTrimmed(count: number): void;
  /** Counts a captured request that was refused because of a quota. */
  captureRefused(): void;
  /** What the quotas of captured requests cost since the start of this server. */
  readonly captures: { readonly trimmed: number; readonly refused: number };
  /** Writes the counts and the given levels in the Prometheus text format. */
  write(levels: Levels): Promise<string>;
  close(): Promise<void>;
}

/** The current values of the gauges. */
export interface Levels extends Counts {
  readonly waiters: number;
  /** The number of feed subscribers. */
  readonly subscribers: number;
  readonly storage: StoreHealth;
}

import type { SmtpStage } from '../domain/smtp-stage.ts';
import type { Counts, StoreHealth } from './store.ts';

/** What a server counts of itself. Counting adds to a number and nothing else; the rest is done when somebody asks. */
export interface Metrics {
  /** An answer went out. `route` is the path as declared, never as asked for. */
  answered(method: string, route: string, status: number): void;
  /** A mail that came by SMTP got its 250. */
  mailTaken(): void;
  /** A connection, a command, a recipient or a mail was refused by SMTP; `data` is also its end. `reason` is one of a few. */
  mailRefused(at: Exclude<SmtpStage, 'end'>, reason: string): void;
  /** All that was counted, and the levels given, as Prometheus reads it. */
  write(levels: Levels): Promise<string>;
  close(): Promise<void>;
}

/** What is so at the moment. */
export interface Levels extends Counts {
  readonly waiters: number;
  /** Of the feed. */
  readonly subscribers: number;
  readonly storage: StoreHealth;
}

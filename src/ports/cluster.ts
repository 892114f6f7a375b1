import type { Faults } from './faults.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { SmtpJournal } from './smtp-journal.ts';
import type { Store } from './store.ts';
import type { Views } from './views.ts';
import type { HeldWait } from './waits.ts';

/** Starts work on a store, and returns how to stop it. It gives running work `graceMs` to end. */
export type StartWork = (store: Store) => (graceMs: number) => Promise<void>;

/** The things that count for all servers of a store. */
export interface Shared {
  readonly limiter: RateLimiter;
  readonly faults: Faults;
  readonly journal: SmtpJournal;
  readonly views: Views;
}

/** The awaits that a server holds. */
export interface HeldAwaits {
  /** The number of awaits for messages. */
  readonly waiters: number;
  readonly waits: readonly HeldWait[];
}

/** The servers that have a store together. A store in memory or in files has one server, and everything is its own. */
export interface Cluster {
  /** The number of this server in its store. No other server has it. Null if the store has one server alone. */
  readonly server: number | null;
  /** A mutex for each key, among all servers. */
  readonly mutex: KeyedMutex;
  /**
   * Runs work that only one server may do, while this server leads. The store that the work gets refuses transactions
   * with `storage_unavailable` once another server leads. The returned function stops the work.
   */
  lead(start: StartWork): (graceMs: number) => Promise<void>;
  /** The things that all servers share. Null if the store has one server alone, whose process has them. */
  readonly shared: Shared | null;
  /** Sets what this server tells the others of its awaits. */
  onAskedForAwaits(tell: () => HeldAwaits): void;
  /** Asks the other servers for their awaits. A server that hangs is left out after a second. */
  awaitsOfOthers(): Promise<readonly HeldAwaits[]>;
  /** Tells how many other servers have the store now. */
  others(): Promise<number>;
  /**
   * Returns the value of a secret that all servers share: the first that a server proposed. If it is `instead`, the
   * proposed one replaces it.
   */
  agreeOn(name: string, proposed: string, instead?: string): Promise<string>;
  /** Returns the value of a shared secret. Null if there is none. */
  secret(name: string): Promise<string | null>;
}

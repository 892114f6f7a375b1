import type { Faults } from './faults.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { SmtpJournal } from './smtp-journal.ts';
import type { Store } from './store.ts';
import type { Views } from './views.ts';
import type { HeldWait } from './waits.ts';

/** Starts work on a store. The returned function stops it and gives running work `graceMs` milliseconds to end. */
export type StartWork = (store: Store) => (graceMs: number) => Promise<void>;

/** The services whose state all servers of a store share. */
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

/** The servers that share a store. A store in memory or in files has exactly one server. */
export interface Cluster {
  /** The number of this server, which is unique in its store. Null if the store has exactly one server. */
  readonly server: number | null;
  /** A mutex for each key that excludes all servers from each other. */
  readonly mutex: KeyedMutex;
  /**
   * Runs work that only one server may do, while this server is the leader. The work gets a store whose transactions
   * throw `storage_unavailable` once another server is the leader. The returned function stops the work and gives it
   * the milliseconds of its argument to end.
   */
  lead(start: StartWork): (graceMs: number) => Promise<void>;
  /** The services that all servers share. Null if the store has exactly one server, which then uses its own. */
  readonly shared: Shared | null;
  /** Sets the function that returns this server's awaits when another server asks for them. */
  onAskedForAwaits(tell: () => HeldAwaits): void;
  /**
   * Returns the awaits of the other servers, one entry for each server. A server that does not answer within a second
   * is left out.
   */
  awaitsOfOthers(): Promise<readonly HeldAwaits[]>;
  /** Returns the number of other servers that use the store now. */
  others(): Promise<number>;
  /**
   * Returns the value of a secret that all servers share. The first proposed value is stored and returned to every
   * server. If the stored value equals `instead`, `proposed` replaces it.
   */
  agreeOn(name: string, proposed: string, instead?: string): Promise<string>;
  /** Returns the value of a shared secret, or null if none is stored under the name. */
  secret(name: string): Promise<string | null>;
}

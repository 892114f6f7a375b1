import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppliedFault, CountedFault, FaultEvent, FaultStage, NamedFault, ReplyAt } from '../domain/fault.ts';
import type { FaultId, KeyId, MessageId, WorkspaceId } from '../domain/ids.ts';
import type { RateLimitDecision } from '../domain/rate-limit.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { SmtpJournal } from './storage.ts';
import type { Store } from './store.ts';
import type { Random } from './system.ts';
import type { CancelSignal, HeldWait, KeyedMutex } from './waiting.ts';

/** Starts work on a store. The returned function stops it and gives running work `graceMs` milliseconds to end. */
export type StartWork = (store: Store) => (graceMs: number) => Promise<void>;

/** The services whose state all servers of a store share. */
export interface SharedServices {
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
  readonly shared: SharedServices | null;
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

/** The time in the workspace of a request. */
export interface RateTime {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How far it is from real time, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Counts requests against the rate limits (docs/contract.md#rate-limits). A store that several servers share provides a
 * limiter that counts for all of them.
 */
export interface RateLimiter {
  /** Counts one request against the key and its workspace. Returns the stricter verdict. */
  hit(keyId: KeyId, workspaceId: WorkspaceId, time: RateTime): Promise<RateLimitDecision>;
  reset(): Promise<void>;
}

/** The wrong admin tokens that clients sent lately. They slow down only the answers to further wrong ones. */
export interface WrongTokens {
  /**
   * Counts one more wrong token from an IP address. Resolves to true when the answer is due, or when its exchange ends.
   * Resolves to false at once if too many answers are held already. The caller then closes the connection after its
   * answer. `what` names in the log what was wrong.
   */
  answerLater(address: string, exchange: CancelSignal, what?: string): Promise<boolean>;
}

/** Checks names and passwords against the lines of htpasswd files. */
export interface Passwords {
  /** Tells whether a name and a password are among the lines. */
  isUser(lines: readonly string[], name: string, password: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The active fault rules (docs/faults.md). They last as long as a server of the store runs. */
export interface Faults {
  /** Tells whether any rule may apply to the stage. If not, `apply` need not be called. It never queries a database. */
  has(stage: FaultStage): boolean;
  /** Finds the first rule that fits the event and counts one application of it. Returns null if no rule fits. */
  apply<Stage extends FaultStage>(event: FaultEvent<Stage>): Promise<AppliedFault<ReplyAt<Stage>> | null>;
  /** Returns the rules in their order, with their counts. */
  list(): Promise<readonly CountedFault[]>;
  /**
   * Adds a rule after the others. Returns false, and adds none, if there are `most` already. It settles once every
   * server uses the rule.
   */
  add(fault: NamedFault, most: number): Promise<boolean>;
  /**
   * Removes a rule and returns it as it was, with its count; null if there is none with this id. It settles once no
   * server uses the rule.
   */
  remove(id: FaultId): Promise<CountedFault | null>;
  /** Replaces the rules of all callers. It settles once every server uses the new rules. */
  replaceAll(faults: readonly NamedFault[]): Promise<void>;
}

/** Read access to one message, or to a mail that is attached to it, for anyone who has the token. */
export interface View {
  readonly messageId: MessageId;
  /** The id of the attached mail that the view shows. Without it, the view shows the message. */
  readonly attachedId?: string;
  readonly allowed: AllowedHosts;
  /** The expiry in milliseconds since 1970. The clock offset does not move it. */
  readonly expiresAt: number;
}

/** The open views. They expire after minutes and may be forgotten earlier. */
export interface Views {
  /** Opens a view and returns its unguessable token. */
  open(view: View): Promise<string>;
  /** Returns the view, or null if the token is unknown or expired at `realNow`. */
  get(token: string, realNow: number): Promise<View | null>;
}

/** The number of open views. A new one beyond it replaces the oldest. */
export const MAX_VIEWS = 1_000;

const TOKEN_BYTES = 32;

/** Returns a new unguessable token of a view. */
export function createViewToken(random: Random): string {
  return Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
}

/** A built file of the web inbox. */
export interface WebAsset {
  readonly contentType: string;
  /** The content, compressed with Brotli at build time. */
  readonly brotli: Uint8Array;
  /** The content for clients that do not accept Brotli. It is compressed with gzip on first use. */
  readonly gzip: Uint8Array;
  readonly plain: Uint8Array;
}

/** The files of the web inbox. */
export interface WebAssets {
  /** Returns the HTML page, or null if the web inbox was not built. */
  page(): WebAsset | null;
  /** Returns a file by its name, which contains a hash of the content. Returns null if there is no such file. */
  get(name: string): WebAsset | null;
}

/** The tools for agents over HTTP (MCP). It is loaded with the first request, because most servers never get one. */
export interface Agents {
  /**
   * Answers a request that may use the local API. `caps` are the capabilities of the agent, separated by commas.
   * Resolves when the answer is sent. Throws `starting` before the server is ready, and `invalid_caps` for an unknown
   * capability.
   */
  serve(req: IncomingMessage, res: ServerResponse, caps: string): Promise<void>;
  /** Ends the running answers. */
  close(): Promise<void>;
}

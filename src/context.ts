import type { Config } from './config/options.ts';
import type { AutoRelay } from './domain/auto-relay.ts';
import type { WorkspaceId } from './domain/ids.ts';
import type { Message } from './domain/message.ts';
import type { Plans } from './domain/workspace.ts';
import type { BestEffortEvents, Feed } from './ports/events.ts';
import type { Parser, SpamFilter, Spf, VirusScanner } from './ports/mail.ts';
import type { Fetcher, Relay } from './ports/outbound.ts';
import type { Agents, Cluster, Faults, Passwords, RateLimiter, Views, WebAssets, WrongTokens } from './ports/server.ts';
import type { SmtpJournal } from './ports/storage.ts';
import type { Reader, Store, Tx } from './ports/store.ts';
import type { Clock, Ids, Log, Metrics, Random } from './ports/system.ts';
import type { ClaimTurns, HeldWaits, KeyedMutex, Waiters } from './ports/waiting.ts';
import type { Runtime } from './runtime.ts';

// Terminology (docs/contract.md#words)
//   workspace    the tenant
//   mailbox      a catchall that owns a subdomain of the mail domain
//   inbox        the seeded mailbox, which also takes mail that no other mailbox takes; nothing else has this name
//   message      one mail in one mailbox; its facts are the envelope and the connection stored beside its bytes
//   cloud API    /v1, exactly as docs/api.md describes it
//   local API    /_mailcap, with the features of a dashboard and those that only a local tool can offer
//   waiter       an await request that the server holds open
//   subscriber   a client with an open WebSocket to the feed
//   webhook      what captures the requests to its URL, {webhook_base_url}/<key>; the API document also says interceptor
//   request      one HTTP request to a webhook; forwarding sends it on to the webhook's forward URL

/** Hands mail for addresses of the app to the app, as its mail provider does (docs/providers.md#inbound-mail). */
export interface Inbound {
  /** Tells whether a rule of the workspace takes mail for an address. */
  takes(reader: Reader, workspaceId: WorkspaceId, address: string): Promise<boolean>;
  /** Puts a stored message on its way to the app. Returns the recipients that rules of its workspace take. */
  offer(ctx: Context, tx: Tx, message: Message, recipients: readonly string[]): Promise<readonly string[]>;
}

/** Tags mail by the rules of the configuration (docs/drop-in.md). */
export interface Tagger {
  /** Returns the tags that the rules give to a message. `user` is who signed in to send it. */
  tagsOf(ctx: Context, message: Message, user: string | null): Promise<string[]>;
  /** Tags messages that have just come. One that can't be tagged stays without tags. */
  tag(ctx: Context, messages: readonly Message[], user: string | null): Promise<void>;
}

/** Everything an action needs. mailcap.ts builds it once, and every action takes it as its first argument. */
export interface Context {
  readonly config: Config;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly waiters: Waiters;
  readonly waits: HeldWaits;
  readonly claimTurns: ClaimTurns;
  readonly wrongTokens: WrongTokens;
  readonly passwords: Passwords;
  readonly views: Views;
  readonly feed: Feed;
  /** The feed for subscribers that take several events in one frame. */
  readonly feedOfLists: Feed;
  readonly notes: BestEffortEvents;
  readonly parser: Parser;
  readonly scanner: VirusScanner;
  /** The spam filter that scores a mail when it is checked. Null means no scores. */
  readonly spamFilter: SpamFilter | null;
  readonly spf: Spf;
  /** The relay for mail to recipients outside this server. Null means that such mail is captured. */
  readonly relay: Relay | null;
  /** The rules by which mail that comes leaves again, each with its server. */
  readonly autoRelays: readonly { readonly rule: AutoRelay; readonly relay: Relay }[];
  readonly inbound: Inbound;
  /** Null means that no rule tags mail. */
  readonly tagger: Tagger | null;
  readonly limiter: RateLimiter;
  readonly mutex: KeyedMutex;
  /** Sends requests that clients ask for. Off loopback it reaches public addresses alone. */
  readonly fetcher: Fetcher;
  /** Sends requests to addresses that the configuration names. */
  readonly ownFetcher: Fetcher;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly journal: SmtpJournal;
  readonly web: WebAssets;
  readonly agents: Agents;
  readonly log: Log;
  readonly runtime: Runtime;
}

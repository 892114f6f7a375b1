import type { Config } from './config/options.ts';
import type { Plans } from './domain/plan.ts';
import type { Agents } from './ports/agents.ts';
import type { ClaimTurns } from './ports/claim-turns.ts';
import type { Clock } from './ports/clock.ts';
import type { Cluster } from './ports/cluster.ts';
import type { Faults } from './ports/faults.ts';

import type { Feed } from './ports/feed.ts';

import type { Fetcher } from './ports/fetcher.ts';

import type { Ids } from './ports/ids.ts';
import type { KeyedMutex } from './ports/keyed-mutex.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './ports/metrics.ts';
import type { Notes } from './ports/notes.ts';
import type { Parser } from './ports/parser.ts';
import type { Random } from './ports/random.ts';
import type { RateLimiter } from './ports/rate-limiter.ts';
import type { Relay } from './ports/relay.ts';
import type { VirusScanner } from './ports/scanner.ts';
import type { SmtpJournal } from './ports/smtp-journal.ts';
import type { SpamFilter } from './ports/spam-filter.ts';
import type { Spf } from './ports/spf.ts';
import type { Store } from './ports/store.ts';
import type { Views } from './ports/views.ts';
import type { Waiters } from './ports/waiters.ts';
import type { HeldWaits } from './ports/waits.ts';
import type { WebAssets } from './ports/web-assets.ts';
import type { WrongTokens } from './ports/wrong-tokens.ts';
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
//   interceptor  a webhook of docs/api.md; its capture URL is {webhook_base_url}/<key>
//   request      one HTTP request to a capture URL; forwarding sends it on to the interceptor's forward URL

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
  readonly views: Views;
  readonly feed: Feed;
  /** The feed for subscribers that take several events in one frame. */
  readonly feedOfLists: Feed;
  readonly notes: Notes;
  readonly parser: Parser;
  readonly scanner: VirusScanner;
  /** The spam filter that scores a mail when it is checked. Null means no scores. */
  readonly spamFilter: SpamFilter | null;
  readonly spf: Spf;
  /** The relay for mail to recipients outside this server. Null means that such mail is captured. */
  readonly relay: Relay | null;
  readonly limiter: RateLimiter;
  readonly mutex: KeyedMutex;
  readonly fetcher: Fetcher;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly journal: SmtpJournal;
  readonly web: WebAssets;
  readonly agents: Agents;
  readonly log: Log;
  readonly runtime: Runtime;
}

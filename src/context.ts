import type { Config } from './config/options.ts';
import type { Plans } from './domain/plan.ts';
import type { Clock } from './ports/clock.ts';
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
import type { Scanner } from './ports/scanner.ts';
import type { SmtpJournal } from './ports/smtp-journal.ts';
import type { Spf } from './ports/spf.ts';
import type { Store } from './ports/store.ts';
import type { Views } from './ports/views.ts';
import type { Waiters } from './ports/waiters.ts';
import type { Waits } from './ports/waits.ts';
import type { WebAssets } from './ports/web-assets.ts';
import type { Runtime } from './runtime.ts';

// Terminology (docs/contract.md#words)
//   workspace    the tenant
//   mailbox      a catchall that owns a subdomain of the mail domain
//   inbox        the seeded mailbox; it also takes mail addressed to nobody's mailbox, and nothing else is called so
//   message      one mail in one mailbox; facts are what stands beside its bytes
//   cloud API    /v1, exactly as docs/api.md has it
//   local API    /_mailcap, what a dashboard does and what only a local tool can do
//   waiter       an await that is being held
//   subscriber   who holds a WebSocket to the feed
//   interceptor  what the API document calls a webhook; its capture URL is {webhook_base_url}/<key>
//   request      one HTTP request that came to a capture URL; forwarding sends it on to the interceptor's forward URL

/** Everything an action needs, built once in mailcap.ts and passed first. */
export interface Context {
  readonly config: Config;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly waits: Waits;
  readonly views: Views;
  readonly feed: Feed;
  readonly notes: Notes;
  readonly parser: Parser;
  readonly scanner: Scanner;
  readonly spf: Spf;
  /** Where outbound mail goes that is for nobody here; null: it is captured. */
  readonly relay: Relay | null;
  readonly limiter: RateLimiter;
  readonly mutex: KeyedMutex;
  readonly fetcher: Fetcher;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly journal: SmtpJournal;
  readonly web: WebAssets;
  readonly log: Log;
  readonly runtime: Runtime;
}

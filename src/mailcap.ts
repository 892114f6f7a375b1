import { join } from 'node:path';
import { replaceFaults } from './actions/faults.ts';
import { createTagger } from './actions/mark-messages.ts';
import { reset, type SeedResult, seed } from './actions/seed.ts';
import { createVirusScanner } from './adapters/clamd.ts';
import { createLog } from './adapters/console-log.ts';
import { announce, type DataDir, openDataDir } from './adapters/data-dir.ts';
import { systemDns, zoneDns } from './adapters/dns.ts';
import { createFaults } from './adapters/fault-rules.ts';
import { createNotes } from './adapters/feed-notes.ts';
import { createFetcher } from './adapters/fetcher.ts';
import { createPasswords } from './adapters/passwords.ts';
import { createMetrics } from './adapters/prometheus.ts';
import { createLimiter, createWrongTokens } from './adapters/rate-limiter.ts';
import { createJournal, createViews, singleServer } from './adapters/single-server.ts';
import { smtpRelay } from './adapters/smtp-relay.ts';
import { createSpamd } from './adapters/spamd.ts';
import { createSpf } from './adapters/spf.ts';
import { createIds, nodeRandom, systemClock } from './adapters/system.ts';
import { createClaimTurns, createHeldWaits, createWaiters } from './adapters/waiting.ts';
import { createWebAssets } from './adapters/web-assets.ts';
import { createParser } from './adapters/worker-parser.ts';
import { connectHost, isOnlyHere, urlHost } from './config/host.ts';
import type { Config } from './config/options.ts';
import { type ListenerOption, whyNotListening, whyNotOpened } from './config/start-error.ts';
import type { Context } from './context.ts';
import type { EventType } from './domain/event.ts';
import type { EventId } from './domain/ids.ts';
import { createOutbox, type LoadEncoder } from './events/outbox.ts';
import { createHttpServer } from './http/server.ts';
import { identify } from './identify.ts';
import { createAgents } from './mcp/agents.ts';
import { openStore } from './open-store.ts';
import type { EventSink, Feed, Subscription } from './ports/events.ts';
import type { Dns } from './ports/mail.ts';
import type { Cluster } from './ports/server.ts';
import { realTime, withFields } from './ports/system.ts';
import { inbound } from './providers/inbound/inbound.ts';
import type { Ready, Runtime } from './runtime.ts';
import { createSmtpServer } from './smtp/server.ts';
import { VERSION } from './version.ts';
import { startDelivery } from './workers/delivery.ts';
import { startForwarder } from './workers/forwarder.ts';
import { startPreparer } from './workers/preparer.ts';
import { startProviderQueue } from './workers/provider-queue.ts';
import { startSweeper } from './workers/sweeper.ts';

/** The time in milliseconds that running work gets to finish at a stop (docs/guarantees.md#a-stop). */
const GRACE_MS = 10_000;
/** The longest time in milliseconds between two lists of events in a flood (docs/feed.md). */
const LISTS_REST_MS = 100;

/** Ports that replace the real ones, by name. The caller must close them. */
export type Overrides = Partial<
  Pick<
    Context,
    'clock' | 'random' | 'ids' | 'store' | 'waiters' | 'parser' | 'scanner' | 'relay' | 'limiter' | 'fetcher' | 'log'
  > & {
    /** The cluster of the given store. Without it the server is alone. */
    readonly cluster: Cluster;
    /** Replaces DNS for SPF checks, as a zone of the configuration does. */
    readonly dns: Dns;
  }
>;

export interface StartOptions {
  /** Tells whether to write `server.json`, so that clients find the server without configuration. */
  readonly announce?: boolean;
  readonly overrides?: Overrides;
}

export interface RunningServer {
  readonly ctx: Context;
  readonly ready: Ready;
  reset(): Promise<void>;
  /** Passes the events since the start to the outlet as lines of JSON. Undefined `types` selects all types. */
  follow(types: readonly EventType[] | undefined, outlet: EventSink): Subscription;
  /** Stops accepting, lets running work finish, and flushes the store. */
  close(): Promise<void>;
}

/** The functions that close the parts of a server, in the order in which the parts started. */
type Closers = (() => Promise<void> | void)[];
type RuntimeState = { -readonly [Key in keyof Runtime]: Runtime[Key] };

/** Builds all ports, opens the store, seeds it and listens. If the start fails, it closes what it opened. */
export async function startMailcap(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  const closers: Closers = [];
  try {
    return await start(config, options, closers);
  } catch (error) {
    await closeAll(closers).catch(() => {});
    throw error;
  }
}

async function start(config: Config, options: StartOptions, closers: Closers): Promise<RunningServer> {
  const runtime: RuntimeState = {
    version: VERSION,
    phase: 'starting',
    isDraining: false,
    ready: null,
    adminToken: null,
  };
  const dir = !config.ephemeral || options.announce ? openDir(config) : null;
  if (dir !== null) closers.push(() => dir.removeIfMade());
  const ctx = await createContext(config, options.overrides ?? {}, runtime, closers);
  ctx.clock.setOffsetMs(await ctx.store.read.settings.clockOffsetMs());
  // The clock may have been set back since the last run. New ids must still sort after the ids of earlier events.
  ctx.ids.next(realTime(ctx.clock), await ctx.store.read.events.lastId());

  // Runs after the store is open, because the store's lock decides who owns the directory.
  const { apiKey, adminToken } = await identify(ctx, config.ephemeral ? null : dir);
  runtime.adminToken = adminToken;
  const seeded = await seed(ctx, apiKey);
  // Servers of one store share their rules, so a later one leaves those of the first.
  if (config.faults.length > 0 && (await ctx.faults.list()).length === 0) await replaceFaults(ctx, config.faults);
  ctx.cluster.onAskedForAwaits(() => ({ waiters: ctx.waiters.size, waits: ctx.waits.list() }));
  const lastTold = await ctx.store.read.events.lastId();

  const workers: Closers = [];
  const listeners = await listen(ctx, closers, workers);
  const ready = describe(config, listeners, seeded, apiKey);
  runtime.ready = ready;
  runtime.phase = 'up';
  if (adminToken === null && !isOnlyHere(config))
    ctx.log.warn(
      'others can reach this server, and it asks for no token: whoever is in its network reads and deletes mail',
    );
  // The server is ready before it has loaded its routes. A request that comes meanwhile waits for them.
  closers.push(ctx.clock.after(0, listeners.warm));
  workers.push(leading(ctx, startSweeper));
  workers.push(leading(ctx, startForwarder));
  workers.push(leading(ctx, startPreparer));
  workers.push(leading(ctx, startProviderQueue));
  if (dir !== null && options.announce) {
    const here = describe({ ...config, publicUrl: null, publicSmtp: null }, listeners, seeded, apiKey);
    closers.push(announce(dir, { ...here, webhookBaseUrl: ready.webhookBaseUrl, adminToken }, ctx.log));
  }

  let closed: Promise<void> | null = null;
  return {
    ctx,
    ready,
    reset: () => reset(ctx),
    follow: follower(ctx, lastTold, closers),
    close: () => {
      closed ??= stop(ctx, runtime, closers);
      return closed;
    },
  };
}

async function stop({ config, clock }: Context, runtime: RuntimeState, closers: Closers): Promise<void> {
  runtime.isDraining = true;
  if (config.drain > 0) await clock.sleep(config.drain * 1_000);
  runtime.phase = 'stopping';
  await closeAll(closers);
}

/** Creates a second outbox when the first caller follows. The other outbox encodes WebSocket frames, not lines. */
function follower({ store, clock, log }: Context, from: EventId | null, closers: Closers): RunningServer['follow'] {
  let feed: Feed | null = null;
  return (types, outlet) => {
    if (feed === null) {
      const made = createOutbox(store, clock, log, encoderOf('LINES'));
      closers.push(() => made.close());
      feed = made;
    }
    return feed.subscribe(types === undefined ? {} : { types: new Set(types) }, from, outlet);
  };
}

/** Returns how to load one of the encoders of the feed, which need the schemas of the routes. */
function encoderOf(name: 'FRAMES' | 'LINES' | 'LISTS'): LoadEncoder {
  return async () => (await import('./http/feed/event.ts'))[name];
}

async function createContext(
  config: Config,
  overrides: Overrides,
  runtime: Runtime,
  closers: Closers,
): Promise<Context> {
  /** Returns the given port. Without one it makes a port, which the server closes when it stops. */
  const owned = <Port extends { close(): Promise<void> | void } | null>(make: () => Port, given?: Port): Port => {
    if (given !== undefined) return given;
    const made = make();
    closers.push(() => made?.close());
    return made;
  };
  const ownLog = overrides.log ?? createLog(config.logLevel);
  const clock = overrides.clock ?? systemClock();
  const random = overrides.random ?? nodeRandom;
  const { store, cluster } =
    overrides.store === undefined
      ? await openStore(config, clock, random, ownLog)
      : { store: overrides.store, cluster: overrides.cluster ?? singleServer(overrides.store) };
  if (overrides.store === undefined) closers.push(() => store.close());
  const log = cluster.server === null ? ownLog : withFields(ownLog, { server: cluster.server });
  const parser = owned(() => createParser(log), overrides.parser);
  const waiters = owned(() => createWaiters(store, clock), overrides.waiters);
  const scanner = owned(() => createVirusScanner(config.clamd, clock, log), overrides.scanner);
  const spamFilter = owned(() => (config.spamd === null ? null : createSpamd(config.spamd, clock)));
  const dns = owned(() => (config.spf === null ? systemDns() : zoneDns(config.spf.zone)), overrides.dns);
  const hasZone = overrides.dns !== undefined || config.spf !== null;
  const ids = overrides.ids ?? createIds(random);
  const notes = owned(() => createNotes(store, clock, ids, log));
  const feed = owned(() => createOutbox(store, clock, log, encoderOf('FRAMES')));
  const pace = { longestRestMs: LISTS_REST_MS };
  const feedOfLists = owned(() => createOutbox(store, clock, log, encoderOf('LISTS'), pace));
  const relay = owned(() => (config.relay === null ? null : smtpRelay(config.relay)), overrides.relay);
  const autoRelays = config.autoRelay.flatMap((rule) => {
    const { relay: url } = rule;
    const own = url === null ? relay : owned(() => smtpRelay(url));
    return own === null ? [] : [{ rule, relay: own }];
  });
  // Clients on other machines must not reach private addresses through the server.
  const fetcher = owned(() => createFetcher({ guarded: !isOnlyHere(config) }), overrides.fetcher);
  const ownFetcher = owned(() => createFetcher({ guarded: false }));
  const metrics = owned(() => createMetrics(VERSION, cluster.server));
  const passwords = owned(() => createPasswords(random));
  return {
    config,
    plans: config.plans,
    clock,
    random,
    ids,
    store,
    cluster,
    waiters,
    waits: createHeldWaits(),
    claimTurns: createClaimTurns(),
    wrongTokens: createWrongTokens(clock, log),
    passwords,
    views: cluster.shared?.views ?? createViews(random),
    feed,
    feedOfLists,
    notes,
    parser,
    scanner,
    spamFilter,
    spf: createSpf(dns, clock, { hasZone, receiver: config.mailDomain }),
    relay,
    autoRelays,
    inbound,
    tagger: config.tagging && createTagger(config.tagging),
    limiter: overrides.limiter ?? cluster.shared?.limiter ?? createLimiter(),
    mutex: cluster.mutex,
    fetcher,
    ownFetcher,
    metrics,
    faults: cluster.shared?.faults ?? createFaults(random),
    journal: cluster.shared?.journal ?? createJournal(),
    web: createWebAssets(),
    agents: createAgents(runtime, random, clock, parser),
    log,
    runtime,
  };
}

function openDir({ dataDir: path, namesDataDir }: Config): DataDir {
  const orSaid = <T>(file: string, act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw whyNotOpened(error, file, 'dataDir');
    }
  };
  const dir = orSaid(path, () => openDataDir(path, namesDataDir));
  return { ...dir, write: (name, content) => orSaid(join(path, name), () => dir.write(name, content)) };
}

interface Listeners {
  /** Loads what answers HTTP requests. */
  warm(): void;
  readonly ports: Pick<Config, ListenerOption>;
  /** The path of the certificate. */
  readonly ca: string | null;
}

/**
 * Starts the listeners. `workers` stop together with them, so that requests in that time learn that the server stops.
 */
async function listen(ctx: Context, closers: Closers, workers: Closers): Promise<Listeners> {
  const { config } = ctx;
  const http = createHttpServer(ctx);
  const smtp = createSmtpServer(ctx);
  const asked = (...ports: readonly (number | null)[]) => ports.some((port) => port !== null);
  const pop3 = asked(config.pop3Port, config.pop3sPort)
    ? (await import('./pop3/server.ts')).createPop3Server(ctx, smtp.tls)
    : null;
  const imap = asked(config.imapPort, config.imapsPort)
    ? (await import('./imap/server.ts')).createImapServer(ctx, smtp.tls)
    : null;
  // It begins before any mail can come.
  if (config.mailWebhook !== null) {
    const { startMailpitWebhook } = await import('./http/compat/mailpit-webhook.ts');
    workers.push(leading(ctx, startMailpitWebhook));
  }
  const stopDelivery = ctx.cluster.lead((store) => startDelivery({ ...ctx, store }));
  // Closes everything in parallel, so that no part loses its grace time to another. Incoming mail may be what an await
  // waits for.
  closers.push(async () => {
    const mailIsIn = smtp.close(GRACE_MS);
    const workIsDone = Promise.all([stopDelivery(GRACE_MS), closeAll(workers)]).then(() => {});
    await Promise.all([
      http.close(GRACE_MS, mailIsIn, workIsDone),
      pop3?.close(GRACE_MS),
      imap?.close(GRACE_MS),
      mailIsIn,
      workIsDone,
    ]);
  });
  const pem = config.https === 'on' ? await smtp.tls.given() : null;
  const start = async <Option extends ListenerOption>(
    option: Option,
    listenOn: (port: number) => Promise<{ readonly port: number }> | undefined,
  ): Promise<Config[Option]> => {
    const wanted = config[option];
    try {
      return (wanted === null ? null : ((await listenOn(wanted))?.port ?? null)) as Config[Option];
    } catch (error) {
      throw whyNotListening(error, option, config);
    }
  };
  const { host } = config;
  const smtpHost = config.smtpHost ?? host;
  const listenForMail = config.smtpTls === 'implicit' ? smtp.listenWithTls : smtp.listen;
  const ports = {
    port: await start('port', (port) => http.listen(port, host, pem)),
    smtpPort: await start('smtpPort', (port) => listenForMail(port, smtpHost)),
    smtpsPort: await start('smtpsPort', (port) => smtp.listenWithTls(port, smtpHost)),
    pop3Port: await start('pop3Port', (port) => pop3?.listen(port, host)),
    pop3sPort: await start('pop3sPort', (port) => pop3?.listenWithTls(port, host)),
    imapPort: await start('imapPort', (port) => imap?.listen(port, host)),
    imapsPort: await start('imapsPort', (port) => imap?.listenWithTls(port, host)),
  };
  const ca = hasTrustedFile(config) ? await smtp.tls.prepare().catch(() => null) : null;
  return { warm: http.warm, ports, ca };
}

/** Tells whether TLS is available with a certificate in a file. */
function hasTrustedFile({
  starttls,
  smtpsPort,
  smtpTls,
  pop3sPort,
  imapsPort,
  https,
  tlsCert,
  ephemeral,
}: Config): boolean {
  const isUsed =
    starttls !== 'off' ||
    https === 'on' ||
    smtpTls === 'implicit' ||
    [smtpsPort, pop3sPort, imapsPort].some((one) => one !== null);
  return isUsed && (tlsCert !== null || !ephemeral);
}

/** Starts a worker that only one server may have, and returns how to stop it. */
function leading(ctx: Context, start: (ctx: Context) => (graceMs?: number) => Promise<void>): () => Promise<void> {
  const stop = ctx.cluster.lead((store) => {
    const stopWorker = start({ ...ctx, store });
    return (graceMs) => stopWorker(graceMs);
  });
  return () => stop(GRACE_MS);
}

function describe(config: Config, { ports, ca }: Listeners, seeded: SeedResult, apiKey: string): Ready {
  const own = connectHost(config.host);
  const url = config.publicUrl ?? `${config.https === 'on' ? 'https' : 'http'}://${urlHost(own)}:${ports.port}`;
  const smtp = config.publicSmtp ?? { host: connectHost(config.smtpHost ?? config.host), port: ports.smtpPort };
  const isImplicit = config.smtpTls === 'implicit';
  const smtpUrl = `${isImplicit ? 'smtps' : 'smtp'}://${urlHost(smtp.host)}:${smtp.port}`;
  const smtpsUrl = urlOf('smtps', smtp.host, ports.smtpsPort);
  return {
    event: 'ready',
    url,
    apiUrl: `${url}/v1`,
    smtpUrl,
    smtpHost: smtp.host,
    smtpPort: smtp.port,
    smtpsUrl: isImplicit ? smtpUrl : smtpsUrl,
    smtpCa: ca,
    pop3Url: urlOf('pop3', own, ports.pop3Port),
    pop3sUrl: urlOf('pop3s', own, ports.pop3sPort),
    imapUrl: urlOf('imap', own, ports.imapPort),
    imapsUrl: urlOf('imaps', own, ports.imapsPort),
    webhookBaseUrl: `${url}/hooks`,
    feedUrl: `${url.replace(/^http/, 'ws')}/_mailcap/feed`,
    mailDomain: config.mailDomain,
    apiKey,
    workspaceId: seeded.workspaceId,
    mailboxId: seeded.mailboxId,
    pid: process.pid,
    version: VERSION,
  };
}

function urlOf(scheme: string, host: string, port: number | null): string | null {
  return port === null ? null : `${scheme}://${urlHost(host)}:${port}`;
}

/** Closes the parts in reverse order: listeners stop before the store closes. It closes all parts even if one fails. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

import { createFaults } from '../../src/adapters/fault-rules.ts';
import { createPasswords } from '../../src/adapters/passwords.ts';
import { createMetrics } from '../../src/adapters/prometheus.ts';
import { createJournal, singleServer } from '../../src/adapters/single-server.ts';
import { createIds, nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { Config } from '../../src/config/options.ts';
import type { Context } from '../../src/context.ts';
import { ALL_SCOPES, hashKey, writeKey } from '../../src/domain/api-key.ts';
import { NO_RELAY_RULES } from '../../src/domain/auto-relay.ts';
import type { KeyId, MailboxId, WorkspaceId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import type { Message, ReceiptMetadata } from '../../src/domain/message.ts';
import { ALL_RECIPIENTS } from '../../src/domain/routing.ts';
import { PLANS } from '../../src/domain/workspace.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Log } from '../../src/ports/system.ts';
import { type Bounds, createSmtpServer, type SmtpServer } from '../../src/smtp/server.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { at as moment } from '../support/moment.ts';
import { alternate, IS_TWO, listenerOn, SharedSchema } from '../support/two-servers.ts';

/** The SMTP part alone with its ports, so that tests can replace one of them. */
export interface Capture {
  readonly ctx: Context;
  readonly server: SmtpServer;
  readonly port: number;
  readonly inbox: Mailbox;
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields: unknown }[];
  addMailbox(subdomain: string): Promise<Mailbox>;
  /** Creates a key of the workspace and returns its plaintext. */
  addKey(key?: { revoked?: boolean; elsewhere?: boolean; mailboxes?: readonly MailboxId[] }): Promise<string>;
  revoke(plaintext: string): Promise<void>;
  /** Returns the messages of a mailbox, oldest first. */
  messages(mailbox: Mailbox): Promise<Message[]>;
  raw(message: Message): Promise<string>;
  facts(message: Message): Promise<ReceiptMetadata>;
  close(graceMs?: number): Promise<void>;
  /** Closes it with what it opened. Nothing can be read afterwards. */
  end(): Promise<void>;
}

export interface CaptureOptions {
  readonly config?: Partial<Config>;
  readonly bounds?: Partial<Bounds>;
  readonly store?: Store;
  readonly plans?: Partial<(typeof PLANS)['business']>;
  readonly limits?: 'cloud' | 'off';
}

const CONFIG: Config = {
  host: '127.0.0.1',
  smtpHost: null,
  port: 0,
  smtpPort: 0,
  smtpsPort: null,
  pop3Port: null,
  pop3sPort: null,
  imapPort: null,
  imapsPort: null,
  dataDir: '/nonexistent',
  namesDataDir: true,
  ephemeral: true,
  mailDomain: 'mailcap.example.com',
  plan: 'business',
  limits: 'cloud',
  apiKey: null,
  store: { kind: 'memory' },
  storeFile: null,
  storePool: 10,
  storeBlobs: null,
  aws: {},
  publicUrl: null,
  publicSmtp: null,
  drain: 0,
  relay: null,
  clamd: null,
  spamd: null,
  catchAll: 'on',
  logLevel: 'silent',
  json: false,
  open: false,
  durability: 'os',
  smtpAuth: 'any',
  starttls: 'auto',
  smtpSize: 25 * 1024 * 1024,
  maxMessages: null,
  maxAge: null,
  maxAgeMs: null,
  captureQuota: 256 * 1024 * 1024,
  captureTotal: 512 * 1024 * 1024,
  tlsCert: null,
  tlsKey: null,
  allowedHosts: [],
  smtpTls: 'optional',
  tlsNames: [],
  auth: 'on',
  webroot: null,
  smtpUsers: null,
  httpUsers: null,
  sendUsers: null,
  readerUsers: null,
  recipients: ALL_RECIPIENTS,
  tagging: null,
  autoRelay: [],
  release: NO_RELAY_RULES,
  mailWebhook: null,
  faults: [],
  label: '',
  https: 'off',
  allowedOrigins: [],
  dropIn: null,
  notes: [],
  adminToken: null,
  compat: [],
  plans: PLANS,
  identities: [],
  allowlist: ['*.mailcap.example.com'],
  allowedForAll: [],
  outboundEnabled: true,
  spf: null,
  given: new Set(),
};

export async function startCapture(options: CaptureOptions = {}): Promise<Capture> {
  const clock = systemClock();
  const schema = IS_TWO && options.store === undefined ? new SharedSchema() : null;
  const shared = schema === null ? [] : [await schema.open(clock), await schema.open(clock)];
  const store = options.store ?? shared[0] ?? memoryStore();
  const ids = createIds(nodeRandom);
  const logged: { level: string; message: string; fields: unknown }[] = [];
  const at = (level: string) => (message: string, fields?: unknown) => void logged.push({ level, message, fields });
  const log: Log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const plans = { ...PLANS, business: { ...PLANS.business, ...options.plans } };
  const unused = () => {
    throw new Error('not part of capture');
  };
  const ctx: Context = {
    config: { ...CONFIG, plans, ...options.config },
    plans,
    clock,
    random: nodeRandom,
    ids,
    store,
    agents: { serve: unused, close: async () => {} },
    cluster: shared[0]?.cluster ?? singleServer(store),
    waiters: { watch: unused, onRevoked: unused, size: 0, close: unused },
    views: { open: unused, get: unused },
    tagger: null,
    wrongTokens: { answerLater: unused },
    passwords: createPasswords(nodeRandom),
    waits: { hold: unused, list: () => [] },
    claimTurns: { join: unused },
    notes: { tell: () => {}, close: async () => {} },
    feed: { subscribe: unused, size: 0, close: unused },
    feedOfLists: { subscribe: unused, size: 0, close: unused },
    parser: {
      parse: unused,
      attachment: unused,
      attached: unused,
      find: unused,
      see: unused,
      check: unused,
      page: unused,
      documents: unused,
      thumbnail: unused,
      forget: unused,
      close: unused,
    },
    scanner: { scan: unused, close: unused },
    spamFilter: null,
    spf: { evaluate: unused },
    relay: null,
    autoRelays: [],
    inbound: { takes: async () => false, offer: async () => [] },
    limiter: { hit: unused, reset: unused },
    mutex: { runExclusive: unused },
    fetcher: { send: unused, close: unused },
    ownFetcher: { send: unused, close: unused },
    metrics: createMetrics('0'),
    faults: shared[0]?.cluster.shared?.faults ?? createFaults(nodeRandom),
    journal: shared[0]?.cluster.shared?.journal ?? createJournal(),
    web: { page: () => null, get: () => null },
    log,
    runtime: { version: '0', phase: 'up', isDraining: false, ready: null, adminToken: null },
  };
  const now = clock.now();
  const workspaceId = await addWorkspace();

  async function addWorkspace(): Promise<WorkspaceId> {
    const id = ids.next<WorkspaceId>(now);
    const limits = options.limits ?? 'cloud';
    await store.transaction((tx) =>
      tx.workspaces.insert({
        id,
        name: 'ws',
        plan: 'business',
        limits,
        walletMillicents: 0,
        seeded: false,
        createdAt: now,
      }),
    );
    return id;
  }

  async function addMailbox(subdomain: string, seeded = false): Promise<Mailbox> {
    const mailbox: Mailbox = {
      id: ids.next<MailboxId>(now),
      workspaceId,
      groupId: null,
      name: subdomain,
      subdomain,
      retentionDays: 30,
      outboundEnabled: true,
      allowlist: [],
      seeded,
      createdAt: now,
    };
    await store.transaction((tx) => tx.mailboxes.insert(mailbox, 1_000));
    return mailbox;
  }

  const inbox = await addMailbox('inbox', true);
  const bounds: Bounds = { connections: 2_000, idleMs: 60_000, commandLength: 16 * 1024, ...options.bounds };
  const server = createSmtpServer(ctx, bounds);
  const { port } = await server.listen(0, '127.0.0.1');
  const others = await Promise.all(
    shared.slice(1).map(async (store) => {
      const { cluster } = store;
      const { faults, journal } = cluster.shared ?? ctx;
      const other = createSmtpServer({ ...ctx, store, cluster, faults, journal }, bounds);
      const listening = await other.listen(0, '127.0.0.1');
      alternate(listenerOn(port), listenerOn(listening.port), ['connection']);
      return other;
    }),
  );
  return {
    ctx,
    server,
    port,
    inbox,
    logged,
    addMailbox: (subdomain) => addMailbox(subdomain),
    async addKey({ revoked = false, elsewhere = false, mailboxes } = {}) {
      const plaintext = writeKey(nodeRandom.bytes(32));
      const key = {
        id: ids.next<KeyId>(now),
        workspaceId: elsewhere ? await addWorkspace() : workspaceId,
        name: 'test',
        hash: hashKey(plaintext),
        scopes: mailboxes === undefined ? ALL_SCOPES : { ...ALL_SCOPES, mailboxes },
        seeded: false,
        createdAt: now,
        revokedAt: revoked ? now : null,
      };
      await store.transaction((tx) => tx.keys.insert(key, 100));
      return plaintext;
    },
    revoke: (plaintext) =>
      store.transaction(async (tx) => {
        const key = await tx.keys.byHash(hashKey(plaintext));
        if (key !== null) await tx.keys.update({ ...key, revokedAt: clock.now() });
      }),
    messages: (mailbox) => store.read.messages.after(mailbox.id, null, 200, moment(clock.now())),
    raw: async (message) => (await store.blobs.read(message.raw)).toString('latin1'),
    facts: async (message) => JSON.parse((await store.blobs.read(message.facts)).toString()),
    close: async (graceMs = 0) => {
      await Promise.all([server, ...others].map((one) => one.close(graceMs)));
    },
    end: async () => {
      await Promise.all([server, ...others].map((one) => one.close(0)));
      await Promise.all(shared.map((one) => one.close()));
      await schema?.drop();
    },
  };
}

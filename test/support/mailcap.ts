import { test as base } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { configOf } from '../../src/config/load.ts';
import type { Config } from '../../src/config/options.ts';
import type { Context } from '../../src/context.ts';
import type { MailboxId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import type { MailcapOptions } from '../../src/index.ts';
import { type RunningServer, startMailcap } from '../../src/mailcap.ts';
import { checkAnswer } from './answers.ts';
import { alternate, IS_TWO, listenerOn, SharedSchema } from './two-servers.ts';

/** A server in this process for one test or file, with access to its internals. */
export interface TestServer extends RunningServer, AsyncDisposable {
  readonly ctx: Context;
  readonly url: string;
  readonly apiKey: string;
  readonly workspaceId: string;
  /** The id of the inbox mailbox. */
  readonly mailboxId: string;
  readonly mailDomain: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /**
   * Fetches a path of the server with the seeded key, unless the request has its own. `json` is sent as the body.
   * Rejects if the answer does not match the OpenAPI document.
   */
  api(path: string, init?: ApiInit): Promise<Response>;
  /** Creates a mailbox in the seeded workspace. */
  addMailbox(fields?: Partial<Mailbox>): Promise<TestMailbox>;
}

export interface ApiInit extends RequestInit {
  readonly json?: unknown;
}

export interface TestMailbox extends Mailbox {
  /** Returns an address of the mailbox: `<local part>@<subdomain>.<mail domain>`. */
  address(localPart?: string): string;
}

let mailboxes = 0;

/** Starts a server that is ephemeral, on free ports, without limits and with a silent log, unless `options` differ. */
export async function startServer(options: MailcapOptions = {}): Promise<TestServer> {
  const { overrides, ...given } = options;
  const defaults = { port: 0, smtpPort: 0, ephemeral: true, limits: 'off', logLevel: 'silent' };
  const config = configOf({ ...defaults, ...given }, process.cwd());
  // Of two servers with a public URL nothing tells the ports.
  const isOnOwnStore = overrides?.store !== undefined || !config.ephemeral || config.publicUrl !== null;
  const running =
    IS_TWO && !isOnOwnStore
      ? await startTwo(config, overrides)
      : await startMailcap(config, overrides === undefined ? {} : { overrides });
  const { ctx, ready } = running;
  // A public URL is the balancer's, so the test asks the port that it gave.
  const url = config.publicUrl === null ? ready.url : `http://127.0.0.1:${config.port}`;

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url + path, init);
    await checkAnswer(init.method ?? 'GET', path, response);
    return response;
  };

  const api = (path: string, { json, ...init }: ApiInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${ready.apiKey}`);
    if (json === undefined) return request(path, { ...init, headers });
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return request(path, { method: 'POST', ...init, headers, body: JSON.stringify(json) });
  };

  const addMailbox = async (fields: Partial<Mailbox> = {}): Promise<TestMailbox> => {
    const createdAt = ctx.clock.now();
    const workspace = (await ctx.store.read.workspaces.list()).find(({ id }) => id === ready.workspaceId);
    if (workspace === undefined) throw new Error('the seeded workspace is gone');
    const subdomain = fields.subdomain ?? `box-${++mailboxes}`;
    const mailbox: Mailbox = {
      id: ctx.ids.next<MailboxId>(createdAt),
      workspaceId: workspace.id,
      groupId: null,
      name: subdomain,
      subdomain,
      retentionDays: ctx.plans[workspace.plan].retentionDefaultDays,
      outboundEnabled: true,
      allowlist: [`*.${config.mailDomain}`],
      seeded: false,
      createdAt,
      ...fields,
    };
    await ctx.store.transaction((tx) => tx.mailboxes.insert(mailbox, Number.POSITIVE_INFINITY));
    return { ...mailbox, address: (localPart = 'user') => `${localPart}@${subdomain}.${config.mailDomain}` };
  };

  return {
    ...running,
    url,
    apiKey: ready.apiKey,
    workspaceId: ready.workspaceId,
    mailboxId: ready.mailboxId,
    mailDomain: ready.mailDomain,
    smtp: { host: ready.smtpHost, port: ready.smtpPort },
    api,
    addMailbox,
    [Symbol.asyncDispose]: running.close,
  };
}

/** Starts two servers on one database. They have one address, and take requests and connections in turn. */
async function startTwo(config: Config, overrides: MailcapOptions['overrides']): Promise<RunningServer> {
  const schema = new SharedSchema();
  // A test that sets the clock of `ctx` sets that of both.
  const clock = overrides?.clock ?? systemClock();
  const startOne = async (port: Pick<Config, 'port' | 'smtpPort'>) => {
    const store = await schema.open(clock);
    const running = await startMailcap(
      { ...config, ...port },
      { overrides: { ...overrides, clock, store, cluster: store.cluster } },
    );
    return { ...running, store };
  };
  const first = await startOne(config);
  const second = await startOne({ port: 0, smtpPort: 0 });
  const portsOf = ({ ready }: RunningServer) => ({
    http: listenerOn(Number(new URL(ready.url).port)),
    smtp: listenerOn(ready.smtpPort),
  });
  const [one, other] = [portsOf(first), portsOf(second)];
  alternate(one.http, other.http, ['request', 'upgrade', 'checkContinue', 'checkExpectation', 'connect']);
  alternate(one.smtp, other.smtp, ['connection']);
  // Both tell the address that clients know, as servers behind a balancer do.
  Object.assign(second.ctx.runtime, { ready: first.ready });
  const { waiters, waits, feed } = first.ctx;
  return {
    ...first,
    // Each server has awaits and subscribers of its own, and a test sees those of both.
    ctx: {
      ...first.ctx,
      waits: { ...waits, list: () => [...waits.list(), ...second.ctx.waits.list()] },
      feed: Object.create(feed, { size: { get: () => feed.size + second.ctx.feed.size } }),
      waiters: Object.create(waiters, { size: { get: () => waiters.size + second.ctx.waiters.size } }),
    },
    close: async () => {
      await Promise.all([first.close(), second.close()]);
      await Promise.all([first.store.close(), second.store.close()]);
      await schema.drop();
    },
  };
}

/** A test with fixtures: `mailcap` is one server for the file, and `mailbox` is a new mailbox for each test. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
  .extend('mailcap', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = await startServer();
    onCleanup(() => server.close());
    return server;
  })
  .extend('mailbox', ({ mailcap }) => mailcap.addMailbox());

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT_ERROR_WORDS } from '../../.build/words.ts';
import { Attempt } from '../../plugins/shared/attempt.ts';
import { whyRefused } from '../../plugins/shared/refused.ts';
import {
  type Client,
  createClient,
  findServer,
  type Mailbox,
  MailcapError,
  type Webhook,
} from '../../src/client/index.ts';
import type { WebhookId } from '../../src/domain/ids.ts';
import { startServer } from '../support/mailcap.ts';
import { asCloud, startProxy } from '../support/proxy.ts';
import { failure, type Stage, stageOf } from './modes.ts';

// Collects every error message of the client and the fixtures that a user can see in one file to review: messages.txt.

const SOON = { timeout: 100 };
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

let local: Stage;
let cloud: Stage;
let close: () => Promise<void>;

beforeAll(async () => {
  const mailcap = await startServer();
  const [plain, asTheCloud] = [await startProxy(mailcap.url), await startProxy(mailcap.url, asCloud)];
  local = stageOf('local', mailcap, plain);
  cloud = stageOf('cloud', mailcap, asTheCloud);
  close = async () => {
    await Promise.all([plain[Symbol.asyncDispose](), asTheCloud[Symbol.asyncDispose]()]);
    await mailcap.close();
  };
});
afterAll(() => close());

/** The error of each situation, by a sentence that describes it. */
const SITUATIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'No server runs here': () => createClient({ apiKey: 'svc_live_x' }).listMailboxes(),
  'A server.json that leads to another file': async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mailcap-'));
    await symlink('elsewhere', join(directory, 'server.json'));
    try {
      return await findServer(directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
  'The server is not there': async () =>
    createClient({ baseUrl: `http://127.0.0.1:${await closedPort()}`, apiKey: 'x' }).listMailboxes(),
  'There is no key': () => createClient({ baseUrl: local.mailcap.url }).listMailboxes(),
  'The key is of another server': () =>
    createClient({ baseUrl: local.mailcap.url, apiKey: 'svc_live_other' }).listMailboxes(),
  'Something else answers': () =>
    withServer((url) => createClient({ baseUrl: url, apiKey: 'x' }).listMailboxes(), '<html>Welcome</html>'),
  'The server is slow': () =>
    withServer((url) => createClient({ baseUrl: url, apiKey: 'x' }).listMailboxes(SOON), null),
  'A call of the local API, in the cloud': () => cloud.client.local.reset(),
  'The cloud does not tell its mail domain': () =>
    createClient({ baseUrl: cloud.proxy.url, apiKey: cloud.mailcap.apiKey, workspaceId: 'x' }).mailbox(),
  'The cloud does not tell where webhooks are': () =>
    createClient({ baseUrl: cloud.proxy.url, apiKey: cloud.mailcap.apiKey, mailDomain: 'x.test' }).webhook(),
  'A key that sees nothing, and no workspace': async () => {
    const { id } = await local.client.local.createWorkspace({ name: 'empty' });
    const { key } = await local.client.local.createKey(id);
    return createClient({ baseUrl: cloud.proxy.url, apiKey: key }).workspaceId();
  },

  'A misspelt option': () => box((mailbox) => mailbox.waitForMessage({}, { timeOut: 5 } as object)),
  'A misspelt filter': () => box((mailbox) => mailbox.waitForMessage({ subjekt: 'x' } as object)),
  'A filter that is a text': () => box((mailbox) => mailbox.waitForMessage('code' as unknown as object)),
  'A where that is asynchronous': () =>
    box((mailbox) => mailbox.waitForMessage({ where: (async () => true) as never })),
  'A where that returns nothing': () =>
    box(async (mailbox) => {
      await local.put(mailbox);
      return mailbox.waitForMessage({ where: (() => {}) as never });
    }),
  'A since that is no time': () => box((mailbox) => mailbox.waitForMessage({}, { since: 'today' as never })),
  'A watch that is not told how long': () => box((mailbox) => mailbox.expectNoMessage({}, {} as never)),

  'Nothing came, and the app has not connected': () =>
    box((mailbox) => mailbox.waitForMessage({ subject: 'code' }, SOON)),
  'Something else came': () =>
    box(async (mailbox) => {
      await local.put(mailbox, { Subject: 'Welcome', From: 'Shop <shop@x.test>' });
      return mailbox.waitForMessage({ subject: 'code', from: 'noreply@x.test' }, SOON);
    }),
  'It came, and an earlier wait returned it': () =>
    box(async (mailbox) => {
      await local.put(mailbox, { Subject: 'Your code' });
      await mailbox.waitForMessage();
      return mailbox.waitForMessage({ subject: 'code' }, SOON);
    }),
  'It went to another mailbox': () =>
    box(async (mailbox) => {
      await local.put(await local.client.mailbox({ name: 'another' }), { Subject: 'Astray', To: 'ada@x.test' });
      return mailbox.waitForMessage({ subject: 'astray' }, SOON);
    }),
  'Nothing came, in the cloud': async () => (await cloud.client.mailbox()).waitForMessage({}, SOON),
  'Two came': () =>
    box(async (mailbox) => {
      for (const subject of ['Your code', 'Your new code']) await local.put(mailbox, { Subject: subject });
      return mailbox.waitForMessage({ subject: 'code' });
    }),
  'One came that must not have': () =>
    box(async (mailbox) => {
      await local.put(mailbox, { Subject: 'Newsletter' });
      return mailbox.expectNoMessage({ subject: 'news' }, { for: 50 });
    }),
  'The mailbox is gone': () =>
    box(async (mailbox) => {
      await mailbox.delete();
      return mailbox.waitForMessage({}, SOON);
    }),

  'A message without a code': () => mailed('See you at 10:30.', (mailbox) => mailbox.waitForCode()),
  'A message with a link and no code': () =>
    mailed('Confirm: https://x.test/confirm', (mailbox) => mailbox.waitForCode()),
  'A message with two codes': () => mailed('Code A: 481516\nCode B: 234815', (mailbox) => mailbox.waitForCode()),
  'A pattern that matches nothing': () =>
    mailed('Hello.', (mailbox) => mailbox.waitForCode({}, { code: { pattern: /KEY-\d+/ } })),
  'A pattern that matches twice': () =>
    mailed('KEY-1 or KEY-2', (mailbox) => mailbox.waitForCode({}, { code: { pattern: /KEY-\d/ } })),
  'A message without a link': () => mailed('Hello.', (mailbox) => mailbox.waitForLink()),
  'A message without a link of that kind': () =>
    mailed('Verify: https://x.test/verify?t=1', (mailbox) => mailbox.waitForLink({}, { link: 'reset' })),
  'A message with two links': () =>
    mailed('Verify: https://x.test/verify?t=1\nVerify: https://x.test/verify?t=2', (mailbox) => mailbox.waitForLink()),
  'A link without a host': () =>
    mailed('<a href="/verify?token=a1b2c3">Verify</a>', (mailbox) => mailbox.waitForLink(), {
      'Content-Type': 'text/html',
    }),
  'A message without one click': () =>
    mailed('Hello.', async (mailbox) => (await mailbox.waitForMessage()).unsubscribe(), {
      'List-Unsubscribe': '<mailto:leave@shop.test>',
    }),
  'A one click that is refused': () =>
    mailed('Hello.', async (mailbox) => (await mailbox.waitForMessage()).unsubscribe(), {
      'List-Unsubscribe': `<${local.mailcap.url}/nowhere>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  'A link of a kind that there is not': () =>
    mailed('Hello.', (mailbox) => mailbox.waitForLink({}, { link: 'confirm' as never })),

  'No request came': () => hook((webhook) => webhook.waitForRequest({ path: '/orders' }, SOON)),
  'Another request came': () => hooked('x', (webhook) => webhook.waitForRequest({ method: 'PUT' }, SOON)),
  'Two requests came': () =>
    hooked('x', async (webhook) => {
      await fetch(webhook.url, { method: 'POST' });
      return webhook.waitForRequest();
    }),
  'A request came that must not have': () => hooked('x', (webhook) => webhook.expectNoRequest({}, { for: 50 })),
  'Requests made room for newer ones, and one may be what must not come': () =>
    hooked('x', async (webhook) => {
      // The cast is safe: the id of a handle is the id of its webhook.
      const id = webhook.id as WebhookId;
      await webhook.waitForRequest();
      await local.mailcap.ctx.store.transaction((tx) => tx.requests.trim(id, 1, 1));
      return webhook.expectNoRequest({}, { for: 50 });
    }),
  'A body that is not JSON': () => hooked('paid=1', async (webhook) => (await webhook.waitForRequest()).json()),
  'A signature by another secret': () =>
    hooked('x', async (webhook) => {
      const request = await webhook.waitForRequest();
      throw new Error(request.verify({ header: 'x-signature' }, 'secret').reason);
    }),

  'No code of an authenticator in time': async () => {
    const authenticator = local.client.authenticator({ secret: SECRET, period: 120 });
    await authenticator.code({ minRemaining: 0 });
    return authenticator.code({ minRemaining: 0, timeout: 100 });
  },
  'No code of an account that tests share': async () => {
    const options = { secret: newSecret(), period: 120 } as const;
    await local.client.authenticator(options).code({ unique: 'machine', minRemaining: 0 });
    return local.client.authenticator(options).code({ unique: 'machine', minRemaining: 0, timeout: 100 });
  },
  'No code that lasts so long': () => local.client.authenticator(SECRET).code({ minRemaining: 31_000, timeout: 5_000 }),
  'A secret that is none': async () => local.client.authenticator('my secret!'),
  'A URI that is none': async () => local.client.authenticator('otpauth://totp/ada?secret=A'),

  'An address that another test claims': async () => {
    await local.client.mailbox({ name: 'Alice resets her password', addresses: ['alice@email.com'] });
    return local.client.mailbox({ name: 'Alice signs in', addresses: ['alice@email.com'] });
  },
  'A claim that is no address': () => local.client.mailbox({ addresses: ['alice'] }),
  'A claim, in the cloud': () => cloud.client.mailbox({ addresses: ['alice@email.com'] }),
  'A claim of a mailbox that was there': () =>
    box(({ id }) => local.client.mailbox({ mailbox: id, addresses: ['a@x.test'] })),

  'In a fixture: a wait that the test has no time for': () =>
    attempted(300, async (attempt) => (await attempt.createMailbox()).waitForMessage()),
  'In a fixture: a window that the test has no time for': () =>
    attempted(300, async (attempt) => (await attempt.createMailbox()).expectNoMessage({}, { for: 5_000 })),
  'In a fixture: a connection that was refused': async () => {
    const told = whyRefused(
      'connect ECONNREFUSED 127.0.0.1:587',
      'smtp://127.0.0.1:51025',
      'Does the code under test read MAILCAP_SMTP_URL?',
    );
    throw new Error(`connect ECONNREFUSED 127.0.0.1:587\n${told}`);
  },
};

/** Returns a base32 secret that no other test and no earlier run has used. */
function newSecret(): string {
  return randomBytes(20)
    .toString('hex')
    .replace(/[0189]/g, 'g');
}

async function box(act: (mailbox: Mailbox) => Promise<unknown>): Promise<unknown> {
  return act(await local.client.mailbox());
}

function mailed(text: string, act: (mailbox: Mailbox) => Promise<unknown>, head: Record<string, string> = {}) {
  return box(async (mailbox) => {
    await local.put(mailbox, { Subject: 'Hello', ...head }, text);
    return act(mailbox);
  });
}

async function hook(act: (webhook: Webhook) => Promise<unknown>): Promise<unknown> {
  return act(await local.client.webhook());
}

function hooked(body: string, act: (webhook: Webhook) => Promise<unknown>) {
  return hook(async (webhook) => {
    await fetch(`${webhook.url}/paid`, { method: 'POST', body, headers: { 'x-signature': 'abc' } });
    return act(webhook);
  });
}

async function attempted(leftMs: number, act: (attempt: Attempt) => Promise<unknown>): Promise<unknown> {
  const runner = {
    leftMs: () => leftMs,
    limit: () => "the test's own timeout",
    advice: () => 'What the runner advises stands here.',
    step: <T>(_title: string, _site: unknown, run: () => Promise<T>) => run(),
  };
  const client: Client = local.client;
  return act(new Attempt(client, runner, { timeout: 10_000, isolation: undefined, title: 'signs up' }));
}

async function closedPort(): Promise<number> {
  const server = createTcp().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server that is not mailcap. It never answers if `says` is null. */
async function withServer(act: (url: string) => Promise<unknown>, says: string | null): Promise<unknown> {
  const server = createServer((_request, response) => void (says !== null && response.end(says))).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Replaces the parts that differ between runs by a fixed example. */
function example(text: string): string {
  return text
    .replaceAll(tmpdir(), '/tmp')
    .replace(/mailcap-\w{6}\//, 'mailcap/')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+00:00)/g, '2026-11-20T15:55:21.123Z')
    .replace(/\b0[0-9A-HJKMNP-TV-Z]{25}\b/g, '01KDZ0EXAMPLE0EXAMPLE0EXAM')
    .replace(/127\.0\.0\.1:(?!587\b|51025\b)\d+/g, '127.0.0.1:8025')
    .replace(/([a-z0-9]+-|[\s.])[a-kmnp-z2-9]{12}(?=[.@")\s,])/g, '$14k2m8x7p3q9w')
    .replace(/\/hooks\/[\w-]+/g, '/hooks/3q2-7wAAAB')
    .replace(/"requestId":"[^"]+"/g, '"requestId":"r1"')
    .replace(/\b[0-9a-f]{64}\b/g, 'f'.repeat(64))
    .replace(/The next code comes in \d+ ms/g, 'The next code comes in 17000 ms')
    .replace(/valid for only \d+ ms/g, 'valid for only 17000 ms')
    .replace(/ended after \d+ ms, before/g, 'ended after 240 ms, before')
    .replace(/ends in \d+ ms/g, 'ends in 300 ms');
}

test('the text of every error is the one in messages.txt, which has every code of the client', async () => {
  const parts: string[] = [];
  const codes = new Set<string>();
  for (const [situation, act] of Object.entries(SITUATIONS)) {
    const error = await failure(act());
    if (error instanceof MailcapError) codes.add(error.code);
    const code = error instanceof MailcapError ? ` (${error.code})` : '';
    parts.push(`# ${situation}${code}\n\n${example(error.message)}\n`);
  }
  await expect(parts.join('\n')).toMatchFileSnapshot('messages.txt');
  expect(Object.keys(CLIENT_ERROR_WORDS).filter((code) => !codes.has(code))).toEqual([]);
}, 180_000);

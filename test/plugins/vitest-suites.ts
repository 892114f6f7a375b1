// Test files of a project that uses mailcap.

/** The app that the tests of a project use. */
export const APP = `import nodemailer from 'nodemailer';
export async function send(to, subject, text, more = {}) {
  const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text, ...more });
  transport.close();
}
`;

/** Tests of the fixture that only a local server has. */
export const FAULTS = `import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';

const kept = { id: '' };
test('a fault of the test alone', async ({ mailbox, addFault, mailcap }) => {
  const refused = { stage: 'rcpt', match: { to: mailbox.address } };
  const first = await addFault({ ...refused, action: { reply: '451 4.7.1 later' }, times: 1 });
  kept.id = (await addFault({ ...refused, action: { reply: '550 5.1.1 no' } })).id;
  await expect(send(mailbox.address, 'x', 'x')).rejects.toThrow('451');
  expect(await first.applied()).toBe(1);
  await first.remove();
  await first.remove();
  expect(await first.applied()).toBe(1);
  await expect(send(mailbox.address, 'x', 'x')).rejects.toThrow('550');
  expect((await mailcap.local.listFaults()).map(({ id }) => id)).toContain(kept.id);
});

test('a fault ends with its test', async ({ mailcap }) => {
  expect(kept.id).not.toBe('');
  expect((await mailcap.local.listFaults()).map(({ id }) => id)).not.toContain(kept.id);
});
`;

/** A test that shifts its clock, and what later tests find. */
export const CLOCK = `import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';

const MONTH = 30 * 86_400;
test('a month later', async ({ mailbox, setClock, mailcap }) => {
  await send(mailbox.address, 'Welcome', 'x');
  await mailbox.waitForMessage({ subject: 'Welcome' });
  expect((await setClock({ offsetSeconds: MONTH })).offsetSeconds).toBe(MONTH);
  expect(await mailbox.messages()).toEqual([]);
  await send(mailbox.address, 'Your trial ends', 'x');
  const { receivedAt } = await mailbox.waitForMessage({ subject: 'trial ends' });
  expect(receivedAt.getTime() - Date.now()).toBeGreaterThan((MONTH - 600) * 1_000);
  expect((await mailcap.local.getClock()).offsetSeconds).toBe(0);
  await setClock(null);
  expect(await mailbox.messages()).toHaveLength(2);
  await setClock({ offsetSeconds: MONTH });
});

test('a clock is back after its test', async ({ mailcap }) => {
  const clock = await mailcap.local.getWorkspaceClock(await mailcap.workspaceId());
  expect(clock.offsetSeconds).toBe(0);
});
`;

/** Tests of every fixture and matcher. */
export const GREEN = `import { createHmac, randomBytes } from 'node:crypto';
import { describe } from 'vitest';
import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';

test('a code', async ({ mailbox }) => {
  await send(mailbox.address, 'Welcome', 'Your code is 481516.');
  await expect(mailbox).toHaveReceived({ subject: /welcome/i });
  expect(await mailbox.waitForCode({ subject: 'welcome' })).toBe('481516');
  // It has been returned, and it has been received.
  await expect(mailbox).toHaveReceived({ subject: 'Welcome' });
  await expect(mailbox).not.toHaveReceived({ subject: 'Goodbye' });
});

test('a message', async ({ mailbox }) => {
  const attachments = [{ filename: 'Invoice.pdf', content: 'x' }];
  await send(mailbox.address, 'Verify', 'Your code is 481516. Verify: https://shop.test/verify?t=1', { attachments });
  const message = await mailbox.waitForMessage();
  expect(message).toHaveCode();
  expect(message).toHaveCode('481516');
  expect(message).not.toHaveCode('000000');
  expect(message).toHaveLink('verify');
  expect(message).not.toHaveLink('unsubscribe');
  expect(message).toHaveAttachment('invoice.pdf');
});

test('a webhook', async ({ webhook, createWebhook }) => {
  const body = '{"paid": true}';
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  await fetch(webhook.url, { method: 'POST', body, headers: { 'x-hub-signature-256': 'sha256=' + signature } });
  await expect(webhook).toHaveReceived({ method: 'post' });
  const request = await webhook.waitForRequest();
  expect(request).toHaveValidSignature('github', 'secret');
  expect(request).not.toHaveValidSignature('github', 'other');
  await expect(await createWebhook()).toStayEmpty({ for: 50 });
});

test('a second factor', async ({ totp }) => {
  // A secret in base32, as a new account gets one
  const authenticator = await totp(randomBytes(20).toString('hex').replace(/[0189]/g, 'g'));
  expect(await authenticator.code({ minRemaining: 0 })).toMatch(/^[0-9]{6}$/);
}, 40_000);

// The suite has the option: from 3.2.4 on, Vitest 3 forgets the options of a test that was extended.
describe('an attempt', { retry: 1 }, () => {
  const seen = [];
  test('has a mailbox of its own', async ({ mailbox }) => {
    seen.push(mailbox.address);
    expect(new Set(seen).size).toBe(2);
  });
});

describe('a repetition', { repeats: 2 }, () => {
  const seen = [];
  test('has a mailbox of its own, and is empty', async ({ mailbox }) => {
    seen.push(mailbox.address);
    expect(new Set(seen).size).toBe(seen.length);
    expect(await mailbox.messages()).toEqual([]);
    await send(mailbox.address, 'Code', 'Your code is 481516.');
    await expect(mailbox).toHaveReceived();
  });
});

test.for([1, 2])('of a table: %s', async (count, { createMailbox, expect }) => {
  const mailboxes = await Promise.all(Array.from({ length: count }, () => createMailbox()));
  expect(new Set(mailboxes.map(({ address }) => address)).size).toBe(count);
});

test('polled', async ({ mailbox }) => {
  const sent = send(mailbox.address, 'Code', 'Your code is 481516.');
  await expect.poll(async () => (await mailbox.messages()).length).toBe(1);
  await sent;
});

test.fails('as it should', async ({ mailbox }) => {
  await expect(mailbox).toHaveReceived({ subject: 'never' }, { timeout: 50 });
});

describe.concurrent('side by side', () => {
  for (let i = 0; i < 8; i++) {
    test('test ' + i, async ({ mailbox, createMailbox, expect }) => {
      const other = await createMailbox('other');
      await Promise.all([send(mailbox.address, 'Code', 'Your code is 10000' + i), send(other.address, 'Other', 'Hello')]);
      expect(await mailbox.waitForCode()).toBe('10000' + i);
      expect(await other.messages()).toHaveLength(1);
      await expect(other).toHaveReceived({ subject: 'other' });
    });
  }
});

describe('an address', () => {
  // Version 3 has another name for it.
  const name = test.override === undefined ? 'scoped' : 'override';
  test[name]({ mailcapIsolation: 'address' });
  test('of a shared mailbox', async ({ mailbox, createMailbox }) => {
    const other = await createMailbox();
    expect(other.id).toBe(mailbox.id);
    await send(mailbox.address, 'Code', 'Your code is 100001');
    expect(await mailbox.waitForCode()).toBe('100001');
    await expect(other).toStayEmpty({ for: 50 });
  });
});
`;

/** Tests that wait for mail in vain. */
export const FAILS = `import { beforeEach, describe } from 'vitest';
import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';
test('a worker has its server', ({ mailbox }) => void mailbox, 30_000);
test('mail', async ({ mailbox }) => {
  await send(mailbox.address, 'Welcome', 'Hello.');
  await mailbox.waitForCode({ subject: 'code' });
}, 8000);
test('matcher', async ({ mailbox }) => {
  await expect(mailbox).toHaveReceived({ subject: 'code' });
}, 8000);
test('request', async ({ webhook }) => {
  await webhook.waitForRequest({ method: 'POST' });
}, 8000);
describe('a hook', () => {
  beforeEach(async ({ mailbox }) => {
    await mailbox.waitForMessage({}, { timeout: 50 });
  });
  test('hook', async ({ mailbox }) => void mailbox, 8000);
});
test('window', async ({ mailbox }) => {
  await mailbox.expectNoMessage({}, { for: 9000 });
}, 8000);
`;

/** A test file in which hooks and tests have their own timeouts. None may be counted twice. */
export const PARTS = `import { afterEach, beforeEach, describe } from 'vitest';
import { test } from 'mailcap/vitest';
import { send } from './app.js';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sendAfter = (ms, to) => void sleep(ms).then(() => send(to, 'Late', 'Hello.'));

test('a worker has its server', ({ mailbox }) => void mailbox, 20_000);
describe('a slow hook', () => {
  beforeEach(() => sleep(2000));
  test('takes nothing from the test', async ({ mailbox }) => {
    sendAfter(2000, mailbox.address);
    await mailbox.waitForMessage();
  }, 4000);
});
describe('a hook', () => {
  beforeEach(async ({ mailbox }) => {
    sendAfter(1200, mailbox.address);
    await mailbox.waitForMessage();
  });
  test('waits for longer than the test may take', async ({ mailbox }) => void mailbox, 1000);
});
describe('a hook after it', () => {
  afterEach(async ({ mailbox }) => {
    sendAfter(600, mailbox.address);
    await mailbox.waitForMessage();
  });
  test('has not the rest of its time alone', async ({ mailbox }) => void (await sleep(700), mailbox), 1000);
});
`;

/** A test file whose failures are reported, and nothing else. */
export const REPORTED = `import { describe } from 'vitest';
import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';
let runs = 0;
describe('repeated', { repeats: 2 }, () => {
  test('once', async ({ mailbox }) => {
    runs += 1;
    await send(mailbox.address, 'Run ' + runs, 'Hello.');
    await expect(mailbox).toHaveReceived();
    if (runs === 2) throw new Error('the second');
  });
});
describe('tried again', { retry: 1 }, () => {
  test('once', async ({ mailbox }) => {
    await expect(mailbox).toHaveReceived({}, { timeout: 50 });
  });
});
test.each(['a b', 'a-b'])('%s', async () => {});
test.for(['a b', 'a-b'])('%s', async (subject, { mailbox }) => {
  await send(mailbox.address, subject, 'Hello.');
  await expect.soft(mailbox).toHaveReceived({ subject: 'never' }, { timeout: 50 });
});
test.fails('as it should', async ({ mailbox }) => {
  await expect(mailbox).toHaveReceived({}, { timeout: 50 });
});
`;

/** A test whose app reads its environment during import, as apps do. */
export const GLOBAL = `import { expect, test } from 'mailcap/vitest';
import { send } from '../app.js';
const { MAILCAP_SMTP_URL: smtpUrl, MAILCAP_SMTP_HOST: host, MAILCAP_SMTP_PORT: port } = process.env;
test('mail', async ({ mailbox, mailcap }) => {
  expect(smtpUrl).toMatch(/^smtp:/);
  expect(new URL(smtpUrl).host).toBe(host + ':' + port);
  expect(process.env.RESEND_BASE_URL).toBe(process.env.MAILCAP_URL + '/providers/resend/');
  await send(mailbox.address, 'Code', 'Your code is 481516.');
  expect(await mailbox.waitForCode()).toBe('481516');
  console.log('server ' + (await mailcap.server()).url);
});
`;

/** A test file that compiles with strict types. */
export const TYPES = `import { test as base } from 'vitest';
import { expect, test, withMailcap } from 'mailcap/vitest';
const mine = withMailcap(base.extend<{ n: number }>({ n: 1 }));
mine('x', async ({ mailbox, n }) => {
  const a: string = mailbox.address + n.toFixed();
  await expect(mailbox).toHaveReceived({ subject: a });
  await expect(mailbox).toStayEmpty({ for: 1 });
  expect(await mailbox.waitForMessage()).not.toHaveCode('1');
  // @ts-expect-error no such filter
  await expect(mailbox).toHaveReceived({ subjekt: a });
});
test('y', { retry: 1 }, async ({ webhook, totp, mailcap }) => {
  expect(await webhook.waitForRequest()).toHaveValidSignature('github', 's');
  const c: string = await (await totp('x')).code();
  await mailcap.listMailboxes(); void c;
});
test.extend<{ user: string }>({ user: async ({ mailbox }, use) => use(mailbox.address) });
`;

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/mailcap.ts';
import { asCloud, startProxy } from '../support/proxy.ts';
import { makeProject, type Project } from './project.ts';

const VITEST = 'node_modules/vitest/vitest.mjs';

/** What the tests of a project need to be an app. */
const APP = `import nodemailer from 'nodemailer';
export async function send(to, subject, text, more = {}) {
  const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text, ...more });
  transport.close();
}
`;

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('app.js', APP);
});
afterAll(() => project.remove());

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly duration: number;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs Vitest in the project. */
async function vitest(file: string, env: Readonly<Record<string, string>> = {}): Promise<Report> {
  const { stdout, stderr } = await project.node([VITEST, 'run', '--reporter=json', file], env).exit;
  try {
    return JSON.parse(stdout.slice(stdout.indexOf('{"num')));
  } catch {
    throw new Error(`vitest said: ${stdout}\n${stderr}`);
  }
}

function results({ testResults }: Report): string[] {
  return testResults.flatMap(({ assertionResults, message }) =>
    assertionResults.length === 0
      ? [message]
      : assertionResults.map(({ title, status, failureMessages }) => [status, title, ...failureMessages].join(' ')),
  );
}

const GREEN = `import { createHmac, randomBytes } from 'node:crypto';
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
  // Of an account that is new: base32
  const authenticator = await totp(randomBytes(20).toString('hex').replace(/[0189]/g, 'g'));
  expect(await authenticator.code({ minRemaining: 0 })).toMatch(/^[0-9]{6}$/);
}, 40_000);

const seen = [];
test('a retry has another mailbox', { retry: 1 }, async ({ mailbox }) => {
  seen.push(mailbox.address);
  expect(new Set(seen).size).toBe(2);
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
  test.override?.({ mailcapIsolation: 'address' });
  test('of a shared mailbox', { skip: test.override === undefined }, async ({ mailbox, createMailbox }) => {
    const other = await createMailbox();
    expect(other.id).toBe(mailbox.id);
    await send(mailbox.address, 'Code', 'Your code is 100001');
    expect(await mailbox.waitForCode()).toBe('100001');
    await expect(other).toStayEmpty({ for: 50 });
  });
});
`;

test('a first test takes one import and no config, and has all fixtures and matchers', async () => {
  await project.write('green.test.js', GREEN);
  const report = await vitest('green.test.js');
  expect(results(report).filter((line) => !line.startsWith('passed'))).toEqual([]);
  expect(report.numPassedTests).toBe(14);
  expect(await project.servers()).toEqual([]);
}, 90_000);

test('the same passes where there is only the cloud API: a handle is an address of a shared mailbox', async () => {
  await using mailcap = await startServer({ starttls: 'off' });
  await using cloud = await startProxy(mailcap.url, asCloud);
  await project.write('green.test.js', GREEN);
  const report = await vitest('green.test.js', {
    MAILCAP_URL: cloud.url,
    MAILCAP_API_KEY: mailcap.apiKey,
    MAILCAP_MAIL_DOMAIN: mailcap.mailDomain,
    MAILCAP_WEBHOOK_BASE_URL: `${mailcap.url}/hooks`,
    MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
  });
  expect(results(report).filter((line) => !line.startsWith('passed'))).toEqual([]);
  const mailboxes: { name: string }[] = JSON.parse(await (await mailcap.api('/v1/mailboxes')).text());
  expect(mailboxes.map(({ name }) => name).sort()).toEqual(['Inbox', 'mailcap tests']);
}, 90_000);

test('withMailcap gives a suite its fixtures beside those it has', async () => {
  await project.write(
    'own.test.js',
    `import { expect, test as base } from 'vitest';
     import { withMailcap } from 'mailcap/vitest';
     const test = withMailcap(base.extend({ greeting: 'Hello' })).extend({
       user: async ({ mailbox, greeting }, use) => use({ email: mailbox.address, greeting }),
     });
     test('both', async ({ user, mailcap }) => {
       expect(user).toMatchObject({ greeting: 'Hello', email: expect.stringContaining('@') });
       expect(await mailcap.listMailboxes()).toHaveLength(1);
     });`,
  );
  expect(results(await vitest('own.test.js'))).toEqual(['passed both']);
}, 60_000);

describe('a wait that gets nothing', () => {
  const FAILS = `import { expect, test } from 'mailcap/vitest';
import { send } from './app.js';
test('mail', async ({ mailbox }) => {
  await send(mailbox.address, 'Welcome', 'Hello.');
  await mailbox.waitForCode({ subject: 'code' });
}, 2000);
test('matcher', async ({ mailbox }) => {
  await expect(mailbox).toHaveReceived({ subject: 'code' });
}, 2000);
test('request', async ({ webhook }) => {
  await webhook.waitForRequest({ method: 'POST' });
}, 2000);
test('window', async ({ mailbox }) => {
  await mailbox.expectNoMessage({}, { for: 3000 });
}, 2000);
`;
  let failures: ReadonlyMap<string, string> = new Map();

  test('fails its test', async () => {
    await project.write('fails.test.js', FAILS);
    const { testResults } = await vitest('fails.test.js');
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    failures = new Map(all.map(({ title, failureMessages }) => [title, failureMessages.join('\n')]));
    expect(all.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
  }, 60_000);

  test.each([
    ['mail', 'No message to', 5],
    ['request', 'No request to', 11],
    ['window', 'is to watch for 3000 ms', 14],
  ])('%s: ends before the test does, says why, and points at the line', (title, reason, line) => {
    const message = failures.get(title);
    expect(message).toContain(reason);
    expect(message).not.toContain('Test timed out');
    expect(/at .*?(\w+\.test\.js:\d+)/.exec(message ?? '')?.[1]).toBe(`fails.test.js:${line}`);
  });

  test('a matcher ends before the test does too', () => {
    expect(failures.get('matcher')).toContain('No message to');
    expect(failures.get('matcher')).not.toContain('Test timed out');
  });

  test('says that the wait was cut, and by what', () => {
    expect(failures.get('mail')).toMatch(
      /The wait was to take 10000 ms and was ended after \d+: the test's own timeout/,
    );
  });

  test('leaves what came: each message as a page and as its source, and a timeline', async () => {
    const directory = join('.mailcap', 'failures', 'fails.test.js', 'mail');
    expect(failures.get('mail')).toContain(`What came, to look at: ${directory}`);
    const files = await readdir(join(project.directory, directory));
    expect(files.sort()).toEqual(['mailbox-mail-1-Welcome-source.eml', 'mailbox-mail-1-Welcome.html', 'mailbox.json']);
    const { timeline } = JSON.parse(await project.read(join(directory, 'mailbox.json')));
    expect(timeline).toMatchObject([
      { opened: true },
      { came: 'Welcome' },
      { call: 'waitForCode', filter: '{ subject: "code" }' },
    ]);
  });
});

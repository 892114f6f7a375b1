import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/mailcap.ts';
import { asCloud, startProxy } from '../support/proxy.ts';
import { makeProject, type Project } from './project.ts';
import { results, vitest } from './vitest-project.ts';
import { APP, CLOCK, FAILS, FAULTS, GREEN } from './vitest-suites.ts';

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('app.js', APP);
});
afterAll(() => project.remove());

/** A test of a suite that has fixtures of its own. */
const WITH_OWN = `import { expect, test as base } from 'vitest';
import { withMailcap } from 'mailcap/vitest';
const test = withMailcap(base.extend({ greeting: 'Hello' })).extend({
  user: async ({ mailbox, greeting }, use) => use({ email: mailbox.address, greeting }),
});
test('both', async ({ user, mailcap }) => {
  expect(user).toMatchObject({ greeting: 'Hello', email: expect.stringContaining('@') });
  expect(await mailcap.listMailboxes()).toHaveLength(1);
});
`;

/** On a busy machine a test that makes no claim about time may take longer than the five seconds of Vitest's default. */
const PATIENT = ['--testTimeout=120000'];

test('a first test takes one import and no config, and has all fixtures and matchers; withMailcap gives them to a suite beside those it has', async () => {
  await project.write('green.test.js', GREEN);
  await project.write('green-with-own.test.js', WITH_OWN);
  await project.write('green-faults.test.js', FAULTS);
  await project.write('green-clock.test.js', CLOCK);
  const report = await vitest(project, 'green', {}, PATIENT);
  expect(results(report).filter((line) => !line.startsWith('passed'))).toEqual([]);
  expect(results(report)).toContain('passed both');
  expect(report.numPassedTests).toBe(24);
  expect(await project.servers()).toEqual([]);
}, 180_000);

test('the same test passes with the cloud API alone, where a handle is an address of a shared mailbox', async () => {
  await using mailcap = await startServer({ starttls: 'off' });
  await using cloud = await startProxy(mailcap.url, asCloud);
  await project.write('green.test.js', GREEN);
  const env = {
    MAILCAP_URL: cloud.url,
    MAILCAP_API_KEY: mailcap.apiKey,
    MAILCAP_MAIL_DOMAIN: mailcap.mailDomain,
    MAILCAP_WEBHOOK_BASE_URL: `${mailcap.url}/hooks`,
    MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
  };
  const report = await vitest(project, 'green.test.js', env, PATIENT);
  expect(results(report).filter((line) => !line.startsWith('passed'))).toEqual([]);
  const mailboxes: { name: string }[] = JSON.parse(await (await mailcap.api('/v1/mailboxes')).text());
  expect(mailboxes.map(({ name }) => name).sort()).toEqual(['Inbox', 'mailcap tests']);
}, 180_000);

test('a value that mailcapAttach or mailcapKeep can not have fails the test', async () => {
  await project.write(
    'wrong.test.js',
    `import { test } from 'mailcap/vitest';
for (const option of ['mailcapAttach', 'mailcapKeep'])
  test.extend({ [option]: 'on' })(option, async ({ mailbox }) => void mailbox.address);
`,
  );
  const { testResults } = await vitest(project, 'wrong.test.js', {}, PATIENT);
  const told = testResults.flatMap(({ assertionResults }) => assertionResults).map(({ failureMessages: [why] }) => why);
  expect(told).toEqual(
    ['mailcapAttach', 'mailcapKeep'].map((name) =>
      expect.stringContaining(`${name} must be 'on-failure' or 'off'; it is "on".`),
    ),
  );
}, 180_000);

describe('a wait without a result', () => {
  let failures: ReadonlyMap<string, string> = new Map();

  test('fails its test', async () => {
    await project.write('fails.test.js', FAILS);
    const { testResults } = await vitest(project, 'fails.test.js');
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    failures = new Map(all.map(({ title, failureMessages }) => [title, failureMessages.join('\n')]));
    const [first, ...others] = all.map(({ status }) => status);
    expect(first).toBe('passed');
    expect(others).toEqual(['failed', 'failed', 'failed', 'failed', 'failed']);
  }, 180_000);

  test.each([
    ['mail', 'No message to', 7],
    ['matcher', 'No message to', 10],
    ['request', 'No request to', 13],
    ['hook', 'No message to', 17],
    ['window', 'should watch for 9000 ms', 22],
  ])('%s: ends before the test does, says why, and points at the line', (title, reason, line) => {
    const message = failures.get(title);
    expect(message).toContain(reason);
    expect(message).not.toContain('Test timed out');
    expect(/at .*?(\w+\.test\.js:\d+)/.exec(message ?? '')?.[1]).toBe(`fails.test.js:${line}`);
  });

  test('says that the wait was cut, and by what', () => {
    expect(failures.get('mail')).toMatch(
      /The timeout of the wait is 10000 ms\. It ended after \d+ ms, before the test's own timeout/,
    );
  });

  test('leaves each message as a page and as its source, and a timeline', async () => {
    const directory = join('.mailcap', 'failures', 'fails.test.js', 'mail');
    expect(failures.get('mail')).toContain(`The received mail and requests are in: ${directory}`);
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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { PLAYWRIGHT } from '../plugins/playwright-project.ts';
import { makeProject } from '../plugins/project.ts';
import { VITEST } from '../plugins/vitest-project.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { obeyedIn } from '../support/obeyed.ts';
import { HOSTILE, sendHostileMail, sendHostileRequest } from './hostile-text.ts';

/** A server that has received the hostile mail and the hostile request. */
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await sendHostileMail(server.smtp, 'ada@inbox.mailcap.example.com');
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  await client.createMailbox({ name: '::error::a ##[group]b ##vso[c]', subdomain: 'other' });
  const { key } = await client.createWebhook({ name: 'hook' });

  await sendHostileRequest(`${server.ready.webhookBaseUrl}/${key}`);
});
afterAll(() => server.close());

test('the attack: the hostile text arrives as it was sent', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const [summary] = await client.listMessages(server.mailboxId);
  const message = await client.getMessage(server.mailboxId, summary?.id ?? '');
  for (const text of [
    message.subject,
    message.from,
    message.textBody,
    message.htmlBody,
    message.attachments[0]?.filename,
  ])
    expect(obeyedIn(text ?? '').length).toBeGreaterThan(0);
  expect(obeyedIn(HOSTILE)).toContain('::error title=a::one');
});

test.each([
  [['messages', 'list'], 0],
  [['messages', 'list', '--json'], 0],
  [['messages', 'list', 'from:nobody'], 0],
  [['messages', 'show'], 0],
  [['messages', 'show', '--json'], 0],
  [['messages', 'show', '--agent'], 0],
  [['messages', 'check'], 1],
  [['messages', 'check', '--json'], 1],
  [['messages', 'wait', '--since', '5m'], 0],
  [['messages', 'wait', '--since', '5m', '--code'], 1],
  [['messages', 'wait', '--since', '5m', '--link'], 0],
  [['messages', 'wait', '--since', '5m', '--link', 'reset'], 1],
  [['messages', 'wait', '--since', '5m', '--timeout', '0.1', '--subject', 'another'], 3],
  [['messages', 'delete', 'from:app'], 2],
  [['mailboxes', 'list'], 0],
  [['mailboxes', 'delete', 'other'], 2],
  [['webhooks', 'list'], 0],
  [['webhooks', 'requests', 'hook'], 0],
  [['webhooks', 'requests', 'hook', '--json'], 0],
  [['webhooks', 'show', 'hook'], 0],
  [['webhooks', 'show', '1', '--webhook', 'hook'], 0],
  [['webhooks', 'show', '1', '--webhook', 'hook', '--json'], 0],
  [['webhooks', 'record', 'hook'], 0],
  [['webhooks', 'show', HOSTILE], 1],
  [['messages', 'show', HOSTILE], 2],
  [['keys', 'list'], 0],
  [['status'], 0],
  [['health'], 0],
  [['env'], 0],
  [[HOSTILE], 2],
  [['messages', 'list', `--${HOSTILE}`], 2],
])('no runner, terminal or reader obeys what a command prints: %j', async (args, code) => {
  const run = commandLine(server, await temporaryDirectory());
  for (const env of [{ NO_COLOR: '1' }, { CI: 'true', NO_COLOR: '1', MAILCAP_LOG_LEVEL: 'debug' }]) {
    const exit = await run(args, { env });
    expect(exit).toMatchObject({ code });
    expect(obeyedIn(exit.stdout)).toEqual([]);
    expect(obeyedIn(exit.stderr)).toEqual([]);
  }
});

test('no runner, terminal or reader obeys an error of the client, its cause or its stack', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const mailbox = await client.mailbox();
  for (let at = 0; at < 2; at++) await sendHostileMail(server.smtp, mailbox.address);
  const webhook = await client.webhook();
  for (let at = 0; at < 2; at++) await sendHostileRequest(webhook.url);
  const soon = { timeout: 100 };
  const [message] = await mailbox.messages();
  const [captured] = await webhook.requests();
  const calls: Record<string, () => unknown> = {
    several: () => mailbox.waitForMessage({}, soon),
    none: () => mailbox.waitForMessage({ subject: 'another' }, soon),
    unexpected: () => mailbox.expectNoMessage({}, { for: 10 }),
    codes: () => message?.code(),
    noCode: () => message?.code({ length: 9 }),
    links: () => message?.link('reset'),
    severalRequests: () => webhook.waitForRequest({}, soon),
    noRequest: () => webhook.waitForRequest({ path: '/another' }, soon),
    notJson: () => captured?.json(),
    option: () => createClient({ baseUrl: HOSTILE }),
    filter: () => mailbox.messages({ [HOSTILE]: 1 } as object),
    notFound: () => client.getMessage(server.mailboxId, HOSTILE),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await Promise.resolve()
      .then(call)
      .then(
        () => expect.fail(`${name} throws nothing`),
        (thrown: unknown) => thrown,
      );
    expect(error, name).toMatchObject({ name: expect.stringMatching(/Error$/), code: expect.any(String) });
    const { message: said, stack, cause, hint } = error as Error & { hint: string | null };
    for (const text of [said, stack, hint, String(cause), inspect(error)])
      expect([name, obeyedIn(text ?? '')]).toEqual([name, []]);
  }
});

/** Two tests in which a wait and each matcher fails. A runner starts anew after a failed test, so there are only two. */
const FAILING = (library: string) => `import { expect, test } from '${library}';
import { sendHostileMail, sendHostileRequest } from './hostile.ts';
const smtp = { host: process.env.HOST, port: Number(process.env.PORT) };
test('a mail', async ({ mailbox }) => {
  await sendHostileMail(smtp, mailbox.address);
  const message = await mailbox.waitForMessage();
  await expect.soft(mailbox).toHaveReceived({ subject: 'absent' }, { timeout: 100 });
  await expect.soft(mailbox).not.toHaveReceived();
  expect.soft(message).toHaveCode('1');
  expect.soft(message).toHaveLink('reset');
  expect.soft(message).toHaveAttachment('a.pdf');
  await expect.soft(message).toPassEmailChecks();
  await expect.soft(message).toBeUnsubscribable();
  await sendHostileMail(smtp, mailbox.address);
  await expect.soft(mailbox).toStayEmpty({ for: 10 });
  await mailbox.waitForMessage({ subject: 'absent' }, { timeout: 100 });
});
test('a request', async ({ webhook }) => {
  await sendHostileRequest(webhook.url);
  const request = await webhook.waitForRequest();
  expect.soft(request).toHaveValidSignature('stripe', 'whsec_x');
  await expect.soft(webhook).not.toHaveReceived();
  request.json();
});
`;

/** A part of the message of each failure. */
const FAILURES = [
  'matched { subject: "absent" }',
  'should not have received anything',
  'should have the code 1',
  'no link of kind reset',
  'should have the attachment a.pdf',
  'Its attachments: ',
  'error ',
  'offers no one-click unsubscribe',
  'The signature of POST ',
  'is not JSON',
];
/** A runner's own marks of where a test failed would be commands of GitHub Actions. */
const NOWHERE = { GITHUB_ACTIONS: '', CI: '', NO_COLOR: '1' };

/** Runs the failing tests, and returns all output of the runner. */
async function outputOf(library: string, file: string, command: readonly string[]): Promise<string> {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  await project.write('hostile.ts', await readFile(join(import.meta.dirname, 'hostile-text.ts'), 'utf8'));
  await project.write(file, FAILING(library));
  const { apiKey, smtp, url } = server;
  const found = { MAILCAP_URL: url, MAILCAP_API_KEY: apiKey, HOST: smtp.host, PORT: `${smtp.port}` };
  const { code, stdout, stderr } = await project.node(command, { ...NOWHERE, ...found }).exit;
  expect(code).toBe(1);
  return stdout + stderr;
}

const RUNNERS = [
  { name: 'Vitest', library: 'mailcap/vitest', file: 'a.test.ts', command: [VITEST, 'run', '--testTimeout=120000'] },
  {
    name: 'Playwright',
    library: 'mailcap/playwright',
    file: 'a.spec.ts',
    command: [PLAYWRIGHT, 'test', '--reporter=list', '--workers=1'],
  },
];

test.each(byDay(RUNNERS, ({ name }) => name === 'Vitest'))(
  'no runner of CI obeys what $name prints of failed waits and matchers',
  { timeout: 180_000 },
  async ({ library, file, command }) => {
    const output = await outputOf(library, file, command);
    expect(output).toMatch(/\b2 failed/);
    for (const said of FAILURES) expect(output).toContain(said);
    expect(obeyedIn(output)).toEqual([]);
  },
);

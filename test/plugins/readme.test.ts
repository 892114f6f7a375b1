import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { failure } from '../client/modes.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { blocksOf, README } from '../support/readme.ts';
import { makeProject } from './project.ts';

const SOON = { timeout: 100 };
const BLOCKS = blocksOf(README);

test.each([
  ['playwright', 'quick.spec.js', ['node_modules/@playwright/test/cli.js', 'test'], '1 passed'],
  ['vitest', 'quick.test.js', ['node_modules/vitest/vitest.mjs', 'run'], '1 passed'],
  ['node', 'quick.test.mjs', ['--test'], '# pass 1'],
])(
  'the quick start for %s is a test that passes, without a config',
  async (mark, file, command, says) => {
    const project = await makeProject();
    onTestFinished(() => project.remove());
    await project.write(file, blockOf(mark));
    const { code, stdout } = await project.node(command).exit;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(says) });
  },
  60_000,
);

test('the errors it shows are those that come', async () => {
  const mailcap = await startServer({ starttls: 'off', catchAll: 'off' });
  onTestFinished(() => mailcap.close());
  const { url: baseUrl, apiKey } = mailcap;
  const client = createClient({ baseUrl, apiKey });
  const mailbox = await client.mailbox({ name: 'sign-up' });
  const webhook = await client.webhook();

  await send(mailcap, mailbox.address, 'Welcome');
  const unmatched = await failure(mailbox.waitForCode({ subject: 'your code' }, SOON));
  const [another, billing] = [await client.mailbox({ name: 'sign-up' }), await client.mailbox({ name: 'billing' })];
  await failure(send(mailcap, 'ada@exmaple.com', 'Your code'));
  await send(mailcap, billing.address, 'Your code');
  const astray = await failure(another.waitForCode({ subject: 'your code' }, SOON));
  const silent = await failure(webhook.waitForRequest({ method: 'POST', path: '/orders' }, SOON));
  const shown = [unmatched, astray, silent].map(({ name, message }) => `${name}: ${stable(message)}\n`);
  expect(shown.join('\n')).toBe(blockOf('errors'));
});

async function send({ smtp }: TestServer, to: string, subject: string): Promise<void> {
  const transport = createTransport({ ...smtp });
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text: 'Hello.' });
}

/** With what differs from run to run as it might be. */
function stable(message: string): string {
  return message
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)/g, '2026-11-20T15:55:21.123+00:00')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8025')
    .replace(/(?<=hooks\/)[\w-]{43}/g, '3q2-7wAAAB')
    .replace(/-[a-z0-9]{12}(?=\.mailcap\.test|,|\))/g, '-4k2m')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '01KAEX');
}

function blockOf(mark: string): string {
  const block = BLOCKS.find((one) => one.mark === mark);
  if (block === undefined) throw new Error(`the README has no block ${mark}`);
  return block.text;
}

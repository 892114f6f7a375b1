import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { PROVIDER_NAMES } from '../../src/domain/provider.ts';
import { json } from '../http/support.ts';
import { test } from '../support/mailcap.ts';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';

const exec = promisify(execFile);
const BLOCKS = blocksOf(readPage('docs/providers.md'));

/** What the snippet of each provider needs, beside the address of the server. */
const VARIABLES: Readonly<Record<string, (url: string) => Readonly<Record<string, string>>>> = {
  resend: (url) => ({ RESEND_BASE_URL: `${url}/providers/resend/` }),
  sendgrid: (url) => ({ MAILCAP_URL: url }),
  postmark: (url) => ({ MAILCAP_URL: url }),
  mailgun: (url) => ({ MAILCAP_URL: url }),
  ses: (url) => ({ AWS_ENDPOINT_URL_SESV2: `${url}/providers/ses` }),
  brevo: (url) => ({ MAILCAP_URL: url }),
  mailersend: (url) => ({ MAILCAP_URL: url }),
  mailtrap: (url) => ({ MAILCAP_URL: url }),
  customerio: (url) => ({ MAILCAP_URL: url }),
};

/** The providers of text messages, which docs/text-messages.md is about. */
const OF_TEXTS: readonly string[] = ['twilio', 'sns', 'vonage'];
const TEXT_BLOCKS = blocksOf(readPage('docs/text-messages.md'));

test('the pages have a snippet for each provider', () => {
  expect(BLOCKS.map(({ mark }) => mark).sort()).toEqual([...Object.keys(VARIABLES), 'fault', 'fixed'].sort());
  expect(Object.keys(VARIABLES)).toEqual(PROVIDER_NAMES.filter((name) => !OF_TEXTS.includes(name)));
  expect(TEXT_BLOCKS.map(({ mark }) => mark).sort()).toEqual([...OF_TEXTS, 'test', 'phone'].sort());
});

test.for(Object.keys(VARIABLES))('its snippet of %s sends a mail', async (name, { mailcap }) => {
  const snippet = BLOCKS.find(({ mark }) => mark === name)?.text ?? '';
  const env = { ...process.env, ...VARIABLES[name]?.(mailcap.url) };
  await exec(process.execPath, ['--input-type=module', '--eval', snippet], { cwd: ROOT, env });
  const found = await json<{ items: unknown[] }>(
    mailcap.api(`/_mailcap/messages?q=${encodeURIComponent('to:ada@example.com')}`),
  );
  expect(found.items[0]).toMatchObject({ subject: expect.stringMatching(new RegExp(name, 'i')) });
});

test('its file sends what an app fetches from a provider’s address to the server', async ({ mailcap, mailbox }) => {
  const file = BLOCKS.find(({ mark }) => mark === 'fixed')?.text ?? '';
  const mail = { from: 'a@acme.test', to: mailbox.address(), subject: 'Fixed', text: 'Hello' };
  const init = `{ method: 'POST', headers: { authorization: 'Bearer any', 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(mail))} }`;
  const url = JSON.stringify('https://api.resend.com/emails');
  const app = `${file}\nconst all = [await fetch(${url}, ${init}), await fetch(new Request(${url}, ${init}))];
console.log(all.map(({ status }) => status).join());`;
  const env = { ...process.env, MAILCAP_URL: mailcap.url };
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', app], { cwd: ROOT, env });
  expect(stdout.trim()).toBe('200,200');
  const found = await json<{ subject: string }[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`));
  expect(found.map(({ subject }) => subject)).toEqual(['Fixed', 'Fixed']);
});

test('the fault rule of the page answers one request in the provider’s place', async ({ mailcap, mailbox }) => {
  const rule = BLOCKS.find(({ mark }) => mark === 'fault')?.text.match(/-d '(.*)'/s)?.[1] ?? '';
  expect((await mailcap.api('/_mailcap/faults', { json: JSON.parse(rule) })).status).toBe(201);
  const send = () =>
    fetch(`${mailcap.url}/providers/resend/emails`, {
      method: 'POST',
      headers: { authorization: 'Bearer re_any', 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' }),
    });
  const refused = await send();
  expect([refused.status, await refused.json()]).toMatchObject([429, { name: 'rate_limit_exceeded' }]);
  expect((await send()).status).toBe(200);
});

test.for(OF_TEXTS)('the snippet of %s sends a text message', async (name, { mailcap }) => {
  const snippet = TEXT_BLOCKS.find(({ mark }) => mark === name)?.text ?? '';
  await exec(process.execPath, ['--input-type=module', '--eval', snippet], {
    cwd: ROOT,
    env: { ...process.env, MAILCAP_URL: mailcap.url, AWS_ENDPOINT_URL_SNS: `${mailcap.url}/providers/sns` },
  });
  const found = await json<{ items: unknown[] }>(
    mailcap.api(`/_mailcap/messages?query=${encodeURIComponent(`is:sms to:12025550101 body:${name}`)}`),
  );
  expect(found.items.length).toBeGreaterThan(0);
});

test.for([
  ['test', 'Your code is 482913.'],
  ['phone', 'You will get no more texts.'],
])('the %s of the page gets a text message', async ([name, told], { mailcap }) => {
  const snippet = TEXT_BLOCKS.find(({ mark }) => mark === name)?.text ?? '';
  const env = { ...process.env, MAILCAP_URL: mailcap.url, MAILCAP_API_KEY: mailcap.apiKey };
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', snippet], { cwd: ROOT, env });
  expect(stdout.trim()).toBe(told);
});

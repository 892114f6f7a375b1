import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createMailcap } from '../../src/index.ts';
import { WALKED_SENTENCES } from '../package/walked-sentences.ts';
import { BIN, temporaryDirectory, withoutOurs } from '../support/cli.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

// Sentences of the documentation that no other test reads, each beside what it claims.

const exec = promisify(execFile);

/** Checks that a page has a sentence, so that a change of the sentence changes its test. */
function says(page: string, sentence: string): void {
  expect(readPage(page)).toContain(sentence);
}

test('the lines of the README start the mail server before the app', () => {
  const config = new Function('mailcapWebServer', `return {${blockOf('README.md', 'webserver')}}`);
  expect(config(() => 'the mail server').webServer).toEqual([
    'the mail server',
    expect.objectContaining({ command: 'npm start' }),
  ]);
  expect(blockOf('docs/playwright.md', 'playwrightconfig')).toMatch(/webServer: \[\s*mailcapWebServer\(\),/);
});

test.for(Object.values(WALKED_SENTENCES))(
  '$page says what the walk of the package follows: $sentence',
  ({ page, sentence }) => {
    expect(readPage(page)).toMatch(sentence);
  },
);

test('no page says that a runner needs no configuration, or that every test of another catcher runs', () => {
  for (const page of ['README.md', 'docs/playwright.md', 'docs/vitest.md', 'docs/cli.md'])
    expect(readPage(page), page).not.toMatch(/no configuration|need nothing/);
  for (const page of ['README.md', 'docs/from-mailpit.md', 'docs/from-mailhog.md', 'docs/from-maildev.md'])
    expect(readPage(page), page).not.toMatch(/(?:your tests|Tests that were written for [^.]*) (?:pass|run) unchanged/);
});

test('a mail from a mailbox to itself is listed twice', async () => {
  says('docs/api.md', 'so a mail from a mailbox to itself is listed twice there.');
  await using server = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, logLevel: 'silent' });
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const mailbox = await client.mailbox();
  await mailbox.send({ from: mailbox.address, to: mailbox.address, subject: 'Once', textBody: 'x' });
  await expect.poll(async () => (await client.listMessages(mailbox.id)).length).toBe(2);
});

test('what the config file allows is allowed for a mailbox that exists already', async () => {
  says(
    'docs/options.md',
    'patterns that every mailbox may send to, beside those of its own allowlist, which `mailcap mailboxes update <mailbox> --allow` extends',
  );
  const dataDir = join(await temporaryDirectory(), 'state');
  const options = { port: 0, smtpPort: 0, dataDir, logLevel: 'silent' } as const;
  const send = async (given: object) => {
    await using server = await createMailcap({ ...options, ...given });
    const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
    const from = `app@${server.mailDomain}`;
    return await client.sendEmail(server.mailboxId, { from, to: 'ada@example.org', textBody: 'x' });
  };
  await expect(send({})).rejects.toMatchObject({ code: 'recipients_not_allowed' });
  expect(await send({ allowlist: ['*@example.org'] })).toMatchObject({ status: 'queued' });
  // The mailbox keeps its own list.
  await expect(send({})).rejects.toMatchObject({ code: 'recipients_not_allowed' });
});

test('a wait takes a kind of link and the base of links without a host', async () => {
  says('docs/client.md', "waitForLink({}, { link: { kind: 'verify', base: 'https://app.test' } })");
  await using server = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, logLevel: 'silent' });
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const mailbox = await client.mailbox();
  const html =
    '<a href="/verify?token=5f2b9c0d1e7a">Verify your address</a> <a href="https://x.test/unsubscribe">Unsubscribe</a>';
  await client.local.putMessage(
    mailbox.id,
    `To: ${mailbox.address}\r\nSubject: Hi\r\nContent-Type: text/html\r\n\r\n${html}`,
  );
  const link = await mailbox.waitForLink({}, { link: { kind: 'verify', base: 'https://app.test' } });
  expect(String(link)).toBe('https://app.test/verify?token=5f2b9c0d1e7a');
});

test('the methods of client.local are those that the API page lists', async () => {
  says('docs/client.md', '`client.local` has those of [the local API](api.md#the-local-api), without `followFeed`');
  const page = readPage('docs/api.md');
  const table = page.slice(page.indexOf('<!-- table: local-operations -->')).split('<!-- end of table -->')[0] ?? '';
  const listed = [...table.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name);
  const methods = Object.keys(createClient({ baseUrl: 'http://127.0.0.1:1' }).local);
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter((name) => name !== 'followFeed').sort()).toEqual(methods.sort());
});

unless(test, lacking('bash'))(
  'the script of a server in the background runs twice in a row',
  async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'node_modules', '.bin'), { recursive: true });
    await symlink(BIN, join(cwd, 'node_modules', '.bin', 'mailcap'));
    await writeFile(join(cwd, 'package.json'), '{ "scripts": { "test": "mailcap status" } }');
    const env = { ...withoutOurs(), MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0' };
    for (const _ of [1, 2]) {
      const { stdout } = await exec('bash', ['-euo', 'pipefail', '-c', blockOf('docs/cli.md', 'background')], {
        cwd,
        env,
      });
      expect(stdout).toContain('0 messages');
    }
  },
  120_000,
);

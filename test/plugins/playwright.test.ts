import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/mailcap.ts';
import { BY_DAY, byDay, IS_NIGHT } from '../support/night.ts';
import { asCloud, startProxy } from '../support/proxy.ts';
import { unless } from '../support/unless.ts';
import {
  contentOf,
  FAILS,
  failuresOf,
  GREEN,
  installOldest,
  makePlaywrightProject,
  OLDEST,
  PLAYWRIGHT,
  playwright,
  type Result,
  resultsOf,
  type Step,
  VERSIONS,
} from './playwright-project.ts';
import type { Project } from './project.ts';

/** By day two workers are those of the failures, which end one with each test. */
const WORKERS = `--workers=${IS_NIGHT ? 2 : 1}`;

describe.each(VERSIONS)('with the Playwright %s', (version) => {
  const isOldest = version === OLDEST;
  let project: Project;
  let remove = async () => {};

  beforeAll(async () => {
    const oldest = isOldest ? await installOldest() : { instead: {}, remove };
    remove = oldest.remove;
    project = await makePlaywrightProject(oldest.instead);
  }, 120_000);
  afterAll(async () => {
    await project.remove();
    await remove();
  });

  // There is one by day.
  unless(test, BY_DAY)('is that one', async () => {
    const { stdout } = await project.node([PLAYWRIGHT, '--version']).exit;
    expect(stdout.includes(OLDEST)).toBe(isOldest);
  });

  test('a first test takes one import and no config, and has all fixtures and matchers', async () => {
    await project.write('green.spec.js', GREEN);
    const report = await playwright(project, [WORKERS, '--retries=1']);
    expect(failuresOf(report).filter((line) => !line.startsWith('a mailbox of each attempt'))).toEqual([]);
    expect(report.stats).toMatchObject({ expected: 7, flaky: 1, unexpected: 0 });
    expect(await project.servers()).toEqual([]);
  }, 120_000);

  // By day the same suite with Vitest stands for it: the client, which both have, does what differs there.
  unless(test, BY_DAY)(
    'the same test passes with the cloud API alone, where a handle is an address of a shared mailbox',
    async () => {
      await using mailcap = await startServer({ starttls: 'off' });
      await using cloud = await startProxy(mailcap.url, asCloud);
      await project.write('green.spec.js', GREEN);
      const report = await playwright(project, ['green.spec.js', WORKERS, '--retries=1'], {
        MAILCAP_URL: cloud.url,
        MAILCAP_API_KEY: mailcap.apiKey,
        MAILCAP_MAIL_DOMAIN: mailcap.mailDomain,
        MAILCAP_WEBHOOK_BASE_URL: `${mailcap.url}/hooks`,
        MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
      });
      expect(failuresOf(report).filter((line) => !line.startsWith('a mailbox of each attempt'))).toEqual([]);
      expect(report.stats).toMatchObject({ expected: 7, flaky: 1, unexpected: 0 });
      const mailboxes: { name: string }[] = JSON.parse(await (await mailcap.api('/v1/mailboxes')).text());
      expect(mailboxes.map(({ name }) => name).sort()).toEqual(['Inbox', 'mailcap tests']);
      expect(cloud.seen.filter(({ path }) => path.startsWith('/v1/mailboxes')).length).toBeGreaterThan(0);
    },
    120_000,
  );

  describe('a wait without a result', () => {
    const WAITS: [string, string, number][] = [
      ['mail', 'No message to', 7],
      ['matcher', 'No message to', 10],
      ['request', 'No request to', 13],
      ['quiet', 'within 100 ms', 18],
    ];
    // Each starts a worker. Vitest has the others by day too, and the client says the same to both.
    const waits = byDay(WAITS, ([title]) => title === 'mail' || title === 'matcher');
    let results: ReadonlyMap<string, readonly Result[]> = new Map();

    test('fails its test', async () => {
      await project.write('fails/mail.spec.js', FAILS);
      await using mailcap = await startServer({ starttls: 'off' });
      // Each failed test ends its worker. The next one need not start a server of its own.
      const titles = waits.map(([title]) => title).join('|');
      const report = await playwright(
        project,
        ['fails/', '--workers=1', '--reporter=json', '--grep', ` (${titles})$`],
        {
          MAILCAP_URL: mailcap.url,
          MAILCAP_API_KEY: mailcap.apiKey,
          MAILCAP_SMTP_URL: mailcap.ready.smtpUrl,
        },
      );
      results = resultsOf(report);
      expect(report.stats).toMatchObject({ expected: 0, unexpected: waits.length });
    }, 120_000);

    test.each(waits)('%s: ends before the test does, says why, and points at the line', (title, reason, line) => {
      const [error, ...more] = results.get(title)?.[0]?.errors ?? [];
      expect(error?.message).toContain(reason);
      expect(error?.message).not.toContain('Test timeout');
      expect(error?.location).toMatchObject({ file: expect.stringContaining('mail.spec.js'), line });
      expect(more).toEqual([]);
    });

    test('is a step with its filter', () => {
      const titles = (steps: readonly Step[] = []): string[] =>
        steps.flatMap(({ title, steps: inner }) => [title, ...titles(inner)]);
      expect(titles(results.get('mail')?.[0]?.steps)).toContainEqual(
        expect.stringMatching(/^waitForCode \{ subject: "code" \} at user@mail-/),
      );
    });

    test('attaches each message as a page and as its source, a timeline, and the requests', async () => {
      const all = results.get('mail')?.[0]?.attachments ?? [];
      // Playwright adds these attachments itself.
      const attachments = all.filter(({ name }) => !['error-context', '_prompt-0'].includes(name));
      expect(attachments.map(({ name, contentType }) => [name, contentType])).toEqual([
        ['mailbox.json', 'application/json'],
        ['mailbox mail 1: Welcome <b>', 'text/html'],
        ['mailbox mail 1: Welcome <b> (source)', 'message/rfc822'],
        ['webhook.json', 'application/json'],
      ]);
      const [overview, page, source, requests] = await Promise.all(attachments.map(contentOf));
      expect(JSON.parse(overview ?? '').timeline).toMatchObject([
        { opened: true },
        { came: 'Welcome <b>' },
        { call: 'waitForCode' },
      ]);
      expect(page).toContain('<h1>Welcome &#60;b&#62;</h1>');
      expect(page).toContain('<iframe sandbox srcdoc=');
      expect(page).not.toContain('<script>');
      expect(source).toMatch(/^Subject: Welcome <b>\r$/m);
      expect(JSON.parse(requests ?? '').requests).toMatchObject([{ method: 'POST', body: '{"paid":true}' }]);
    });
  });
});

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test as base, type Fixtures, type TestInfo } from '@playwright/test';
import type { Authenticator, AuthenticatorOptions, Client, Mailbox, Webhook } from '../../src/client/index.ts';
import { located, locatedSync, steady } from '../../src/client/internal.ts';
import { Attempt, amend, type CreateMailboxOptions, type Runner } from '../shared/attempt.ts';
import { whyRefused } from '../shared/refused.ts';
import { reportOf } from '../shared/report.ts';
import { openWorker } from '../shared/worker.ts';

/** Options of a project's `use`. */
export interface MailcapWorkerOptions {
  /** The server's `{base_url}`; if left out MAILCAP_URL, else the server that runs here or above; else one is started for the worker. */
  mailcapUrl: string | undefined;
  /** The API key; MAILCAP_API_KEY if left out. */
  mailcapApiKey: string | undefined;
}

/** Options of a project's `use`, or of `test.use`. */
export interface MailcapTestOptions {
  /** Milliseconds of a wait that is given none; 10,000 if left out. A wait ends before the test's own timeout, whatever it was given. */
  mailcapTimeout: number;
  /** Whether the report of a test that fails gets what its handles got. */
  mailcapAttach: 'on-failure' | 'on' | 'off';
  /** A handle is a mailbox of its own, or an address of a shared one; the first where the server allows it. */
  mailcapIsolation: 'mailbox' | 'address' | undefined;
  /**
   * Addresses that the app's seed chose, which the fixture `mailbox` claims: whole ones, and `*@domain` for all of one. None if
   * left out. Tests that run side by side claim different ones.
   */
  mailcapAddresses: readonly string[];
}

/** The options of a project's `use`, and of `test.use`. */
export type MailcapOptions = MailcapWorkerOptions & MailcapTestOptions;

/** What the tests of a worker share. */
export interface MailcapWorkerFixtures extends MailcapWorkerOptions {
  /** A client in a workspace of the worker's own. */
  mailcap: Client;
}

/** What a test may take. */
export interface MailcapTestFixtures extends MailcapTestOptions {
  /**
   * A mailbox of this attempt at the test alone.
   *
   * @example test('signs up', async ({ page, mailbox }) => { await page.goto(await mailbox.waitForLink()); });
   */
  mailbox: Mailbox;
  /**
   * Makes a further mailbox of this attempt.
   *
   * @example const alice = await createMailbox({ addresses: ['alice@email.com'] });
   */
  createMailbox: (options?: CreateMailboxOptions | string) => Promise<Mailbox>;
  /**
   * A capture URL of this attempt at the test alone.
   *
   * @example const request = await webhook.waitForRequest({ path: '/orders' });
   */
  webhook: Webhook;
  /**
   * Makes a further webhook of this attempt.
   *
   * @example const refunds = await createWebhook('refunds');
   */
  createWebhook: (name?: string) => Promise<Webhook>;
  /**
   * The second factor of an account, by base32 secret or `otpauth://` URI, at once.
   *
   * @example await page.getByLabel('Code').fill(await totp(secret).code());
   */
  totp: (secretOrUri: AuthenticatorOptions | string) => Authenticator;
}

interface Inner extends MailcapTestFixtures {
  _mailcapLeftMs: () => number;
  _mailcapAttempt: Attempt;
}

const SERVER_STARTS_WITHIN_MS = 60_000;

/** When this process opened its worker: the fixture has a timeout of its own, and may be set up within a test. */
let opened = { from: 0, to: 0 };

const all: Fixtures<Inner, MailcapWorkerFixtures> = {
  mailcapUrl: [undefined, { scope: 'worker', option: true }],
  mailcapApiKey: [undefined, { scope: 'worker', option: true }],
  mailcapTimeout: [10_000, { option: true }],
  mailcapAttach: ['on-failure', { option: true }],
  mailcapIsolation: [undefined, { option: true }],
  mailcapAddresses: [[], { option: true }],

  mailcap: [
    async ({ mailcapUrl, mailcapApiKey }, use, { workerIndex }) => {
      const name = `playwright worker ${workerIndex}`;
      const from = steady();
      const worker = await openWorker({ url: mailcapUrl, apiKey: mailcapApiKey, name });
      opened = { from, to: steady() };
      await use(worker.client);
      await worker.close();
    },
    { scope: 'worker', timeout: SERVER_STARTS_WITHIN_MS },
  ],

  // Before the others: a test's timeout runs from its first fixture on.
  _mailcapLeftMs: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from the pattern
    async ({}, use, testInfo) => {
      const startedAt = steady();
      // As it is when asked: a test may set it. What the worker took to open is not on the test's account.
      const spentMs = () => steady() - startedAt - Math.max(0, opened.to - Math.max(opened.from, startedAt));
      await use(() => (testInfo.timeout || Number.POSITIVE_INFINITY) - spentMs());
    },
    { auto: true, box: true },
  ],

  _mailcapAttempt: [
    async ({ mailcap, mailcapTimeout, mailcapAttach, mailcapIsolation, _mailcapLeftMs }, use, testInfo) => {
      const runner: Runner = {
        leftMs: _mailcapLeftMs,
        limit: () => "the test's own timeout",
        advice,
        step: (title, site, act) => base.step(title, act, site === undefined ? {} : { location: site }),
      };
      const options = { timeout: mailcapTimeout, isolation: mailcapIsolation, title: testInfo.title };
      const attempt = new Attempt(mailcap, runner, options);
      await use(attempt);
      const hasFailed = testInfo.status !== testInfo.expectedStatus;
      if (hasFailed) explainRefused(testInfo);
      if (mailcapAttach === 'on' || (mailcapAttach === 'on-failure' && hasFailed)) await attach(attempt, testInfo);
      await attempt.dispose();
    },
    { box: true },
  ],

  mailbox: async ({ _mailcapAttempt, mailcapAddresses }, use) =>
    use(await _mailcapAttempt.createMailbox({ addresses: mailcapAddresses })),
  createMailbox: async ({ _mailcapAttempt }, use) => use(located((options) => _mailcapAttempt.createMailbox(options))),
  webhook: async ({ _mailcapAttempt }, use) => use(await _mailcapAttempt.createWebhook()),
  createWebhook: async ({ _mailcapAttempt }, use) => use(located((name) => _mailcapAttempt.createWebhook(name))),
  totp: async ({ _mailcapAttempt }, use) => use(locatedSync((secretOrUri) => _mailcapAttempt.totp(secretOrUri))),
};

/** For `test.extend` of a test that has fixtures of its own. */
// The two that they stand on are nobody else's: their types do not tell of them.
export const fixtures = all as unknown as Fixtures<MailcapTestFixtures, MailcapWorkerFixtures>;

const REMEDY =
  'An app that Playwright starts knows the server where `mailcapWebServer()` stands before it in `webServer`, and the app reads MAILCAP_SMTP_URL; a transport made when a test file is imported is made before the fixtures start a server.';

/** Where the configuration starts the server, what it starts after it knew it. */
function advice(): string | null {
  return process.env['MAILCAP_RUNNER'] ? null : REMEDY;
}

function explainRefused({ errors }: TestInfo): void {
  for (const error of errors) {
    const remedy = advice() ?? 'Does the code under test read it?';
    const why = whyRefused(error.message ?? '', process.env['MAILCAP_SMTP_URL'], remedy);
    if (why !== null) amend(error, why);
  }
}

/** Files where there are some to open; what is read in the report itself goes into it. */
async function attach(attempt: Attempt, testInfo: TestInfo): Promise<void> {
  for (const [at, { name, extension, contentType, body }] of (await reportOf(attempt)).entries()) {
    if (extension === 'json') {
      await testInfo.attach(name, { contentType, body: Buffer.from(body) });
      continue;
    }
    const path = testInfo.outputPath(`mailcap-${at}.${extension}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
    await testInfo.attach(name, { contentType, path });
    await rm(path);
  }
}

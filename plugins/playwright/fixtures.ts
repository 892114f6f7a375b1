import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test as base, type Fixtures, type TestInfo } from '@playwright/test';
import type { Client } from '../../src/client/index.ts';
import { docsCommand, steady } from '../../src/client/internal.ts';
import { Attempt, type RunnerServices } from '../shared/attempt.ts';
import { type HandleFixtures, type HandleOptions, handleFixtures, type ServerOptions } from '../shared/fixtures.ts';
import { explainRefused } from '../shared/refused.ts';
import { reportOf } from '../shared/report.ts';
import type { TestEnd, TestFacts } from '../shared/runs.ts';
import { openWorker } from '../shared/worker.ts';
import { type BrowserSettings, closeBrowser, useBrowser } from './mail-browser.ts';

/** The worker options of mailcap, set in a project's `use`. */
export type MailcapWorkerOptions = ServerOptions;

/** The test options of mailcap, set in a project's `use` or by `test.use`. */
export interface MailcapTestOptions extends HandleOptions {
  /**
   * Attaches the messages and requests of a test to its report: after a failure (`'on-failure'`, the default), always
   * (`'on'`), or never (`'off'`).
   */
  mailcapAttach: 'on-failure' | 'on' | 'off';
}

/** All options of mailcap for a project's `use`. */
export type MailcapOptions = MailcapWorkerOptions & MailcapTestOptions;

/** The fixtures that the tests of a worker share. */
export interface MailcapWorkerFixtures extends MailcapWorkerOptions {
  /** A client whose workspace belongs to this worker. In the cloud it has the workspace of the key. */
  mailcap: Client;
}

/** The fixtures of a test. */
export type MailcapTestFixtures = MailcapTestOptions & HandleFixtures;

interface Inner extends MailcapTestFixtures {
  _mailcapLeftMs: () => number;
  _mailcapAttempt: Attempt;
}

const SERVER_STARTS_WITHIN_MS = 60_000;

/**
 * The interval in which this process opened its worker. The worker fixture has its own timeout, but Playwright may set
 * it up during a test.
 */
let opened = { from: 0, to: 0 };

interface InnerWorker extends MailcapWorkerFixtures {
  _mailcapBrowser: undefined;
}

const all: Fixtures<Inner, InnerWorker, object, BrowserSettings> = {
  mailcapUrl: [undefined, { scope: 'worker', option: true }],
  mailcapApiKey: [undefined, { scope: 'worker', option: true }],
  mailcapTimeout: [10_000, { option: true }],
  mailcapAttach: ['on-failure', { option: true }],
  mailcapKeep: [undefined, { option: true }],
  mailcapIsolation: [undefined, { option: true }],
  mailcapAddresses: [[], { option: true }],
  mailcapAddressesWait: [false, { option: true }],

  mailcap: [
    async ({ mailcapUrl, mailcapApiKey }, use, { workerIndex, config }) => {
      const name = `playwright worker ${workerIndex}`;
      const project = { runner: 'playwright', path: config.configFile || config.rootDir } as const;
      const isOfRun = hasWebServer();
      const from = steady();
      const worker = await openWorker({ url: mailcapUrl, apiKey: mailcapApiKey, name, project, isOfRun });
      opened = { from, to: steady() };
      if (worker.startedServer && config.webServer !== null) warnOfWebServer();
      await use(worker.client);
      await worker.close();
    },
    { scope: 'worker', timeout: SERVER_STARTS_WITHIN_MS },
  ],

  // This fixture opens no browser. It provides the options for the browser that renders mails, and closes that browser.
  _mailcapBrowser: [
    async ({ browserName, connectOptions }, use) => {
      useBrowser({ browserName, connectOptions });
      await use(undefined);
      await closeBrowser();
    },
    { scope: 'worker', auto: true, box: true },
  ],

  // This fixture comes first, because a test's timeout starts with its first fixture.
  _mailcapLeftMs: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from the pattern
    async ({}, use, testInfo) => {
      const startedAt = steady();
      // The timeout is read at each call, because a test may change it. The time to open the worker does not count
      // towards the test.
      const spentMs = () => steady() - startedAt - Math.max(0, opened.to - Math.max(opened.from, startedAt));
      await use(() => (testInfo.timeout || Number.POSITIVE_INFINITY) - spentMs());
    },
    { auto: true, box: 'self' },
  ],

  _mailcapAttempt: [
    async (
      { mailcap, mailcapTimeout, mailcapAttach, mailcapKeep, mailcapIsolation, _mailcapLeftMs },
      use,
      testInfo,
    ) => {
      const runner: RunnerServices = {
        leftMs: _mailcapLeftMs,
        limit: () => "the test's own timeout",
        advice,
        step: (title, site, act) => base.step(title, act, site === undefined ? {} : { location: site }),
      };
      const options = {
        timeout: mailcapTimeout,
        isolation: mailcapIsolation,
        title: testInfo.title,
        keep: mailcapKeep,
        isReported: mailcapAttach !== 'off',
        test: factsOf(testInfo),
      };
      const attempt = new Attempt(mailcap, runner, options);
      await use(attempt);
      const hasFailed = testInfo.status !== testInfo.expectedStatus;
      if (hasFailed) explainRefused(testInfo.errors, advice());
      const page = hasFailed ? await attempt.page() : null;
      if (page !== null) testInfo.annotations.push({ type: `mailcap${page.until}`, description: page.url });
      if (mailcapAttach === 'on' || (mailcapAttach === 'on-failure' && hasFailed)) await attach(attempt, testInfo);
      await attempt.dispose({ outcome: outcomeOf(testInfo), error: testInfo.error?.message ?? null });
    },
    { box: 'self' },
  ],

  ...handleFixtures,
};

/** The fixtures of mailcap, for the `test.extend` of a test with fixtures of its own. */
// The cast hides three internal fixtures from the types.
export const fixtures = all as unknown as Fixtures<MailcapTestFixtures, MailcapWorkerFixtures>;

/** Tells, once in each worker, that the app can't know the server. Each test whose mail comes from the app would fail. */
function warnOfWebServer(): void {
  process.emitWarning(
    `The app of \`webServer\` was started before this mail server, so MAILCAP_SMTP_URL was not set for it. Put \`mailcapWebServer()\` before it in \`webServer\`: ${docsCommand('playwright#an-app-in-another-process')}.`,
    { code: 'MAILCAP_WEB_SERVER' },
  );
}

const REMEDY = `If Playwright starts the app, put \`mailcapWebServer()\` before it in \`webServer\`, and let the app read MAILCAP_SMTP_URL: ${docsCommand('playwright#an-app-in-another-process')}. If a test file creates a mail transport while it is imported, create it in the test instead: the fixtures start the server later.`;

/**
 * Returns a hint for an app that sends nothing; null if `mailcapWebServer()` announced the server before the app
 * started.
 */
function advice(): string | null {
  return hasWebServer() ? null : REMEDY;
}

/** Tells whether `mailcapWebServer()` started the server for this run. */
function hasWebServer(): boolean {
  return Boolean(process.env['MAILCAP_RUNNER']);
}

/** Names a test for the report about its run. The first title is the path of the file. */
function factsOf({ testId, file, titlePath, retry, workerIndex, project }: TestInfo): TestFacts {
  const titles = [project.name, ...titlePath.slice(1)].filter((title) => title !== '');
  return { test: testId, file, titles, attempt: retry + 1, worker: String(workerIndex) };
}

function outcomeOf({ status, expectedStatus }: TestInfo): TestEnd['outcome'] {
  if (status !== expectedStatus) return 'failed';
  return status === 'skipped' ? 'skipped' : 'passed';
}

/** Attaches the report of an attempt to a test. It embeds JSON in the report, and writes pages and mails to files. */
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

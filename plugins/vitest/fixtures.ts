import { inject, type TestAPI, type TestContext } from 'vitest';
import type {
  ActiveFault,
  Authenticator,
  AuthenticatorOptions,
  Client,
  Clock,
  ClockSetting,
  FaultRule,
  Mailbox,
  Webhook,
} from '../../src/client/index.ts';
import { docsCommand, located, locatedSync, steady } from '../../src/client/internal.ts';
import { Attempt, amend, type CreateMailboxOptions, type RunnerServices } from '../shared/attempt.ts';
import { setVariables, variablesOf } from '../shared/environment.ts';
import { whyRefused } from '../shared/refused.ts';
import type { TestFacts } from '../shared/runs.ts';
import { openWorker } from '../shared/worker.ts';
import { keepReport } from './keep-report.ts';

/** The options of mailcap, set by `test.extend` or by `provide` in the configuration. */
export interface MailcapOptions {
  /**
   * The base URL of the server. Default: `MAILCAP_URL`, else the server that runs in this directory or above. If there
   * is none, mailcap starts a server.
   */
  mailcapUrl: string | undefined;
  /** The API key. Default: `MAILCAP_API_KEY`, else the key of the server that was found. */
  mailcapApiKey: string | undefined;
  /**
   * The default timeout of a wait, in milliseconds; 10,000 if left out. Every wait ends before the test's own timeout.
   */
  mailcapTimeout: number;
  /** `'on-failure'`, the default, writes the messages and requests of a failed test to `.mailcap/failures`. */
  mailcapAttach: 'on-failure' | 'off';
  /**
   * With `'on-failure'`, a test that failed keeps its mailboxes and webhooks on the server until the next run, so that the
   * URL in the error of a wait opens them in the web inbox. Default: `'on-failure'`, but `'off'` if the variable `CI` is set. It
   * needs a server that outlives the run. In the cloud it has no effect.
   */
  mailcapKeep: 'on-failure' | 'off' | undefined;
  /**
   * `'mailbox'` gives each handle a mailbox of its own, `'address'` an address in a shared one. The default is
   * `'mailbox'`, and `'address'` on a server without a local API.
   */
  mailcapIsolation: 'mailbox' | 'address' | undefined;
  /**
   * The addresses that the fixture `mailbox` claims, such as those of the app's seed data: whole addresses, and
   * `*@domain` for a whole domain; none if left out. Tests that run in parallel must claim different addresses.
   */
  mailcapAddresses: readonly string[];
  /**
   * The fixture `mailbox` waits while another test claims one of `mailcapAddresses`, within the test's own timeout.
   * Default: false, and then the test fails.
   */
  mailcapAddressesWait: boolean;
}

/** The fixtures of a test. */
export interface MailcapFixtures extends MailcapOptions {
  /** A client whose workspace belongs to this worker. In the cloud it has the workspace of the key. */
  mailcap: Client;
  /**
   * A mailbox for this attempt at the test only.
   *
   * @example test('signs up', async ({ page, mailbox }) => { await page.goto(await mailbox.waitForLink()); });
   */
  mailbox: Mailbox;
  /**
   * Creates another mailbox for this attempt. A string is the name of the mailbox.
   *
   * @example const alice = await createMailbox({ addresses: ['alice@email.com'] });
   */
  createMailbox: (options?: CreateMailboxOptions | string) => Promise<Mailbox>;
  /**
   * A webhook for this attempt at the test only.
   *
   * @example const request = await webhook.waitForRequest({ path: '/orders' });
   */
  webhook: Webhook;
  /**
   * Creates another webhook for this attempt.
   *
   * @example const refunds = await createWebhook('refunds');
   */
  createWebhook: (name?: string) => Promise<Webhook>;
  /**
   * Makes the server fail on purpose, until the attempt ends or the handle removes the rule. Bind the rule to the
   * test's mailbox or address, so that it meets no other test.
   *
   * @example await addFault({ stage: 'rcpt', match: { to: mailbox.address }, action: { reply: '550 5.1.1 no such user' } });
   */
  addFault: (rule: FaultRule) => Promise<ActiveFault>;
  /**
   * Sets the clock of the worker's workspace until the attempt ends: its mail expires by it, and its codes and limits
   * follow it. Tests of other workers keep their time. Mail that expires by a shifted clock comes back with it. A server
   * without the local API, such as the cloud, refuses it.
   *
   * @example await setClock({ offsetSeconds: 30 * 86_400 });
   */
  setClock: (setting: ClockSetting) => Promise<Clock>;
  /**
   * Creates an authenticator from a base32 secret, an `otpauth://` URI, or the id of a stored authenticator. It makes
   * no request.
   *
   * @example await page.getByLabel('Code').fill(await totp(secret).code());
   */
  totp: (secretOrUri: AuthenticatorOptions | string) => Authenticator;
}

interface Inner extends MailcapFixtures {
  mailcapTimeLeft: TimeLeft;
  mailcapAttempt: Attempt;
}

type Use<T> = (value: T) => Promise<void>;
type Context = Inner & TestContext;

const fixtures = {
  mailcapUrl: [undefined, { scope: 'worker', injected: true }],
  mailcapApiKey: [undefined, { scope: 'worker', injected: true }],
  mailcapTimeout: [10_000, { injected: true }],
  mailcapAttach: ['on-failure', { injected: true }],
  mailcapKeep: [undefined, { injected: true }],
  mailcapIsolation: [undefined, { injected: true }],
  mailcapAddresses: [[], { injected: true }],
  mailcapAddressesWait: [false, { injected: true }],

  mailcap: [
    async ({ mailcapUrl, mailcapApiKey }: MailcapOptions, use: Use<Client>) => {
      const started = inject('mailcap');
      if (started !== undefined) setVariables(variablesOf(started));
      const worker = await openWorker({
        url: mailcapUrl,
        apiKey: mailcapApiKey,
        name: `vitest ${process.pid}`,
        project: { runner: 'vitest', path: process.cwd() },
        isOfRun: started !== undefined,
      });
      await use(worker.client);
      await worker.close();
    },
    { scope: 'worker' },
  ],

  // This fixture comes first, because a test's timeout starts with its first fixture.
  mailcapTimeLeft: [async ({ task }: Context, use: Use<TimeLeft>) => use(timeLeftOf(task)), { auto: true }],

  mailcapAttempt: async (
    { mailcap, mailcapTimeLeft, mailcapTimeout, mailcapAttach, mailcapKeep, mailcapIsolation, task }: Context,
    use: Use<Attempt>,
  ) => {
    const step = <T>(_title: string, _site: unknown, act: () => Promise<T>) => act();
    const options = {
      timeout: mailcapTimeout,
      isolation: mailcapIsolation,
      title: task.name,
      keep: mailcapKeep,
      isReported: mailcapAttach !== 'off',
      test: factsOf(task),
    };
    const attempt = new Attempt(mailcap, { ...mailcapTimeLeft, step, advice }, options);
    const errorsBefore = errorsOf(task);
    await use(attempt);
    const hasFailed = !task.fails && errorsOf(task) > errorsBefore;
    if (hasFailed) explainRefused(task);
    const page = hasFailed ? await attempt.page() : null;
    const failure = task.result?.errors?.at(-1);
    // The report needs no line that says where it is.
    const error = hasFailed ? (failure?.message ?? null) : null;
    if (page !== null && failure !== undefined) amend(failure, `The test in the web inbox${page.until}: ${page.url}`);
    if (mailcapAttach === 'on-failure' && hasFailed) await keepReport(attempt, task);
    const outcome = hasFailed ? 'failed' : task.result?.state === 'skip' ? 'skipped' : 'passed';
    await attempt.dispose({ outcome, error });
  },

  mailbox: async ({ mailcapAttempt, mailcapAddresses, mailcapAddressesWait }: Context, use: Use<Mailbox>) =>
    use(await mailcapAttempt.createMailbox({ addresses: mailcapAddresses, wait: mailcapAddressesWait })),
  createMailbox: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['createMailbox']>) =>
    use(located((options) => mailcapAttempt.createMailbox(options))),
  webhook: async ({ mailcapAttempt }: Context, use: Use<Webhook>) => use(await mailcapAttempt.createWebhook()),
  createWebhook: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['createWebhook']>) =>
    use(located((name) => mailcapAttempt.createWebhook(name))),
  addFault: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['addFault']>) =>
    use(located((rule) => mailcapAttempt.addFault(rule))),
  setClock: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['setClock']>) =>
    use(located((setting) => mailcapAttempt.setClock(setting))),
  totp: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['totp']>) =>
    use(locatedSync((...given) => mailcapAttempt.totp(...given))),
};

const REMEDY = `If a file creates a mail transport while it is imported, the fixtures have not started the server yet. \`globalSetup: ['mailcap/vitest/global-setup']\` in the config starts it and sets MAILCAP_SMTP_URL before any file is loaded: ${docsCommand('vitest#code-that-reads-its-environment-when-it-is-loaded')}.`;

/**
 * Returns a hint for an app that sends nothing; null with the global setup, because it announced the server before the
 * app started.
 */
function advice(): string | null {
  return inject('mailcap') === undefined ? REMEDY : null;
}

/** Names a test for the report about its run. */
function factsOf({ id, file, name, suite, result }: TestContext['task']): TestFacts {
  const titles = [name];
  for (let group = suite; group !== undefined; group = group.suite) if (group.name !== '') titles.unshift(group.name);
  return {
    test: id,
    file: file.filepath,
    titles,
    attempt: (result?.retryCount ?? 0) + 1,
    worker: process.env['VITEST_POOL_ID'] ?? String(process.pid),
  };
}

function explainRefused({ result }: TestContext['task']): void {
  for (const error of result?.errors ?? []) {
    const why = whyRefused(
      error.message,
      process.env['MAILCAP_SMTP_URL'],
      advice() ?? 'Does the code under test read MAILCAP_SMTP_URL?',
    );
    if (why !== null) amend(error, why);
  }
}

/** Adds mailcap's fixtures to a `test`, which keeps its own fixtures. */
export function withMailcap<Extra>(test: TestAPI<Extra>): TestAPI<Extra & MailcapFixtures> {
  // The fixture types differ between versions of Vitest, but the fixtures work with all of them.
  const extendable = test as unknown as { extend(added: typeof fixtures): TestAPI<Extra & MailcapFixtures> };
  return extendable.extend(fixtures);
}

/**
 * Returns the number of errors of all attempts until now. Vitest adds the errors of a retry to the earlier ones.
 */
function errorsOf({ result }: TestContext['task']): number {
  return result?.errors?.length ?? 0;
}

export type TimeLeft = Pick<RunnerServices, 'leftMs' | 'limit'>;
type Task = TestContext['task'];

/** Vitest's default timeout of a hook. Vitest does not report a hook's own timeout. */
const HOOK_TIMEOUT_MS = 10_000;

/**
 * Creates a clock that measures the time left for an attempt at a test. Each hook and the test itself have separate
 * timeouts. In a hook, a wait with its own timeout keeps that timeout.
 */
export function timeLeftOf(task: Task): TimeLeft {
  let part = partOf(task);
  let startedAt = steady();
  return {
    leftMs: (asked) => {
      const now = partOf(task);
      if (now !== part) startedAt = steady();
      part = now;
      const timeout = task.timeout || Number.POSITIVE_INFINITY;
      if (part === 'test') return timeout - (steady() - startedAt);
      if (asked !== undefined && Number.isFinite(asked)) return Number.POSITIVE_INFINITY;
      return Math.max(timeout, HOOK_TIMEOUT_MS) - (steady() - startedAt);
    },
    limit: () => (part === 'test' ? "the test's own timeout" : "the hook's own timeout"),
  };
}

function partOf({ result }: Task): 'beforeEach' | 'test' | 'afterEach' {
  const hooks = result?.hooks ?? {};
  if (hooks.afterEach === 'run') return 'afterEach';
  return hooks.beforeEach === 'run' ? 'beforeEach' : 'test';
}

import { inject, type TestAPI, type TestContext } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { docsCommand, oneOf, steady } from '../../src/client/internal.ts';
import { Attempt, amend, type RunnerServices } from '../shared/attempt.ts';
import { setVariables, variablesOf } from '../shared/environment.ts';
import { type HandleFixtures, type HandleOptions, handleFixtures, type ServerOptions } from '../shared/fixtures.ts';
import { explainRefused } from '../shared/refused.ts';
import type { TestFacts } from '../shared/runs.ts';
import { openWorker } from '../shared/worker.ts';
import { keepReport } from './keep-report.ts';

/** The options of mailcap, set by `test.extend` or by `provide` in the configuration. */
export interface MailcapOptions extends ServerOptions, HandleOptions {
  /** `'on-failure'`, the default, writes the messages and requests of a failed test to `.mailcap/failures`. */
  mailcapAttach: 'on-failure' | 'off';
}

/** The fixtures of a test. */
export interface MailcapFixtures extends MailcapOptions, HandleFixtures {
  /** A client whose workspace belongs to this worker. In the cloud it has the workspace of the key. */
  mailcap: Client;
}

interface Inner extends MailcapFixtures {
  mailcapTimeLeft: TimeLeft;
  _mailcapAttempt: Attempt;
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

  _mailcapAttempt: async (
    { mailcap, mailcapTimeLeft, mailcapTimeout, mailcapAttach, mailcapKeep, mailcapIsolation, task }: Context,
    use: Use<Attempt>,
  ) => {
    oneOf('on-failure', 'off')('mailcapAttach', mailcapAttach);
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
    if (hasFailed) explainRefused(task.result?.errors ?? [], advice());
    const page = hasFailed ? await attempt.page() : null;
    const failure = task.result?.errors?.at(-1);
    // The report needs no line that says where it is.
    const error = hasFailed ? (failure?.message ?? null) : null;
    if (page !== null && failure !== undefined) amend(failure, `The test in the web inbox${page.until}: ${page.url}`);
    if (mailcapAttach === 'on-failure' && hasFailed) await keepReport(attempt, task);
    const outcome = hasFailed ? 'failed' : task.result?.state === 'skip' ? 'skipped' : 'passed';
    await attempt.dispose({ outcome, error });
  },

  ...handleFixtures,
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

import { inject, type TestAPI, type TestContext } from 'vitest';
import type { Authenticator, AuthenticatorOptions, Client, Mailbox, Webhook } from '../../src/client/index.ts';
import { located, locatedSync } from '../../src/client/internal.ts';
import { Attempt, amend, type CreateMailboxOptions } from '../shared/attempt.ts';
import { setVariables, variablesOf } from '../shared/environment.ts';
import { whyRefused } from '../shared/refused.ts';
import { openWorker } from '../shared/worker.ts';
import { keepReport } from './keep-report.ts';
import { type TimeLeft, timeLeftOf } from './time-left.ts';

/** Set by `test.extend`, or by `provide` of the configuration. */
export interface MailcapOptions {
  /** The server's `{base_url}`; if left out MAILCAP_URL, else the server that runs here or above; else one is started. */
  mailcapUrl: string | undefined;
  /** The API key; MAILCAP_API_KEY if left out. */
  mailcapApiKey: string | undefined;
  /** Milliseconds of a wait that is given none; 10,000 if left out. A wait ends before the test's own timeout, whatever it was given. */
  mailcapTimeout: number;
  /** Whether a test that fails leaves what its handles got, in `.mailcap/failures`. */
  mailcapAttach: 'on-failure' | 'off';
  /** A handle is a mailbox of its own, or an address of a shared one; the first where the server allows it. */
  mailcapIsolation: 'mailbox' | 'address' | undefined;
  /**
   * Addresses that the app's seed chose, which the fixture `mailbox` claims: whole ones, and `*@domain` for all of one. None if
   * left out. Tests that run side by side claim different ones.
   */
  mailcapAddresses: readonly string[];
}

/** What a test may take. */
export interface MailcapFixtures extends MailcapOptions {
  /** A client in a workspace of the worker's own. */
  mailcap: Client;
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
  mailcapIsolation: [undefined, { injected: true }],
  mailcapAddresses: [[], { injected: true }],

  mailcap: [
    async ({ mailcapUrl, mailcapApiKey }: MailcapOptions, use: Use<Client>) => {
      const started = inject('mailcap');
      if (started !== undefined) setVariables(variablesOf(started));
      const worker = await openWorker({ url: mailcapUrl, apiKey: mailcapApiKey, name: `vitest ${process.pid}` });
      await use(worker.client);
      await worker.close();
    },
    { scope: 'worker' },
  ],

  // Before the others: a test's timeout runs from its first fixture on.
  mailcapTimeLeft: [async ({ task }: Context, use: Use<TimeLeft>) => use(timeLeftOf(task)), { auto: true }],

  mailcapAttempt: async (
    { mailcap, mailcapTimeLeft, mailcapTimeout, mailcapAttach, mailcapIsolation, task }: Context,
    use: Use<Attempt>,
  ) => {
    const step = <T>(_title: string, _site: unknown, act: () => Promise<T>) => act();
    const options = { timeout: mailcapTimeout, isolation: mailcapIsolation, title: task.name };
    const attempt = new Attempt(mailcap, { ...mailcapTimeLeft, step, advice }, options);
    const errorsBefore = errorsOf(task);
    await use(attempt);
    const hasFailed = !task.fails && errorsOf(task) > errorsBefore;
    if (hasFailed) explainRefused(task);
    if (mailcapAttach === 'on-failure' && hasFailed) await keepReport(attempt, task);
    await attempt.dispose();
  },

  mailbox: async ({ mailcapAttempt, mailcapAddresses }: Context, use: Use<Mailbox>) =>
    use(await mailcapAttempt.createMailbox({ addresses: mailcapAddresses })),
  createMailbox: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['createMailbox']>) =>
    use(located((options) => mailcapAttempt.createMailbox(options))),
  webhook: async ({ mailcapAttempt }: Context, use: Use<Webhook>) => use(await mailcapAttempt.createWebhook()),
  createWebhook: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['createWebhook']>) =>
    use(located((name) => mailcapAttempt.createWebhook(name))),
  totp: async ({ mailcapAttempt }: Context, use: Use<MailcapFixtures['totp']>) =>
    use(locatedSync((secretOrUri) => mailcapAttempt.totp(secretOrUri))),
};

const REMEDY =
  "A transport that is made when its file is imported is made before the fixtures start a server: `globalSetup: ['mailcap/vitest/global-setup']` in the config starts it, and sets MAILCAP_SMTP_URL, before any file is loaded.";

/** Where there is a global setup, the code under test knew the server from the start. */
function advice(): string | null {
  return inject('mailcap') === undefined ? REMEDY : null;
}

function explainRefused({ result }: TestContext['task']): void {
  for (const error of result?.errors ?? []) {
    const why = whyRefused(
      error.message,
      process.env['MAILCAP_SMTP_URL'],
      advice() ?? 'Does the code under test read it?',
    );
    if (why !== null) amend(error, why);
  }
}

/** A `test` with the fixtures it has, and mailcap's. */
export function withMailcap<Extra>(test: TestAPI<Extra>): TestAPI<Extra & MailcapFixtures> {
  // Vitest's types of fixtures differ from one of its versions to the next; what they are is the same.
  const extendable = test as unknown as { extend(added: typeof fixtures): TestAPI<Extra & MailcapFixtures> };
  return extendable.extend(fixtures);
}

/** Of all attempts until now: those of a retry or a repetition are added to those before. */
function errorsOf({ result }: TestContext['task']): number {
  return result?.errors?.length ?? 0;
}

import type {
  ActiveFault,
  Authenticator,
  AuthenticatorOptions,
  Clock,
  ClockSetting,
  FaultRule,
  Mailbox,
  Webhook,
} from '../../src/client/index.ts';
import { located, locatedSync } from '../../src/client/internal.ts';
import type { Attempt, CreateMailboxOptions } from './attempt.ts';

// The options and fixtures of a test, which are those of every runner that has fixtures.

/** The options that name the server of a worker. */
export interface ServerOptions {
  /**
   * The base URL of the server. Default: `MAILCAP_URL`, else the server that runs in this directory or above. If there
   * is none, mailcap starts a server.
   */
  mailcapUrl: string | undefined;
  /** The API key. Default: `MAILCAP_API_KEY`, else the key of the server that was found. */
  mailcapApiKey: string | undefined;
}

/** The options of a test that concern its handles and their waits. */
export interface HandleOptions {
  /**
   * The default timeout of a wait, in milliseconds; 10,000 if left out. Every wait ends before the test's own timeout.
   */
  mailcapTimeout: number;
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
export interface HandleFixtures {
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

type Use<T> = (value: T) => Promise<void>;
/** The fixtures from which the handles are made. A runner reads their names from the pattern of a fixture. */
interface Made {
  readonly _mailcapAttempt: Attempt;
}

/** The fixtures that an attempt makes, as every runner takes them. */
export const handleFixtures = {
  mailbox: async (
    { _mailcapAttempt, mailcapAddresses, mailcapAddressesWait }: Made & HandleOptions,
    use: Use<HandleFixtures['mailbox']>,
  ) => use(await _mailcapAttempt.createMailbox({ addresses: mailcapAddresses, wait: mailcapAddressesWait })),
  createMailbox: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['createMailbox']>) =>
    use(located((options) => _mailcapAttempt.createMailbox(options))),
  webhook: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['webhook']>) =>
    use(await _mailcapAttempt.createWebhook()),
  createWebhook: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['createWebhook']>) =>
    use(located((name) => _mailcapAttempt.createWebhook(name))),
  addFault: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['addFault']>) =>
    use(located((rule) => _mailcapAttempt.addFault(rule))),
  setClock: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['setClock']>) =>
    use(located((setting) => _mailcapAttempt.setClock(setting))),
  totp: async ({ _mailcapAttempt }: Made, use: Use<HandleFixtures['totp']>) =>
    use(locatedSync((...given) => _mailcapAttempt.totp(...given))),
};

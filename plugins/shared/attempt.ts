import {
  type ActiveFault,
  type Authenticator,
  type AuthenticatorOptions,
  type CallOptions,
  type Client,
  type Clock,
  type ClockSetting,
  type FaultRule,
  type Mailbox,
  type MailboxOptions,
  OptionError,
  RefusedError,
  TimeoutError,
  WaitTimeoutError,
  type Webhook,
} from '../../src/client/index.ts';
import { duration, isPlain, now, oneOf, pageOf, replaceHint, steady, writeFilter } from '../../src/client/internal.ts';
import type { CallSite } from './call-site.ts';
import { beside, errandsOf } from './errands.ts';
import { keepingOf, keeps, whereItIs } from './kept.ts';
import { type TestEnd, type TestFacts, TestReports } from './runs.ts';
import type { RecordedWait, Thing, UsedHandle, Waiter } from './waiting.ts';
import { watchAuthenticator, watchMailbox, watchWebhook } from './watched.ts';

/** The services of the test runner for an attempt at a test. */
export interface RunnerServices {
  /**
   * Returns the milliseconds until the test's own timeout, for a wait with the timeout `asked`. It is infinite if there
   * is none.
   */
  leftMs(asked?: number): number;
  /** Names the timeout that would end first. */
  limit(): string;
  /** Returns a hint for an app that has not connected to the server; null if there is none. */
  advice(): string | null;
  /** Shows a wait as a step while it lasts. */
  step<T>(title: string, site: CallSite | undefined, act: () => Promise<T>): Promise<T>;
}

export interface AttemptOptions {
  /** The default timeout of a wait, in milliseconds. */
  readonly timeout: number;
  /** `'mailbox'` or `'address'`; if undefined, the server's capabilities decide. */
  readonly isolation: 'mailbox' | 'address' | undefined;
  /** The title of the test. */
  readonly title: string;
  /** The test in the reports about the run. If undefined, it is in none. */
  readonly test?: TestFacts | undefined;
  /** With `'on-failure'`, a failed test keeps its mailboxes and webhooks. If undefined, it keeps them except in CI. */
  readonly keep?: 'on-failure' | 'off' | undefined;
  /** `true` if the report of a failed test contains what its handles received. */
  readonly isReported?: boolean;
}

/** The options of `createMailbox`. */
export type CreateMailboxOptions = Pick<MailboxOptions, 'name' | 'addresses' | 'phones' | 'isolation' | 'wait'>;

/** The page of an attempt, and the words that say how long it is there; empty if it outlives the run. */
export interface AttemptPage {
  readonly url: string;
  readonly until: string;
}

/** An attempt at a test, with its handles. No other attempt uses them. */
export class Attempt implements Waiter {
  readonly client: Client;
  readonly runner: RunnerServices;
  readonly mailboxes: UsedHandle<Mailbox>[] = [];
  readonly webhooks: UsedHandle<Webhook>[] = [];
  readonly #faults: ActiveFault[] = [];
  readonly #reports: TestReports | null;
  #hasSetClock = false;
  readonly #options: AttemptOptions;
  #isOver = false;

  constructor(client: Client, runner: RunnerServices, options: AttemptOptions) {
    duration('mailcapTimeout', options.timeout);
    if (options.keep !== undefined) oneOf('on-failure', 'off')('mailcapKeep', options.keep);
    this.client = client;
    this.runner = runner;
    this.#options = options;
    this.#reports = TestReports.of(client, options.test);
  }

  async createMailbox(given: CreateMailboxOptions | string = {}): Promise<Mailbox> {
    const options = typeof given === 'string' ? { name: given } : given;
    const { isolation, title } = this.#options;
    const { addresses = [], phones = [], wait = false } = options;
    // Another value than true or a list is the client's to refuse.
    const claims = Array.isArray(addresses) && Array.isArray(phones) ? [...addresses, ...phones] : [];
    const waits = wait === true && claims.length > 0;
    if (waits) this.#checkNotOwn(claims);
    const open = (): Promise<Mailbox> => {
      const given = { isolation, name: plainTitle(title), ...options };
      if (!waits) return this.client.mailbox(given);
      const timeout = this.allowedMs();
      return this.runner.step(`wait for ${claims.join(', ')}`, undefined, () =>
        this.client.mailbox({ ...given, timeout }),
      );
    };
    const handle = await open().catch(async (error: unknown) => {
      if (waits || !(error instanceof RefusedError) || error.code !== 'address_taken') throw error;
      // An earlier test may be about to release the address, or the workspace of a killed worker may be about to go.
      await errandsOf(this.client);
      return open();
    });
    return watchMailbox(this, this.#use(handle, this.mailboxes));
  }

  async createWebhook(name?: string): Promise<Webhook> {
    const handle = await this.client.webhook({ name: name ?? nameOf(this.#options.title) });
    return watchWebhook(this, this.#use(handle, this.webhooks));
  }

  /** A test that waited for an address of its own would wait until its timeout. */
  #checkNotOwn(addresses: readonly string[]): void {
    const wanted = new Set(addresses.map((address) => String(address).trim().toLowerCase()));
    for (const { handle } of this.mailboxes) {
      const own = [...handle.addresses, ...handle.phones].find((address) => wanted.has(address.toLowerCase()));
      if (own !== undefined)
        throw new OptionError(
          `This test already claims ${own} with another mailbox, so a wait for it would never end.`,
          'Use the mailbox that claims it.',
        );
    }
  }

  /** Makes the server fail on purpose until the attempt ends. */
  async addFault(rule: FaultRule): Promise<ActiveFault> {
    const fault = await this.client.addFault(rule);
    // The test did not wait for the call, and ended meanwhile.
    if (this.#isOver) await fault.remove();
    else this.#faults.push(fault);
    return fault;
  }

  /** Sets the clock of the worker's workspace until the attempt ends. */
  async setClock(setting: ClockSetting): Promise<Clock> {
    const clock = await this.client.setClock(setting);
    // The test did not wait for the call, and ended meanwhile.
    if (this.#isOver) await this.client.setClock(null);
    else this.#hasSetClock = true;
    return clock;
  }

  /** @throws OptionError for a second argument, which JavaScript would silently ignore. */
  totp(secretOrUri: AuthenticatorOptions | string, ...more: readonly unknown[]): Authenticator {
    if (more.length > 0) {
      throw new OptionError('totp() takes only a secret.', 'Pass the options to code(): totp(secret).code(options).');
    }
    return watchAuthenticator(this, this.client.authenticator(secretOrUri));
  }

  /** Runs a wait that ends before the test's own timeout, shows it as a step, and records it. */
  async wait<Options extends CallOptions, T>(
    waiting: RecordedWait,
    options: Options,
    act: (options: Options) => Promise<T>,
  ): Promise<T> {
    const { of, call, filter = {}, happenings, site } = waiting;
    // The handle itself refuses an invalid filter or options, with a hint.
    if (!isPlain(filter) || !isTimed(options)) return act(options);
    const asked = options.timeout ?? waiting.timeout ?? this.#options.timeout;
    const { timeout, isCut } = allowed(asked, this.runner.leftMs(options.timeout));
    const written = Object.values(filter).every((one) => one === undefined) ? '' : ` ${writeFilter(filter)}`;
    const at = new Date(now()).toISOString();
    const startedAt = steady();
    const note = (outcome: string) =>
      happenings.push({
        at,
        call,
        ...(written && { filter: written.trim() }),
        tookMs: Math.round(steady() - startedAt),
        outcome,
      });
    try {
      const result = await this.runner.step(`${call}${written} at ${of}`, site, () => act({ ...options, timeout }));
      note('it came');
      return result;
    } catch (error) {
      if (error instanceof WaitTimeoutError && waiting.thing !== null) await this.#sayWhereItIs(error, waiting.thing);
      const endedEarly = isCut && error instanceof TimeoutError;
      if (endedEarly) amend(error, cutBy(asked, timeout, this.runner.limit()));
      const advice = error instanceof WaitTimeoutError && error.isSilent ? this.runner.advice() : null;
      if (advice !== null && error instanceof Error) amend(error, advice);
      // The test ended and deleted the handle. The error itself would not say so.
      if (!endedEarly && this.#isOver && error instanceof Error) amend(error, 'The test ended while it waited.');
      note(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** The client says where the mail is now. The runner prints the error when the test is over. */
  async #sayWhereItIs(error: WaitTimeoutError, { what, id }: Thing): Promise<void> {
    const keeping = keepingOf(this.client);
    const page = await pageOf(this.client, what === 'mailbox' ? 'mail' : 'webhooks', id);
    if (keeping === null || page === null) return;
    const { ends } = keeping;
    const { keep, isReported = false } = this.#options;
    const isKept = keeps(keep) && ends !== 'with the worker';
    replaceHint(error, whereItIs({ what, page, isKept, ends, isReported }));
  }

  /** Returns the longest time a wait may take before the test's own timeout, in milliseconds. */
  allowedMs(): number {
    return allowed(Number.POSITIVE_INFINITY, this.runner.leftMs()).timeout;
  }

  /**
   * Watches for `forMs` milliseconds. Throws an OptionError if the test has less time left, because a watch can't be
   * cut short.
   */
  async watch(waiting: RecordedWait, forMs: number | undefined, act: () => Promise<void>): Promise<void> {
    const leftMs = this.runner.leftMs(forMs);
    if (typeof forMs === 'number' && forMs > leftMs)
      throw new OptionError(
        `${waiting.call} should watch for ${forMs} ms, but ${this.runner.limit()} ends in ${Math.round(leftMs)} ms.`,
        'Watch for a shorter time, or give the test a longer timeout.',
      );
    await this.wait(waiting, { timeout: 0 }, act);
  }

  /** Returns the page of the attempt in the web inbox; null if it used nothing, or if no report tells of it. */
  async page(): Promise<AttemptPage | null> {
    if (this.#reports === null || this.mailboxes.length + this.webhooks.length === 0) return null;
    const { path } = this.#reports;
    const isOfRun = keepingOf(this.client)?.ends === 'with the run';
    return this.client.server().then(
      ({ url }) => ({ url: `${url}${path}`, until: isOfRun ? ' while the run lasts' : '' }),
      () => null,
    );
  }

  /**
   * Deletes the handles, or keeps them for the person who looks into a failure. It waits until the fault rules are
   * removed, because other tests may meet them, and until the webhooks are deleted, because a plan allows few. Mailboxes
   * are deleted while the next test runs. The report about the run tells how the attempt ended.
   */
  async dispose({ outcome, error }: Pick<TestEnd, 'outcome' | 'error'>): Promise<void> {
    const hasFailed = outcome === 'failed';
    this.#isOver = true;
    const waits = [...this.mailboxes, ...this.webhooks].flatMap(({ happenings }) => happenings);
    this.#reports?.ended(this.#handles(), {
      outcome,
      error,
      waits: waits.sort((one, other) => (one.at < other.at ? -1 : 1)),
    });
    await Promise.all(this.#faults.map((fault) => fault.remove()));
    if (this.#hasSetClock) await this.client.setClock(null);
    if (hasFailed && (await this.#keep())) return;
    // The reports name the mailboxes, which the server looks up.
    const reported = this.#reports?.sent ?? Promise.resolve();
    for (const { handle } of this.mailboxes)
      beside(
        this.client,
        reported.then(() => handle.delete()),
      );
    // The next test may claim the same addresses, so they must be free.
    if (this.mailboxes.some(({ handle }) => claims(handle))) await errandsOf(this.client);
    await Promise.all(this.webhooks.map(({ handle }) => handle.delete()));
  }

  /** Keeps the handles on the server until the next run. Returns whether it did. */
  async #keep(): Promise<boolean> {
    const isUsed = this.mailboxes.length > 0 || this.webhooks.length > 0;
    if (!isUsed || !keeps(this.#options.keep)) return false;
    // If the server can't keep them, they are deleted, and that error is the one to report.
    const keeper = keepingOf(this.client);
    if (keeper === null || !(await keeper.keep().catch(() => false))) return false;
    // The next test may claim the same addresses.
    const claiming = this.mailboxes.filter(({ handle }) => claims(handle));
    await Promise.all(claiming.map(({ handle }) => this.client.local.claimAddresses(handle.id, [])));
    return true;
  }

  #handles(): { readonly mailboxIds: string[]; readonly webhookIds: string[] } {
    return {
      mailboxIds: this.mailboxes.map(({ handle }) => handle.id),
      webhookIds: this.webhooks.map(({ handle }) => handle.id),
    };
  }

  #use<Handle>(handle: Handle, all: UsedHandle<Handle>[]): UsedHandle<Handle> {
    const used = { handle, openedAt: new Date(now()).toISOString(), happenings: [] };
    all.push(used);
    this.#reports?.running(this.#handles());
    return used;
  }
}

function isTimed(options: CallOptions): boolean {
  if (!isPlain(options)) return false;
  const { timeout = 0 } = options;
  return typeof timeout === 'number' && timeout >= 0;
}

function cutBy(asked: number, timeout: number, limit: string): string {
  if (asked === Number.POSITIVE_INFINITY)
    return `The wait has no timeout of its own. It ended after ${timeout} ms, before ${limit}.`;
  return `The timeout of the wait is ${asked} ms. It ended after ${timeout} ms, before ${limit}.`;
}

/** Adds a sentence to an error's message, and to the copy of the message in its stack. */
export function amend(error: { message?: string | undefined; stack?: string | undefined }, sentence: string): void {
  const before = error.message ?? '';
  const after = `${before}\n${sentence}`;
  error.message = after;
  if (error.stack !== undefined) error.stack = error.stack.replace(before, () => after);
}

/** Removes control characters from a title, so that it can name a mailbox. */
function plainTitle(title: string): string {
  return title.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim() || 'test';
}

const MAX_NAME = 24;

/** Shortens a title to a name, so that a person can tell the mailboxes of a run apart. */
function nameOf(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, MAX_NAME).replace(/^-|-$/g, '') || 'test';
}

function claims({ addresses, phones }: Mailbox): boolean {
  return addresses.length > 0 || phones.length > 0;
}

const LONGEST_MARGIN_MS = 2_000;
const MARGIN = 0.2;

/**
 * Limits a wait, in milliseconds, so that it ends before the test's own timeout, and enough time is left to report why
 * nothing came. `isCut` tells whether it is shorter than asked for.
 */
export function allowed(askedMs: number, leftMs: number) {
  if (leftMs === Number.POSITIVE_INFINITY) return { timeout: askedMs, isCut: false };
  const most = Math.max(0, Math.floor(leftMs - Math.min(LONGEST_MARGIN_MS, leftMs * MARGIN)));
  return askedMs <= most ? { timeout: askedMs, isCut: false } : { timeout: most, isCut: true };
}

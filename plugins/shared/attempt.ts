import {
  type Authenticator,
  type AuthenticatorOptions,
  type CallOptions,
  type Client,
  type Mailbox,
  type MailboxOptions,
  OptionError,
  RefusedError,
  TimeoutError,
  WaitTimeoutError,
  type Webhook,
} from '../../src/client/index.ts';
import { duration, isPlain, now, steady, writeFilter } from '../../src/client/internal.ts';
import type { CallSite } from './call-site.ts';
import { allowed } from './time-left.ts';
import type { Used, Waiter, Waiting } from './waiting.ts';
import { watchAuthenticator, watchMailbox, watchWebhook } from './watched.ts';
import { beside, errandsOf } from './worker.ts';

/** What the runner does for an attempt at a test. */
export interface Runner {
  /** Milliseconds until the test's own timeout, for a wait that was given so many or none; infinite where nothing ends it. */
  leftMs(asked?: number): number;
  /** What it is that would end first. */
  limit(): string;
  /** What to do where the app has not connected to the server, as this runner has it; null where nothing is known. */
  advice(): string | null;
  /** Shows what is waited for while it is. */
  step<T>(title: string, site: CallSite | undefined, act: () => Promise<T>): Promise<T>;
}

export interface AttemptOptions {
  /** Milliseconds of a wait that is given none. */
  readonly timeout: number;
  /** A mailbox of its own or an address of a shared one; as the server allows, if undefined. */
  readonly isolation: 'mailbox' | 'address' | undefined;
  /** Of the test. */
  readonly title: string;
}

/** What a further mailbox of a test is to be. */
export type CreateMailboxOptions = Pick<MailboxOptions, 'name' | 'addresses' | 'isolation'>;

/** One attempt at a test, and the handles it has: none is left to another attempt. */
export class Attempt implements Waiter {
  readonly client: Client;
  readonly runner: Runner;
  readonly mailboxes: Used<Mailbox>[] = [];
  readonly webhooks: Used<Webhook>[] = [];
  readonly #options: AttemptOptions;
  #isOver = false;

  constructor(client: Client, runner: Runner, options: AttemptOptions) {
    duration('mailcapTimeout', options.timeout);
    this.client = client;
    this.runner = runner;
    this.#options = options;
  }

  async createMailbox(given: CreateMailboxOptions | string = {}): Promise<Mailbox> {
    const options = typeof given === 'string' ? { name: given } : given;
    const { isolation, title } = this.#options;
    const open = () => this.client.mailbox({ isolation, name: plainTitle(title), ...options });
    const handle = await open().catch(async (error: unknown) => {
      if (!(error instanceof RefusedError) || error.code !== 'address_taken') throw error;
      // A test that has ended may be giving it back just now, or a killed worker's workspace be on its way out.
      await errandsOf(this.client);
      return open();
    });
    const used = this.#use(handle);
    this.mailboxes.push(used);
    return watchMailbox(this, used);
  }

  async createWebhook(name?: string): Promise<Webhook> {
    const used = this.#use(await this.client.webhook({ name: name ?? nameOf(this.#options.title) }));
    this.webhooks.push(used);
    return watchWebhook(this, used);
  }

  totp(secretOrUri: AuthenticatorOptions | string): Authenticator {
    return watchAuthenticator(this, this.client.authenticator(secretOrUri));
  }

  /** A wait that ends before the test's own timeout, shown as a step, and remembered. */
  async wait<Options extends CallOptions, T>(
    waiting: Waiting,
    options: Options,
    act: (options: Options) => Promise<T>,
  ): Promise<T> {
    const { of, call, filter = {}, happenings, site } = waiting;
    // What is none the handle refuses, and says what to write instead.
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
      if (isCut && error instanceof TimeoutError) amend(error, cutBy(asked, timeout, this.runner.limit()));
      const advice = error instanceof WaitTimeoutError && error.isSilent ? this.runner.advice() : null;
      if (advice !== null && error instanceof Error) amend(error, advice);
      // What it waited at is gone with the test, which is no reason that tells anybody something.
      if (!isCut && this.#isOver && error instanceof Error) amend(error, 'The test ended while it waited.');
      note(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Milliseconds that a wait may take without the test's own timeout ending first. */
  allowedMs(): number {
    return allowed(Number.POSITIVE_INFINITY, this.runner.leftMs()).timeout;
  }

  /** A window can't be watched for less than it is long. */
  async watch(waiting: Waiting, forMs: number | undefined, act: () => Promise<void>): Promise<void> {
    const leftMs = this.runner.leftMs(forMs);
    if (typeof forMs === 'number' && forMs > leftMs)
      throw new OptionError(
        `${waiting.call} is to watch for ${forMs} ms, and ${this.runner.limit()} ends in ${Math.round(leftMs)} ms.`,
        'Watch for less, or give the test longer.',
      );
    await this.wait(waiting, { timeout: 0 }, act);
  }

  /** Webhooks are few in a plan, so the next test waits for theirs to be gone; mailboxes go while it runs. */
  async dispose(): Promise<void> {
    this.#isOver = true;
    for (const { handle } of this.mailboxes) beside(this.client, handle.delete());
    // What is claimed the next test may claim.
    if (this.mailboxes.some(({ handle }) => handle.addresses.length > 0)) await errandsOf(this.client);
    await Promise.all(this.webhooks.map(({ handle }) => handle.delete()));
  }

  #use<Handle>(handle: Handle): Used<Handle> {
    return { handle, openedAt: new Date(now()).toISOString(), happenings: [] };
  }
}

function isTimed(options: CallOptions): boolean {
  if (!isPlain(options)) return false;
  const { timeout = 0 } = options;
  return typeof timeout === 'number' && timeout >= 0;
}

function cutBy(asked: number, timeout: number, limit: string): string {
  if (asked === Number.POSITIVE_INFINITY)
    return `The wait had no limit of its own and was ended after ${timeout} ms: ${limit} would have come first.`;
  return `The wait was to take ${asked} ms and was ended after ${timeout}: ${limit} would have come first.`;
}

/** Adds a sentence to what an error says, where it is shown too. */
export function amend(error: { message?: string | undefined; stack?: string | undefined }, sentence: string): void {
  const before = error.message ?? '';
  const after = `${before}\n${sentence}`;
  error.message = after;
  if (error.stack !== undefined) error.stack = error.stack.replace(before, () => after);
}

/** A title as the name of a mailbox, which has no control character. */
function plainTitle(title: string): string {
  return title.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim() || 'test';
}

const MAX_NAME = 24;

/** What tells the mailboxes of a run apart for who looks at them. */
function nameOf(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, MAX_NAME).replace(/^-|-$/g, '') || 'test';
}

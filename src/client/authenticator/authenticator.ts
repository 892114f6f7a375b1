import { sleep, steady, warn } from '../environment.ts';
import { OptionError, TimeoutError } from '../errors.ts';
import { CALL, checkOptions, duration, oneOf } from '../options/check-options.ts';
import { type CallOptions, Deadline } from '../transport/deadline.ts';
import { located } from '../waiting/call-site.ts';
import { takeStep } from './steps.ts';

/** The options of `authenticator.code()`. */
export interface AuthenticatorCodeOptions extends CallOptions {
  /**
   * The shortest time the code must stay valid, in milliseconds. The default is 5,000, so that the code does not expire
   * while it is typed. A fixture uses less when the test itself has less time left.
   *
   * @example await authenticator.code({ minRemaining: 20_000 });
   */
  readonly minRemaining?: number | undefined;
  /**
   * The range in which a code is not repeated within its time step. `'handle'`, the default: this handle returns it
   * once. `'machine'`: all tests and runs of this user on this machine get it once. `'none'`: it may be repeated. Use
   * `'machine'` if tests share one account of an app that refuses a used code.
   *
   * @example await authenticator.code({ unique: 'machine' });
   */
  readonly unique?: 'handle' | 'machine' | 'none' | undefined;
}

/** The wait for the last code: its length and its reason. */
export interface CodeWait {
  /** The length of the wait, in milliseconds. */
  readonly ms: number;
  /** The reason, as a clause such as `this handle has already returned the code of this time step`. */
  readonly reason: string;
}

/** A handle that makes the TOTP codes (RFC 6238) of one account of the app. */
export interface Authenticator {
  /**
   * The id of the authenticator on the server. Null if the handle was made from a secret or a URI, which no server
   * stores.
   */
  readonly id: string | null;
  /**
   * Returns a code that is valid for at least 5 seconds more and that this handle has not returned before. It returns
   * at once, or waits for the next time step if one of the two conditions fails. A wait of two seconds or more is told
   * before it begins, by a warning of the process that names the options which shorten it. The client's `timeout` does not limit
   * this wait. Throws a TimeoutError with the code `no_fresh_code` if the wait would be longer than the call's own
   * `timeout`.
   *
   * @example await page.getByLabel('Code').fill(await totp(secret).code());
   */
  code(options?: AuthenticatorCodeOptions): Promise<string>;
  /** The wait for the last code: its length and its reason. It is null if the code came at once. */
  readonly lastWait: CodeWait | null;
}

/** A code and the time it expires. */
export interface TimedCode {
  readonly code: string;
  /** The end of the code's time step, in milliseconds since 1970, by the clock that computed the code. */
  readonly expiresAt: number;
  /** The least time that is left, in milliseconds. */
  readonly leftMs: number;
  /** The most time that may be left, in milliseconds. It differs from `leftMs` if the server returns whole seconds. */
  readonly leftAtMostMs: number;
}

export interface AuthenticatorParts {
  readonly id: string | null;
  /** A text that is the same for all handles of one secret. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly ask: (options: CallOptions) => Promise<TimedCode>;
}

const CODE = { ...CALL, minRemaining: duration, unique: oneOf('handle', 'machine', 'none') };
const MIN_REMAINING_MS = 5_000;
/** A wait of this many milliseconds or more is told before it begins. It may outlast the patience of a test. */
const TOLD_MS = 2_000;
/** The pause after the end of a time step, in milliseconds. A request right at its end could get the old code again. */
const AFTER_MS = 20;

export function createAuthenticatorHandle(parts: AuthenticatorParts): Authenticator {
  let lastWait: CodeWait | null = null;
  /** The time steps whose codes this handle returned, each by its end. */
  const handedOut = new Set<number>();
  let queue: Promise<unknown> = Promise.resolve();
  return {
    id: parts.id,
    get lastWait() {
      return lastWait;
    },
    code: located(async (options: AuthenticatorCodeOptions = {}) => {
      checkOptions('The argument of code()', options, CODE);
      // Calls at the same time wait for one another, so that each gets another code.
      const turn = queue.then(() => nextCode(parts, handedOut, options));
      queue = turn.catch(() => {});
      const { code, wait } = await turn;
      lastWait = wait;
      return code;
    }),
  };
}

type Unique = NonNullable<AuthenticatorCodeOptions['unique']>;

const TAKEN = {
  handle: 'this handle has already returned the code of this time step, and apps refuse a used code',
  machine: 'a test on this machine has already got the code of this time step',
} as const satisfies Record<Exclude<Unique, 'none'>, string>;

const REMEDY = {
  handle: "use `unique: 'none'`, which may repeat a code",
  machine:
    "use a secret that only this test uses, or `unique: 'handle'`, which may return a code that another test got",
} as const satisfies Record<keyof typeof TAKEN, string>;

/** The reason why there is no code yet, and the remedy to name if there is no time to wait. */
interface Obstacle {
  readonly reason: string;
  readonly remedy: string;
}

async function nextCode(
  { ask, key, signal }: AuthenticatorParts,
  handedOut: Set<number>,
  options: AuthenticatorCodeOptions,
): Promise<{ code: string; wait: CodeWait | null }> {
  const { minRemaining = MIN_REMAINING_MS, unique = 'handle', timeout = Number.POSITIVE_INFINITY } = options;
  const startedAt = steady();
  const deadline = new Deadline(timeout, [options.signal, signal]);
  let obstacle: Obstacle | null = null;
  try {
    for (let short = 0; ; ) {
      deadline.signal.throwIfAborted();
      const { code, expiresAt, leftMs, leftAtMostMs } = await ask({ signal: deadline.signal });
      const isLong = leftMs >= minRemaining;
      if (isLong && (await isFree(unique, key, expiresAt, handedOut))) {
        handedOut.add(expiresAt);
        return { code, wait: obstacle && { ms: Math.round(steady() - startedAt), reason: obstacle.reason } };
      }
      obstacle ??=
        isLong && unique !== 'none'
          ? { reason: TAKEN[unique], remedy: REMEDY[unique] }
          : tooShort(leftMs, minRemaining);
      // The first code may come from a step that is about to end. If four codes are too short, every time step is.
      if (!isLong && ++short > 3)
        throw new OptionError(`No code is valid for ${minRemaining} ms, because a time step is shorter.`);
      const waitMs = leftAtMostMs + AFTER_MS;
      if (waitMs > deadline.leftMs) throw tooLong(waitMs, timeout, obstacle);
      if (waitMs >= TOLD_MS) warn(told(waitMs, obstacle), 'MAILCAP_CODE_WAITS');
      await sleep(waitMs, deadline.signal);
    }
  } catch (error) {
    if (deadline.isOver && !(error instanceof OptionError)) throw tooLong(timeout, timeout, obstacle);
    throw error;
  } finally {
    deadline.dispose();
  }
}

async function isFree(
  unique: Unique,
  key: string,
  expiresAt: number,
  handedOut: ReadonlySet<number>,
): Promise<boolean> {
  if (unique === 'none') return true;
  if (handedOut.has(expiresAt)) return false;
  return unique === 'handle' || takeStep(key, expiresAt);
}

function tooShort(leftMs: number, minRemaining: number): Obstacle {
  return {
    reason: `the code of this time step was valid for only ${Math.max(0, Math.round(leftMs))} ms, less than ${minRemaining} ms`,
    remedy: 'use `minRemaining: 0`, which may return a code that is about to expire',
  };
}

function told(waitMs: number, { reason, remedy }: Obstacle): string {
  const seconds = Math.ceil(waitMs / 1_000);
  return `authenticator.code() now waits ${seconds} s for the next code: ${reason}. To wait less, ${remedy}. To fail instead, give code() a \`timeout\`.`;
}

function tooLong(waitMs: number, timeout: number, obstacle: Obstacle | null): TimeoutError {
  const { reason, remedy } = obstacle ?? { reason: 'no answer came', remedy: 'check whether the server is busy' };
  return new TimeoutError(
    'no_fresh_code',
    `The next code comes in ${Math.round(waitMs)} ms, after the timeout of ${timeout} ms: ${reason}.`,
    { hint: `Give the test more time, or ${remedy}.` },
  );
}

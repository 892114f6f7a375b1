import { sleep, steady } from '../environment.ts';
import { OptionError, TimeoutError } from '../errors.ts';
import { CALL, checkOptions, duration, oneOf } from '../options/check-options.ts';
import { type CallOptions, Deadline } from '../transport/deadline.ts';
import { located } from '../waiting/call-site.ts';
import { takeStep } from './steps.ts';

/** What `code()` may be given. */
export interface AuthenticatorCodeOptions extends CallOptions {
  /**
   * Milliseconds the code must still be good for. 5,000 if left out, so that it does not expire while it is typed; in a fixture less,
   * where the test itself has less time left.
   *
   * @example await authenticator.code({ minRemaining: 20_000 });
   */
  readonly minRemaining?: number | undefined;
  /**
   * Who is handed the code of a time step at most once: the caller of this handle (`'handle'`, the default), everybody on this
   * machine, other tests and runs included (`'machine'`), or nobody in particular (`'none'`). `'machine'` is for tests that share an account of an app
   * that refuses a code it has seen.
   *
   * @example await authenticator.code({ unique: 'machine' });
   */
  readonly unique?: 'handle' | 'machine' | 'none' | undefined;
}

/** How long a code was waited for, and why. */
export interface CodeWait {
  /** Milliseconds. */
  readonly ms: number;
  /** A sentence's part: `the code of this step was handed out already`. */
  readonly reason: string;
}

/** The second factor of an account of the app. */
export interface Authenticator {
  /** The id on the server; null where the handle was made of a secret or a URI, which is kept nowhere. */
  readonly id: string | null;
  /**
   * A code that this handle has not handed out before and that is good for 5 seconds more. It is there at once, unless one of the two
   * makes it wait for the next time step. Throws a TimeoutError with the code `no_fresh_code` where the wait would be longer than `timeout`, which
   * no timeout of the client bounds.
   *
   * @example await page.getByLabel('Code').fill(await totp(secret).code());
   */
  code(options?: AuthenticatorCodeOptions): Promise<string>;
  /** How long the last code was waited for, and why; null where it was there at once. */
  readonly lastWait: CodeWait | null;
}

/** A code, and how long it is good for. */
export interface TimedCode {
  readonly code: string;
  /** The end of its step, milliseconds since 1970 by the clock that made it. */
  readonly expiresAt: number;
  /** At least so many milliseconds from now. */
  readonly leftMs: number;
  /** At most so many. */
  readonly leftAtMostMs: number;
}

export interface AuthenticatorParts {
  readonly id: string | null;
  /** The same for all who have the same secret. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly ask: (options: CallOptions) => Promise<TimedCode>;
}

const CODE = { ...CALL, minRemaining: duration, unique: oneOf('handle', 'machine', 'none') };
const MIN_REMAINING_MS = 5_000;
/** After the step's end, so that no clock is asked too soon. */
const AFTER_MS = 20;

export function createAuthenticatorHandle(parts: AuthenticatorParts): Authenticator {
  let lastWait: CodeWait | null = null;
  /** The steps that this handle handed out, by their ends. */
  const handedOut = new Set<number>();
  let queue: Promise<unknown> = Promise.resolve();
  return {
    id: parts.id,
    get lastWait() {
      return lastWait;
    },
    code: located(async (options: AuthenticatorCodeOptions = {}) => {
      checkOptions('What code() is given', options, CODE);
      // Calls at the same time get their codes one after another.
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
  handle: 'this handle gave the code of this time step already, and an app refuses a code it has seen',
  machine: 'a test on this machine was given the code of this time step already',
} as const satisfies Record<Exclude<Unique, 'none'>, string>;

const REMEDY = {
  handle: "`unique: 'none'` takes the same code again",
  machine:
    "a secret of the test's own has a code at once, and `unique: 'handle'` takes one that another test was given",
} as const satisfies Record<keyof typeof TAKEN, string>;

/** Why there is no code yet, and what to do where there is no time to wait for one. */
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
      // A step may begin while the first is asked for; no third is shorter than the rest.
      if (!isLong && ++short > 3) throw new OptionError(`No code is good for ${minRemaining} ms: a step is shorter.`);
      const waitMs = leftAtMostMs + AFTER_MS;
      if (waitMs > deadline.leftMs) throw tooLong(waitMs, timeout, obstacle);
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
    reason: `the code of this time step was good for ${Math.max(0, Math.round(leftMs))} ms more, less than ${minRemaining}`,
    remedy: '`minRemaining: 0` takes one that is about to expire',
  };
}

function tooLong(waitMs: number, timeout: number, obstacle: Obstacle | null): TimeoutError {
  const { reason, remedy } = obstacle ?? { reason: 'no answer came', remedy: 'is the server busy?' };
  return new TimeoutError(
    'no_fresh_code',
    `A code is ${Math.round(waitMs)} ms away, and ${timeout} ms were given: ${reason}.`,
    { hint: `Give the test more time, or: ${remedy}.` },
  );
}

import { located } from './call-site.ts';
import { CALL, checkOptions, duration, flag } from './check-options.ts';
import { type CallOptions, Deadline } from './deadline.ts';
import { sleep, steady } from './environment.ts';
import { OptionError, TimeoutError } from './errors.ts';
import { takeStep } from './steps.ts';
import type { TimedCode } from './totp.ts';

export interface AuthenticatorCodeOptions extends CallOptions {
  /** Milliseconds the code must still be good for; 5,000 if left out. */
  readonly minRemaining?: number | undefined;
  /** `false`: a code that was handed out already will do. */
  readonly fresh?: boolean | undefined;
}

/** How long a code was waited for, and why. */
export interface CodeWait {
  readonly ms: number;
  readonly reason: string;
}

/** The second factor of an account of the app. */
export interface Authenticator {
  /** On the server; null where the client computes the codes. */
  readonly id: string | null;
  /**
   * A code no one was handed before, by this process or another of this user on this machine, and that does not expire while it is
   * typed; waited for where there is none yet, which may take a whole step. No `timeout` of the client bounds that; throws a TimeoutError where it
   * would take longer than a `timeout` given here.
   */
  code(options?: AuthenticatorCodeOptions): Promise<string>;
  /** Of the last code: how long it was waited for and why; null where it was there at once. */
  readonly lastWait: CodeWait | null;
  /** Deletes the authenticator, where this handle made it. */
  delete(options?: CallOptions): Promise<void>;
}

export interface AuthenticatorParts {
  readonly id: string | null;
  /** What is the same for all who have the same secret. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly ask: (options: CallOptions) => Promise<TimedCode>;
  readonly remove: (options?: CallOptions) => Promise<void>;
}

const CODE = { ...CALL, minRemaining: duration, fresh: flag };
const MIN_REMAINING_MS = 5_000;
/** After the step's end, so that no clock is asked too soon. */
const AFTER_MS = 20;

/** Who asks for the same secret asks one after another. */
const queues = new Map<string, Promise<unknown>>();

export function createAuthenticatorHandle(parts: AuthenticatorParts): Authenticator {
  let lastWait: CodeWait | null = null;
  return {
    id: parts.id,
    get lastWait() {
      return lastWait;
    },
    code: located(async (options: AuthenticatorCodeOptions = {}) => {
      checkOptions('What code() is given', options, CODE);
      const { code, wait } = await inTurn(parts.key, () => nextCode(parts, options));
      lastWait = wait;
      return code;
    }),
    delete: located(async (options: CallOptions = {}) => {
      checkOptions('The last argument of delete', options, CALL);
      await parts.remove(options);
    }),
  };
}

async function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const turn = (queues.get(key) ?? Promise.resolve()).then(act, act);
  queues.set(key, turn);
  return turn;
}

async function nextCode(
  { ask, key, signal }: AuthenticatorParts,
  options: AuthenticatorCodeOptions,
): Promise<{ code: string; wait: CodeWait | null }> {
  const { minRemaining = MIN_REMAINING_MS, fresh = true, timeout = Number.POSITIVE_INFINITY } = options;
  const startedAt = steady();
  const deadline = new Deadline(timeout, [options.signal, signal]);
  let reason: string | null = null;
  try {
    for (let short = 0; ; ) {
      deadline.signal.throwIfAborted();
      const { code, expiresAt, leftMs, leftAtMostMs } = await ask({ signal: deadline.signal });
      const isLong = leftMs >= minRemaining;
      if (isLong && (!fresh || (await takeStep(key, expiresAt))))
        return { code, wait: reason === null ? null : { ms: Math.round(steady() - startedAt), reason } };
      reason ??= isLong ? 'the code of this step was handed out already' : tooShort(leftMs, minRemaining);
      // A step may begin while the first is asked for; no third is shorter than the rest.
      if (!isLong && ++short > 3) throw new OptionError(`No code is good for ${minRemaining} ms: a step is shorter.`);
      const waitMs = leftAtMostMs + AFTER_MS;
      if (waitMs > deadline.leftMs) throw tooLong(waitMs, timeout, reason);
      await sleep(waitMs, deadline.signal);
    }
  } catch (error) {
    if (deadline.isOver && !(error instanceof OptionError)) throw tooLong(timeout, timeout, reason ?? 'no answer came');
    throw error;
  } finally {
    deadline.dispose();
  }
}

function tooShort(leftMs: number, minRemaining: number): string {
  return `the code of this step was good for ${Math.max(0, Math.round(leftMs))} ms more, less than ${minRemaining}`;
}

function tooLong(waitMs: number, timeout: number, reason: string): TimeoutError {
  return new TimeoutError(
    'no_fresh_code',
    `A code is ${Math.round(waitMs)} ms away, and ${timeout} ms were given: ${reason}.`,
    {
      hint: '`fresh: false` takes one that was handed out, `minRemaining: 0` one that is about to expire.',
    },
  );
}

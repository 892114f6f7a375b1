import { type OtpauthUri, OtpError, parseTotpSource } from '../../otp/otpauth-uri.ts';
import { ownWorkspace } from '../clock.ts';
import type { Api } from '../connection/caller.ts';
import type { TotpFields, TotpSecret } from '../connection/local-resources.ts';
import type { TotpCodeResponse } from '../connection/resources.ts';
import { now, sleep, steady, warn, workingDirectory } from '../environment.ts';
import { OptionError, TimeoutError } from '../errors.ts';
import { CALL, checkOptions, count, duration, filledText, oneOf, text } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import { type CallOptions, Deadline } from '../transport/transport.ts';
import { located } from '../waiting/call-site.ts';

/**
 * The source of the codes: the id of an authenticator on the server, an `otpauth://totp/` URI, or a secret.
 *
 * @example client.authenticator({ secret: 'JBSWY3DPEHPK3PXP', digits: 8 });
 */
export type AuthenticatorOptions = { readonly id: string } | { readonly uri: string } | TotpSecret;

const OPTIONS = {
  id: filledText,
  uri: text,
  secret: text,
  algorithm: oneOf('SHA1', 'SHA256', 'SHA512'),
  digits: oneOf(6, 8),
  period: count,
};
const EXAMPLE = 'An id, a secret or an otpauth:// URI, as text, or { secret: ... }.';

/**
 * Every ULID until the year 3084 begins with `0`, which is not a base32 character. So no id is mistaken for a secret.
 */
const ULID = /^0[0-9A-HJKMNP-TV-Z]{25}$/i;

/**
 * Creates the handle of an authenticator without a request. A local server computes the codes, so that they follow the
 * clock of the client's workspace, and stores nothing. Without a local server the client computes them. Throws an OptionError for an invalid
 * option; its message never shows the secret.
 */
export function openAuthenticator(api: Api, settings: Settings, given: AuthenticatorOptions | string): Authenticator {
  const options = typeof given === 'string' ? optionsOf(given) : given;
  checkOptions('The argument of authenticator()', options, OPTIONS, EXAMPLE);
  if ('id' in options) {
    filledText('id', options.id);
    const { id } = options;
    const ask = async (o: CallOptions) => timed(await api.getTotpCode(id, o));
    return createAuthenticatorHandle({ id, key: `id ${id}`, signal: settings.signal, ask });
  }
  const source = sourceOf(options);
  const ask = async (o: CallOptions) =>
    (await api.hasLocalApi()) ? timed(await ofServer(api, source, o)) : computed(source);
  return createAuthenticatorHandle({ id: null, key: `secret ${source.secret}`, signal: settings.signal, ask });
}

function optionsOf(text: string): AuthenticatorOptions {
  if (/^\s*otpauth:/i.test(text)) return { uri: text };
  return ULID.test(text) ? { id: text } : { secret: text };
}

const WRONG = {
  invalid_secret: 'The secret of the authenticator is not base32.',
  invalid_uri: 'The URI is not an otpauth://totp/ URI, or a part of it is wrong.',
  invalid_algorithm: 'algorithm must be SHA1, SHA256 or SHA512.',
  invalid_digits: 'digits must be 6 or 8.',
  invalid_period: 'period must be 15 to 120 seconds.',
};

function sourceOf(options: AuthenticatorOptions): OtpauthUri {
  if (!('uri' in options) && !('secret' in options))
    throw new OptionError('authenticator needs an id, a secret or a uri.', EXAMPLE);
  try {
    return parseTotpSource(options);
  } catch (error) {
    throw error instanceof OtpError ? new OptionError(WRONG[error.code]) : error;
  }
}

function fieldsOf({ secret, algorithm, digits, period }: OtpauthUri): TotpFields {
  const ALGORITHMS = { sha1: 'SHA1', sha256: 'SHA256', sha512: 'SHA512' } as const;
  return { secret, algorithm: ALGORITHMS[algorithm], digits, period };
}

/** Lets the server compute the code, by the clock of the client's workspace. */
async function ofServer(api: Api, source: OtpauthUri, options: CallOptions): Promise<TotpCodeResponse> {
  const workspaceId = await ownWorkspace(api);
  return api.local.computeTotp({ ...fieldsOf(source), ...(workspaceId !== null && { workspaceId }) }, options);
}

function timed({ code, expiresAt, expiresInSeconds }: TotpCodeResponse): TimedCode {
  // The server rounds the seconds up.
  const leftAtMostMs = expiresInSeconds * 1_000;
  return { code, expiresAt: Date.parse(expiresAt), leftMs: leftAtMostMs - 1_000, leftAtMostMs };
}

/** Computes the code by this machine's clock. */
async function computed(source: OtpauthUri): Promise<TimedCode> {
  // The module is loaded only when no server computes the codes.
  const { codeAt } = await import('../../otp/totp.ts');
  const at = now();
  const { code, expiresAt } = codeAt(source, at);
  return { code, expiresAt, leftMs: expiresAt - at, leftAtMostMs: expiresAt - at };
}

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
interface TimedCode {
  readonly code: string;
  /** The end of the code's time step, in milliseconds since 1970, by the clock that computed the code. */
  readonly expiresAt: number;
  /** The least time that is left, in milliseconds. */
  readonly leftMs: number;
  /** The most time that may be left, in milliseconds. It differs from `leftMs` if the server returns whole seconds. */
  readonly leftAtMostMs: number;
}

interface AuthenticatorParts {
  readonly id: string | null;
  /** A text that is the same for all handles of one secret. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly ask: (options: CallOptions) => Promise<TimedCode>;
}

const CODE = { ...CALL, minRemaining: duration, unique: oneOf('handle', 'machine', 'none') };
const MIN_REMAINING_MS = 5_000;
/** `code()` announces a wait of this many milliseconds or more, because it may outlast the timeout of a test. */
const TOLD_MS = 2_000;
/** The pause after the end of a time step, in milliseconds. A request right at its end could get the old code again. */
const AFTER_MS = 20;

function createAuthenticatorHandle(parts: AuthenticatorParts): Authenticator {
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

/** The reason why there is no code yet, and the remedy to name if there is no time to wait. */
interface Obstacle {
  readonly reason: string;
  readonly remedy: string;
}

const TAKEN: Readonly<Record<Exclude<Unique, 'none'>, Obstacle>> = {
  handle: {
    reason: 'this handle has already returned the code of this time step, and apps refuse a used code',
    remedy: "use `unique: 'none'`, which may repeat a code",
  },
  machine: {
    reason: 'a test on this machine has already got the code of this time step',
    remedy:
      "use a secret that only this test uses, or `unique: 'handle'`, which may return a code that another test got",
  },
};

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
      obstacle ??= isLong && unique !== 'none' ? TAKEN[unique] : tooShort(leftMs, minRemaining);
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

// This module records which time steps of which secrets were handed out. Apps refuse a code that was used. The retry of
// a test, the worker beside it or the next run is often another process, so the record is shared on disk.

/** A step further from now than this belongs to a clock that a test has moved. */
const REAL_WITHIN_MS = 600_000;

/** The steps that this process took. */
const taken = new Set<string>();

/**
 * Takes a time step of a secret for the caller alone. Returns false if the step was taken before, by this process or by
 * another process of this user on this machine. `key` is the same for all handles of one secret. `expiresAt` is the end
 * of the step in milliseconds since 1970.
 */
export async function takeStep(key: string, expiresAt: number): Promise<boolean> {
  const name = `${expiresAt}-${await fingerprint(key)}`;
  if (taken.has(name)) return false;
  taken.add(name);
  const at = now();
  // A step of a moved clock is not written to disk, because the next run may move its clock to the same time.
  if (workingDirectory() === null || Math.abs(expiresAt - at) > REAL_WITHIN_MS) return true;
  const { takeFile } = await import('./step-files.ts');
  return takeFile(name, at - REAL_WITHIN_MS);
}

/** Returns a hash that does not reveal the secret. */
async function fingerprint(key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import type { ErrorCode } from '../domain/errors.ts';
import { printed } from '../text/harmless.ts';

/** The codes of errors that the client itself finds, without a refusal by the server. */
export type ClientErrorCode =
  | 'no_server'
  | 'server_refused'
  | 'no_api_key'
  | 'unreachable'
  | 'timed_out'
  | 'unexpected_answer'
  | 'local_only'
  | 'invalid_option'
  | 'unknown_workspace'
  | 'unknown_mail_domain'
  | 'unknown_webhook_base_url'
  | 'no_message'
  | 'several_messages'
  | 'unexpected_message'
  | 'no_code'
  | 'several_codes'
  | 'no_link'
  | 'no_one_click'
  | 'unsubscribe_failed'
  | 'several_links'
  | 'relative_link'
  | 'no_request'
  | 'several_requests'
  | 'unexpected_request'
  | 'requests_trimmed'
  | 'no_fresh_code'
  | 'not_json';

/** Every code of a {@link MailcapError}: the codes of the API and the client's own. */
export type MailcapErrorCode = ErrorCode | ClientErrorCode;

/** The further properties of an error. */
export interface ErrorDetails {
  readonly status?: number | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly hint?: string | undefined;
  readonly call?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly cause?: unknown;
}

/**
 * The base class of every error that the client throws. The one exception is the reason of an aborted signal, which is
 * thrown as it is.
 */
export class MailcapError extends Error {
  /** The name of the class. */
  override readonly name: string = 'MailcapError';
  /** The machine-readable code: a code of the API, or one of the client's own. */
  readonly code: MailcapErrorCode;
  /** The HTTP status of the answer; null if there was no answer. */
  readonly status: number | null;
  /** The `X-Request-Id` of the answer, as the server's log shows it; null if there was none. */
  readonly requestId: string | null;
  /** A sentence that says how to fix it; null if there is none. */
  readonly hint: string | null;
  /** The name of the call in the client, such as `getMessage` or `local.reset`; null if no single call failed. */
  readonly call: string | null;
  /**
   * The URL of the server, if it refused the call, was not reached, or the client has no key for it; otherwise null.
   */
  readonly url: string | null;

  constructor(code: MailcapErrorCode, message: string, details: ErrorDetails = {}) {
    const { status, requestId, hint, call, url, cause } = details;
    // Runners print the message, the stack and the cause, which may quote a mail, a request or an answer.
    super(
      printed(hint === undefined ? message : `${message}\n${hint}`),
      cause === undefined ? undefined : { cause: printable(cause) },
    );
    this.code = code;
    this.status = status ?? null;
    this.requestId = requestId ?? null;
    this.hint = hint === undefined ? null : printed(hint);
    this.call = call ?? null;
    this.url = url ?? null;
  }
}

/** The number of causes of a cause that are made harmless. Node and fetch nest two or three. */
const MOST_CAUSES = 5;

/** Makes the message and the stack of a cause harmless, as far as they can be changed. Returns the same value. */
function printable(cause: unknown): unknown {
  let error = cause;
  for (let at = 0; at < MOST_CAUSES && error instanceof Error; at++) {
    for (const name of ['message', 'stack'] as const) {
      const text = error[name];
      const safe = text === undefined ? undefined : printed(text);
      if (safe !== undefined && safe !== text)
        Reflect.defineProperty(error, name, { value: safe, configurable: true, writable: true });
    }
    error = error.cause;
  }
  return cause;
}

/** Makes all texts in a value of JSON harmless that a runner prints with an error. */
function printableValue(value: unknown): unknown {
  if (typeof value === 'string') return printed(value);
  if (Array.isArray(value)) return value.map(printableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [printed(name), printableValue(one)]));
}

/** The server refused a call with a status of 400 or above. */
export class RefusedError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'RefusedError';
  /** The fields of the answer beside its code, such as `limit` or `recipients`. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    code: MailcapErrorCode,
    message: string,
    details: ErrorDetails,
    extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message, details);
    this.extra = printableValue(extra) as typeof extra; // it returns an object for an object
  }
}

/** Tells whether the server refused a call with this code. */
export function isRefusedAs(error: unknown, code: MailcapErrorCode): error is RefusedError {
  return error instanceof RefusedError && error.code === code;
}

/** Returns a handler that turns a refusal with a code into a value, and throws any other error. */
export function onRefusal<Value>(code: MailcapErrorCode, value: Value): (error: unknown) => Value {
  return (error) => {
    if (isRefusedAs(error, code)) return value;
    throw error;
  };
}

/** No server was found, or the connection to it failed. */
export class NoServerError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'NoServerError';
  /** `true` if the call was sent and its answer was lost. The server may have run it. */
  readonly mayHaveRun: boolean;

  constructor(code: MailcapErrorCode, message: string, details: ErrorDetails, mayHaveRun = false) {
    super(code, message, details);
    this.mayHaveRun = mayHaveRun;
  }
}

/** Returns null for a server.json that is not believed. The caller needs none, or has another error to report. */
export function nullIfNoServer(error: unknown): null {
  if (error instanceof NoServerError) return null;
  throw error;
}

/** A call or a wait took longer than its timeout. */
export class TimeoutError extends MailcapError {
  /** The name of the class. */
  override readonly name: string = 'TimeoutError';
}

/** A call needs the local API, and the server has none. */
export class LocalOnlyError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'LocalOnlyError';

  constructor(call: string, hint = 'Only `npx mailcap dev` and the mailcap container have a local API.') {
    super('local_only', `${call} needs the local API, which this server does not have.`, { hint });
  }
}

/** An option or a filter does not exist, or has an invalid value. */
export class OptionError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'OptionError';

  constructor(message: string, hint?: string) {
    super('invalid_option', message, { hint });
  }
}

/** Replaces the hint of an error, in its message, in its stack and by itself. */
export function replaceHint(error: MailcapError, sentence: string): void {
  const { hint, message } = error;
  const after = printed(sentence);
  const at = hint === null ? -1 : message.lastIndexOf(hint);
  if (hint === null || at < 0) return;
  const changed = message.slice(0, at) + after + message.slice(at + hint.length);
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => changed);
  error.message = changed;
  Object.defineProperty(error, 'hint', { value: after, enumerable: true, configurable: true, writable: true });
}

/** A wait ended before a matching message or request came. */
export class WaitTimeoutError extends TimeoutError {
  /** The name of the class. */
  override readonly name = 'WaitTimeoutError';
  /** `true` if no SMTP client has connected since the handle was made. The app may then send to another server. */
  readonly isSilent: boolean;

  constructor(code: MailcapErrorCode, message: string, details: ErrorDetails, isSilent = false) {
    super(code, message, details);
    this.isSilent = isSilent;
  }
}

/** Several items match, and the call can return only one. */
export class AmbiguityError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'AmbiguityError';
  /** A description of each item that matches, one line each. */
  readonly candidates: readonly string[];

  constructor(code: MailcapErrorCode, message: string, candidates: readonly string[], details: ErrorDetails = {}) {
    super(code, `${message}\n${candidates.map((line) => `  ${line}`).join('\n')}`, details);
    this.candidates = candidates.map(printed);
  }
}

/** A message or request came although the test expected none. */
export class UnexpectedError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'UnexpectedError';
}

/** A message or request lacks the content that was asked for, such as a code or a link. */
export class ContentError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'ContentError';
}

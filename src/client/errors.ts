import type { ErrorCode } from '../domain/errors.ts';

/** What fails without a server having refused it. */
export type ClientErrorCode =
  | 'no_server'
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
  | 'several_links'
  | 'relative_link'
  | 'no_request'
  | 'several_requests'
  | 'unexpected_request'
  | 'no_fresh_code'
  | 'not_json';

/** Every code a {@link MailcapError} can have: those of the API, and the client's own. */
export type MailcapErrorCode = ErrorCode | ClientErrorCode;

export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Whatever the client throws, but for the reason of a signal that was aborted. */
export class MailcapError extends Error {
  /** The name of the class. */
  override readonly name: string = 'MailcapError';
  /** What went wrong, for programs: a code of the API, or one of the client's own. */
  readonly code: MailcapErrorCode;
  /** Of the answer; null where there was none. */
  readonly status: number | null;
  /** Of the answer, as the server's log has it. */
  readonly requestId: string | null;
  /** What to do about it. */
  readonly hint: string | null;

  constructor(code: MailcapErrorCode, message: string, details: ErrorDetails = {}) {
    const { status, requestId, hint, cause } = details;
    super(hint === undefined ? message : `${message}\n${hint}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? null;
    this.requestId = requestId ?? null;
    this.hint = hint ?? null;
  }
}

/** The server refused a call. */
export class RefusedError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'RefusedError';
  /** The fields that stand beside the code, as `limit` or `recipients`. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    code: MailcapErrorCode,
    message: string,
    details: ErrorDetails,
    extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message, details);
    this.extra = extra;
  }
}

/** No server answered: none was found, or the connection failed. */
export class NoServerError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'NoServerError';
}

/** A call or a wait took longer than its timeout. */
export class TimeoutError extends MailcapError {
  /** The name of the class. */
  override readonly name: string = 'TimeoutError';
}

/** A call of the local API, and the server has none. */
export class LocalOnlyError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'LocalOnlyError';

  constructor(call: string, hint = 'Without `npx mailcap dev` or a mailcap container there is only the cloud API.') {
    super('local_only', `${call} needs the local API, which this server does not have.`, { hint });
  }
}

/** An option or a filter that does not exist, or a value that means nothing. */
export class OptionError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'OptionError';

  constructor(message: string, hint?: string) {
    super('invalid_option', message, { hint });
  }
}

/** A wait ended without what it waited for. */
export class WaitTimeoutError extends TimeoutError {
  /** The name of the class. */
  override readonly name = 'WaitTimeoutError';
  /** Whether no SMTP client has connected since the handle was made: the app may send to another server. */
  readonly isSilent: boolean;

  constructor(code: MailcapErrorCode, message: string, details: ErrorDetails, isSilent = false) {
    super(code, message, details);
    this.isSilent = isSilent;
  }
}

/** Several are there where one was meant. */
export class AmbiguityError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'AmbiguityError';
  /** A line for each. */
  readonly candidates: readonly string[];

  constructor(code: MailcapErrorCode, message: string, candidates: readonly string[], details: ErrorDetails = {}) {
    super(code, `${message}\n${candidates.map((line) => `  ${line}`).join('\n')}`, details);
    this.candidates = candidates;
  }
}

/** Something came that must not have come. */
export class UnexpectedError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'UnexpectedError';
}

/** What came does not hold what was asked of it. */
export class ContentError extends MailcapError {
  /** The name of the class. */
  override readonly name = 'ContentError';
}

import { MailRefused } from '../actions/receive-message.ts';
import { ApiError } from '../domain/errors.ts';
import { MAIL_REFUSALS, type SmtpReply } from '../domain/smtp.ts';
import type { Log } from '../ports/system.ts';

/** The replies. Each text starts with the enhanced status code (RFC 2034). */
export const REPLIES = {
  ...MAIL_REFUSALS,
  disk_full: { code: 452, text: '4.3.1 Insufficient system storage: the disk is full' },
  storage_unavailable: { code: 452, text: '4.3.1 Insufficient system storage' },
  too_large: { code: 552, text: '5.3.4 Message too big' },
  too_many_recipients: { code: 452, text: '4.5.3 Too many recipients' },
  recipient_not_allowed: { code: 550, text: '5.1.0 Requested action not taken: mailbox unavailable' },
  sign_in_required: { code: 530, text: '5.7.0 Authentication required' },
  credentials_invalid: { code: 535, text: '5.7.8 Authentication credentials invalid' },
  sign_in_too_late: { code: 503, text: '5.5.1 AUTH comes before MAIL' },
  unknown_parameter: { code: 555, text: '5.5.4 A parameter is not known: EHLO lists the extensions' },
  not_expanded: { code: 502, text: '5.5.1 Mailing lists are not expanded' },
  too_many_sign_ins: { code: 421, text: '4.7.0 Too many failed sign-ins' },
  sign_in_unavailable: { code: 454, text: '4.7.0 Temporary authentication failure' },
  tls_off: { code: 502, text: '5.5.1 TLS is turned off' },
  tls_required: { code: 530, text: '5.7.0 Must issue a STARTTLS command first' },
  tls_unavailable: { code: 454, text: '4.7.0 TLS is not available' },
  shutting_down: { code: 421, text: '4.3.2 Server shutting down' },
  gives_way: { code: 421, text: '4.4.2 Idle for too long while many clients are connected' },
  too_slow: { code: 421, text: '4.4.2 Too slow while all connections are taken' },
  too_many_clients: { code: 421, text: '4.3.2 Too many connections' },
  dropped: { code: 421, text: '4.4.2 Connection dropped' },
  failed: { code: 451, text: '4.3.0 Local error in processing' },
} as const satisfies Record<string, SmtpReply>;

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(REPLIES).map(([reason, { text }]) => [text, reason]),
);

/** The reasons of refusals whose text smtp-server writes itself, by reply code. */
const REASONS_BY_CODE: ReadonlyMap<number, string> = new Map([
  [501, 'bad_syntax'],
  [503, 'bad_sequence'],
  [552, 'too_large'],
]);

/** Returns the name of a refusal in {@link REPLIES}, or a name derived from its code. */
export function refusalName(reply: SmtpReply): string {
  return REASONS.get(reply.text) ?? REASONS_BY_CODE.get(reply.code) ?? 'other';
}

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a reply that held one could be split in two
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Writes a reply as it goes to the client, without its last line end. `statusOf` returns the enhanced status code of a
 * text that has none, or ''.
 */
export function replyLines(code: number, text: string | readonly string[], statusOf: () => string): string {
  if (typeof text !== 'string') {
    const last = text.length - 1;
    return text.map((line, at) => `${code}${at < last ? '-' : ' '}${printable(line)}`).join('\r\n');
  }
  const status = ENHANCED.test(text) ? '' : statusOf();
  return `${code} ${status === '' ? '' : `${status} `}${printable(text)}`;
}

function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}

/** A reply as an error, as smtp-server's hooks expect it. */
export class ReplyError extends Error {
  override readonly name = 'Refusal';
  readonly responseCode: number;

  constructor(reply: SmtpReply) {
    super(reply.text);
    this.responseCode = reply.code;
  }
}

/** Returns the reply for an error. Only this function logs an unexpected error. */
export function replyTo(error: unknown, log: Log): SmtpReply {
  if (error instanceof ReplyError) return { code: error.responseCode, text: error.message };
  if (error instanceof MailRefused) return REPLIES[error.reason];
  if (error instanceof ApiError && (error.code === 'disk_full' || error.code === 'storage_unavailable')) {
    return REPLIES[error.code];
  }
  log.error('a mail could not be accepted', { error });
  return REPLIES.failed;
}

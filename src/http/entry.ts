import { meetHttpFault } from '../actions/faults.ts';
import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Exchange, Lifetime } from './exchange.ts';
import { drop, logRequest, respondError, respondFault } from './respond.ts';

// Two things may answer a request before its route or its webhook does: a server that stops, and a fault rule.

/** The path of the health check, which is answered until the server closes. */
const HEALTH_PATH = '/_mailcap/health';

/** The `Retry-After` of a refusal while the server stops, in seconds. Another server may have started by then. */
export const RETRY_AFTER_S = 1;

/**
 * Serves a request and counts it as under way. A server that stops refuses new requests
 * (docs/guarantees.md#a-stop). Rejects if `serve` rejects.
 */
export function trackRequest(
  ctx: Context,
  exchange: Exchange,
  lifetime: Lifetime,
  serve: () => Promise<void>,
): Promise<void> {
  logRequest(ctx, exchange);
  if (!lifetime.stopping || exchange.path === HEALTH_PATH) return lifetime.during(serve);
  respondError(exchange, refuse('shutting_down', { retryAfter: RETRY_AFTER_S }), ctx.log);
  return Promise.resolve();
}

/** Throws `shutting_down` if the server's end cut a wait short. Otherwise the time of the wait passed. */
export function checkTimePassed({ closing }: Exchange): void {
  if (closing) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
}

// Fault rules never apply to /_mailcap, because it must stay possible to remove a rule.
const CAN_FAIL = /^\/(?:v1|hooks)(?:\/|$)/;
const MAILBOX = /^\/v1\/mailboxes\/([^/]+)/;

/**
 * Applies a matching fault rule (docs/faults.md). Resolves with true if the rule answered, else the request
 * goes on.
 */
export async function applyHttpFault(ctx: Context, exchange: Exchange): Promise<boolean> {
  const { req, path } = exchange;
  if (!CAN_FAIL.test(path)) return false;
  const mailboxId = parseUlid<MailboxId>(MAILBOX.exec(path)?.[1] ?? '');
  const texts = { clientAddress: req.socket.remoteAddress ?? null, method: req.method ?? null, path };
  const mailboxIds = mailboxId === null ? [] : [mailboxId];
  try {
    const action = await meetHttpFault(ctx, { stage: 'http', texts, mailboxIds }, exchange);
    if (action?.drop) drop(exchange);
    else if (action?.reply) respondFault(exchange, action.reply);
    else return false;
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
  return true;
}

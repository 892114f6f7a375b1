import { meetHttpFault } from '../actions/faults.ts';
import type { Context } from '../context.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Exchange } from './exchange.ts';
import { drop, respondError, respondFault } from './respond.ts';

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

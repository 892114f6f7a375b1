import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';
import { exchange, targetBelow } from './exchange.ts';
import { requestBytes, type WholeRequest } from './read-request.ts';

/** The timeout of a request, in milliseconds. A forward by the server has the same. */
const PATIENCE_MS = 10_000;

export interface RepeatedAnswer {
  /** The URL that was called, with the sub-path and query of the request. */
  readonly url: string;
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends a captured request again to another URL, with its original method, headers and bytes. Throws a
 * {@link UserError} if nobody answers.
 */
export async function sendAgain(request: WholeRequest, to: string): Promise<RepeatedAnswer> {
  const { view, headers } = request;
  const target = targetBelow(to, view.path, view.query);
  const outgoing = { method: view.method ?? 'POST', headers, body: requestBytes(request), timeoutMs: PATIENCE_MS };
  const { status, beginning, error } = await exchange(target, outgoing);
  if (status === null) throw new UserError(`the request to ${target.origin} failed: ${error}.`, EXIT.failed);
  return { url: `${target.origin}${target.path}`, status, body: beginning };
}

import type { Call, Reply } from './call.ts';
import { type MailcapErrorCode, RefusedError } from './errors.ts';
import { textOf } from './reply.ts';

const HINTS: Readonly<Record<string, string>> = {
  unauthorized:
    'Is MAILCAP_API_KEY the key of this server? Of the local API of a server in a container: MAILCAP_ADMIN_TOKEN.',
  forbidden: 'The local API answers to loopback names alone; --allowed-hosts adds others.',
  not_found: 'It does not exist, or the key may not see it.',
  rate_limited: 'A longer `timeout` would wait it out; a local server has --limits off.',
  outbound_disabled: 'Sending needs the Business plan, and outbound enabled on the mailbox.',
  plan_max_mailboxes_reached: 'Delete mailboxes, or use addresses of one: client.mailbox({ isolation: "address" }).',
  hook_limit_reached: 'Delete interceptors that are not used any more: client.deleteWebhook(id).',
};

/** The error a reply of 400 or above stands for. */
export function refusalOf(call: Call, reply: Reply): RefusedError {
  const { error, ...extra } = bodyOf(reply);
  // A newer server may know more codes than this client.
  const code = typeof error === 'string' ? (error as MailcapErrorCode) : 'unexpected_answer';
  const requestId = reply.headers.get('x-request-id') ?? undefined;
  const said = typeof error === 'string' ? error : textOf(reply).slice(0, 200);
  const more = Object.keys(extra).length === 0 ? '' : ` ${JSON.stringify(extra)}`;
  const message = `${call.name} was refused: ${reply.status} ${said}${more}`;
  return new RefusedError(code, message, { status: reply.status, requestId, hint: HINTS[code] }, extra);
}

function bodyOf(reply: Reply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textOf(reply));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

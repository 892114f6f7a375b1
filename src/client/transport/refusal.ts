import { type MailcapErrorCode, RefusedError } from '../errors.ts';
import type { ApiReply, Call } from './call.ts';
import { replyText } from './reply.ts';

const HINTS: Readonly<Record<string, string>> = {
  unauthorized:
    'Is MAILCAP_API_KEY the key of this server? Of the local API of a server in a container: MAILCAP_ADMIN_TOKEN.',
  forbidden: 'The local API answers to loopback names alone; --allowed-hosts adds others.',
  rate_limited: 'A longer `timeout` would wait it out; a local server has --limits off.',
  invalid_name:
    "A name has 1 to 100 characters, no control character, and a letter or digit to make a subdomain of. A handle's has up to 13 more of its own at the end.",
  invalid_from_domain:
    "Send from the mailbox's own domain, or have this one verified: client.local.createIdentity(workspaceId, { domain }); in the cloud the dashboard does it.",
  recipients_not_allowed:
    "Put them on the mailbox's allowlist: client.local.updateMailbox(id, { allowlist: ['*.example.com'] }); in the cloud the dashboard does it.",
  outbound_disabled: 'Sending needs the Business plan, and outbound enabled on the mailbox.',
  plan_max_mailboxes_reached: 'Delete mailboxes, or use addresses of one: client.mailbox({ isolation: "address" }).',
  disk_full: "The server's disk is full: make room there, or delete messages.",
  storage_unavailable: "The server can't write to its disk: see its log.",
  hook_limit_reached: 'Delete interceptors that are not used any more: client.deleteWebhook(id).',
};

/** Converts an answer with a status of 400 or above to an error. */
export function refusalOf(call: Call, url: string, reply: ApiReply): RefusedError {
  const { error, ...extra } = bodyOf(reply);
  // A newer server may have codes that this client does not know.
  const code = typeof error === 'string' ? (error as MailcapErrorCode) : 'unexpected_answer';
  const requestId = reply.headers.get('x-request-id') ?? undefined;
  const said = typeof error === 'string' ? error : replyText(reply).slice(0, 200);
  const more = Object.keys(extra).length === 0 ? '' : ` ${JSON.stringify(extra)}`;
  const message = `${call.name} was refused: ${reply.status} ${said}${more}`;
  return new RefusedError(
    code,
    message,
    {
      status: reply.status,
      requestId,
      call: call.name,
      url,
      hint: code === 'not_found' ? notThere(call) : HINTS[code],
    },
    extra,
  );
}

/** Builds the message of a 404: what is missing, and why that may be. */
function notThere({ path }: Call): string {
  const nothing = `There is nothing at ${path}, or the key may not see it.`;
  const isOfHandle = /\/(mailboxes|webhooks)\//.test(path);
  return isOfHandle
    ? `${nothing} What a fixture made is deleted when its test ends, and at a reset: is every call awaited?`
    : nothing;
}

function bodyOf(reply: ApiReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(replyText(reply));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

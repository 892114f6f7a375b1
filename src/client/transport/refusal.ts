import { type MailcapErrorCode, RefusedError } from '../errors.ts';
import type { ApiReply, Call } from './call.ts';
import { replyText } from './reply.ts';

const HINTS: Readonly<Record<string, string>> = {
  unauthorized:
    'Is MAILCAP_API_KEY the key of this server? The local API of a server in a container needs MAILCAP_ADMIN_TOKEN.',
  forbidden:
    'The local API answers only requests to a loopback name, such as localhost; --allowed-hosts adds other names.',
  rate_limited: 'Give the call a longer `timeout`, or start a local server with --limits off.',
  invalid_name:
    'A name needs 1 to 100 characters, no control characters, and at least one letter or digit for the subdomain. The client adds up to 13 characters to the name of a handle.',
  invalid_from_domain:
    "Send from the mailbox's own domain, which no other workspace may use, or verify this one with client.local.createIdentity(workspaceId, { domain }). In the cloud, use the dashboard.",
  recipients_not_allowed:
    "Add them to the mailbox's allowlist with client.local.updateMailbox(id, { allowlist: ['*.example.com'] }). In the cloud, use the dashboard.",
  outbound_disabled: 'Sending needs the Business plan and a mailbox with `outboundEnabled`.',
  plan_max_mailboxes_reached: 'Delete mailboxes, or share one mailbox: client.mailbox({ isolation: "address" }).',
  disk_full: "The server's disk is full. Free some space, or delete messages.",
  storage_unavailable: "The server can't write to its disk. Its log has the reason.",
  hook_limit_reached: 'Delete webhooks that you no longer use with client.deleteWebhook(id).',
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
  const nothing = `There is nothing at ${path}, or the key can't access it.`;
  const isOfHandle = /\/(mailboxes|webhooks)\//.test(path);
  return isOfHandle
    ? `${nothing} A fixture deletes its mailboxes and webhooks when its test ends, and a reset deletes all: does the test await every call?`
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

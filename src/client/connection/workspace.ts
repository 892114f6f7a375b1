import { MailcapError, RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/deadline.ts';
import type { Caller } from './caller.ts';
import type { Server } from './server.ts';

/**
 * Creates a function that finds the key's workspace, from the settings or from what the key can read. It asks only
 * once.
 */
export function workspaceFinder(
  call: Caller,
  locate: () => Promise<Server>,
): (options?: CallOptions) => Promise<string> {
  let found: string | null = null;
  return async (options) => {
    found ??= (await locate()).workspaceId ?? (await ofWhatIsRead(call, options));
    return found;
  };
}

async function ofWhatIsRead(call: Caller, options?: CallOptions): Promise<string> {
  const [mailbox] = await call.ask('listMailboxes', 'listMailboxes', [], {}, options);
  if (mailbox?.workspaceId) return mailbox.workspaceId;
  const [webhook] = await call.ask('listWebhooks', 'listWebhooks', [], {}, options).catch(noneIfOutOfScope);
  if (webhook !== undefined) return webhook.workspaceId;
  throw new MailcapError(
    'unknown_workspace',
    'The workspace of the API key is unknown: the key can read no mailbox and no webhook.',
    {
      hint: 'Set MAILCAP_WORKSPACE_ID, or give createClient a workspaceId.',
    },
  );
}

/** A key without interceptors gets 404. */
function noneIfOutOfScope(error: unknown): never[] {
  if (error instanceof RefusedError && error.status === 404) return [];
  throw error;
}

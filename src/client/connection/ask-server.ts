import { MailcapError, RefusedError } from '../errors.ts';
import { type CallOptions, replyText, type Transport } from '../transport/transport.ts';
import type { CloudApi } from './calls.ts';
import type { Server } from './server.ts';

// The client asks its server once whether it has a local API, and which workspace the key belongs to.

/**
 * Finds out whether the server has a local API, and asks only once. Throws a NoServerError if the server can't be
 * reached.
 */
export class LocalPresence {
  readonly #transport: Transport;
  #answer: Promise<boolean> | null = null;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  isThere(options?: CallOptions): Promise<boolean> {
    this.#answer ??= this.#ask(options).catch((error: unknown) => {
      this.#answer = null;
      throw error;
    });
    return this.#answer;
  }

  async #ask(options?: CallOptions): Promise<boolean> {
    try {
      const reply = await this.#transport.send({
        name: 'local.getHealth',
        method: 'GET',
        path: '/_mailcap/health',
        options,
      });
      return isHealth(replyText(reply));
    } catch (error) {
      if (!(error instanceof MailcapError) || error.status === null) throw error;
      // The local API is there, but the server is starting, fails its health check or refuses this caller. The calls
      // report that.
      return (
        error.code === 'starting' ||
        error.code === 'forbidden' ||
        (error instanceof RefusedError && tellsHealth(error.extra))
      );
    }
  }
}

function isHealth(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && tellsHealth(value);
  } catch {
    return false;
  }
}

function tellsHealth(body: object): boolean {
  return 'status' in body && 'version' in body;
}

/**
 * Creates a function that finds the key's workspace, from the settings or from what the key can read. It asks only
 * once.
 */
export function workspaceFinder(
  api: Pick<CloudApi, 'listMailboxes' | 'listWebhooks'>,
  locate: () => Promise<Server>,
): (options?: CallOptions) => Promise<string> {
  let found: string | null = null;
  return async (options) => {
    found ??= (await locate()).workspaceId ?? (await ofWhatIsRead(api, options));
    return found;
  };
}

async function ofWhatIsRead(
  api: Pick<CloudApi, 'listMailboxes' | 'listWebhooks'>,
  options?: CallOptions,
): Promise<string> {
  const [mailbox] = await api.listMailboxes(options);
  if (mailbox?.workspaceId) return mailbox.workspaceId;
  const [webhook] = await api.listWebhooks(options).catch(noneIfOutOfScope);
  if (webhook !== undefined) return webhook.workspaceId;
  throw new MailcapError(
    'unknown_workspace',
    'The workspace of the API key is unknown: the key can read no mailbox and no webhook.',
    {
      hint: 'Set MAILCAP_WORKSPACE_ID, or give createClient a workspaceId.',
    },
  );
}

/** A key without webhooks gets 404. */
function noneIfOutOfScope(error: unknown): never[] {
  if (error instanceof RefusedError && error.status === 404) return [];
  throw error;
}

import { createToolClient } from '../client/client.ts';
import type { Client, MailboxResponse } from '../client/index.ts';
import { UserError } from '../config/user-error.ts';
import type { ServerFile } from '../runtime.ts';
import type { Arguments } from './command.ts';
import { type FoundServer, keySourceOf, lookUp, noServer, ownServerAt, variable } from './look-up.ts';
import { byIdOrName } from './named.ts';
import { say } from './output.ts';

/** Creates a client of the server that the command line names. */
export function connect(args: Arguments): Promise<Client> {
  return connectTo(args, null);
}

/** Creates a client whose calls may take `timeoutMs` milliseconds; 10,000 if it is null. */
export async function connectTo(args: Arguments, timeoutMs: number | null): Promise<Client> {
  const found = await findServerMeant(args);
  const timeout = timeoutMs === null ? {} : { timeout: timeoutMs };
  const apiKey = keyGiven(args);
  const own = found.at === 'directory' ? found.running : apiKey === null ? await ownServerAt(found.url) : null;
  const url = found.at === 'url' ? found.url : found.running.url;
  if (found.at === 'directory' && apiKey === null) tellOfUnusedKey(found.running);
  if (own !== null) return toOwn(own, url, apiKey, timeout);
  const client = createToolClient({ baseUrl: url, ...(apiKey === null ? {} : { apiKey }), ...timeout });
  // Without a key no call follows. This call reports a server that does not run.
  if (apiKey === null) await client.hasLocalApi();
  return client;
}

/** Creates a client of a server that runs here. Its key is known. */
function toOwn(own: ServerFile, baseUrl: string, apiKey: string | null, timeout: { timeout?: number }): Client {
  const isItsKey = apiKey === null || apiKey === own.apiKey;
  return createToolClient(
    {
      baseUrl,
      apiKey: apiKey ?? own.apiKey,
      workspaceId: isItsKey ? own.workspaceId : (variable('MAILCAP_WORKSPACE_ID') ?? undefined),
      adminToken: own.adminToken ?? undefined,
      ...timeout,
      mailDomain: own.mailDomain,
      webhookBaseUrl: own.webhookBaseUrl,
    },
    { alone: true },
  );
}

/** A key of the environment may have other rights, so the user learns that the key of the server takes its place. */
function tellOfUnusedKey({ url, apiKey }: ServerFile): void {
  const key = variable('MAILCAP_API_KEY');
  if (key === null || key === apiKey) return;
  say(`MAILCAP_API_KEY is not used: without MAILCAP_URL it goes to no server. The server that runs here is ${url}.`);
}

/** Finds the server that the command line names. Throws a {@link UserError} if there is none. */
export async function findServerMeant(args: Arguments): Promise<FoundServer> {
  const found = await lookUp({ url: args.text('url'), dataDir: args.text('dataDir'), readsConfig: true });
  if (found === null) throw noServer();
  return found;
}

/** Returns the key that the user gave; null means the key that the server announced. */
export function keyGiven(args: Arguments): string | null {
  const source = keySourceOf(args);
  return source === '--api-key' ? args.text('apiKey') : source === null ? null : variable(source);
}

/**
 * Finds a mailbox by its id, the beginning of its id, or its subdomain; the seeded inbox if `named` is null. Throws a
 * {@link UserError} if there is none.
 */
export async function findMailbox(client: Client, named: string | null): Promise<MailboxResponse> {
  const mailboxes = await client.listMailboxes();
  if (named !== null) return byIdOrName(mailboxes, named, ({ subdomain }) => subdomain, 'mailbox', 'mailboxes');
  const inbox = mailboxes.find(({ subdomain }) => subdomain === 'inbox');
  if (inbox !== undefined) return inbox;
  const [only, ...others] = mailboxes;
  if (only !== undefined && others.length === 0) return only;
  throw new UserError('there is no inbox mailbox here: name one with --mailbox; `mailcap mailboxes list` shows them.');
}

/** Returns the workspace for calls of the local API: that of the key, or the seeded one. */
export async function workspaceOf(client: Client): Promise<string> {
  return (await client.server()).workspaceId ?? (await client.local.getInfo()).workspaceId;
}

import { type Client, createClient, type MailboxResponse } from '../client/index.ts';
import { UserError } from '../config/user-error.ts';
import type { Arguments } from './arguments.ts';
import { type Found, lookUp, noServer, variable } from './look-up.ts';
import { byIdOrName } from './named.ts';

/** Creates a client of the server that the command line names. */
export function connect(args: Arguments): Promise<Client> {
  return connectTo(args, null);
}

/** Creates a client whose calls may take `timeoutMs` milliseconds; 10,000 if it is null. */
export async function connectTo(args: Arguments, timeoutMs: number | null): Promise<Client> {
  const found = await findServerMeant(args);
  const timeout = timeoutMs === null ? {} : { timeout: timeoutMs };
  const apiKey = keyGiven(args, found);
  if (found.at === 'url')
    return createClient({ baseUrl: found.url, ...(apiKey === null ? {} : { apiKey }), ...timeout });
  const { running } = found;
  const isItsKey = apiKey === null || apiKey === running.apiKey;
  return createClient({
    baseUrl: running.url,
    apiKey: apiKey ?? running.apiKey,
    ...(isItsKey ? { workspaceId: running.workspaceId } : {}),
    ...timeout,
    mailDomain: running.mailDomain,
    webhookBaseUrl: running.webhookBaseUrl,
  });
}

/** Finds the server that the command line names. Throws a {@link UserError} if there is none. */
export async function findServerMeant(args: Arguments): Promise<Found> {
  const found = await lookUp({ url: args.text('url'), dataDir: args.text('dataDir') });
  if (found === null) throw noServer();
  return found;
}

/**
 * Returns the key that the user gave; null means the key that the server announced. MAILCAP_API_KEY is ignored if it
 * belongs to another server than the one of --data-dir.
 */
export function keyGiven(args: Arguments, found: Found): string | null {
  const given = args.text('apiKey');
  if (given !== null) return given;
  const isOfAnother = found.namedBy === '--data-dir' && variable('MAILCAP_URL') !== null;
  return isOfAnother ? null : variable('MAILCAP_API_KEY');
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

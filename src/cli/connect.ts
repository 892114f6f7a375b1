import { findServer, findServerAbove } from '../client/find-server.ts';
import { type Client, createClient, type MailboxResponse } from '../client/index.ts';
import { mailboxNamed } from '../client/open-mailbox.ts';
import { loadConfig } from '../config/load.ts';
import { UserError } from '../config/user-error.ts';
import type { Ready } from '../runtime.ts';
import type { Arguments } from './arguments.ts';

/** A client of the server a command line means. */
export function connect(args: Arguments): Promise<Client> {
  return connectTo(args, null);
}

/** `timeoutMs` is what a call may take, 10 s where it is null. */
export async function connectTo(args: Arguments, timeoutMs: number | null): Promise<Client> {
  const baseUrl = args.text('url') ?? variable('MAILCAP_URL');
  const apiKey = args.text('apiKey') ?? variable('MAILCAP_API_KEY');
  const timeout = timeoutMs === null ? {} : { timeout: timeoutMs };
  if (baseUrl !== null) return createClient({ baseUrl, ...(apiKey === null ? {} : { apiKey }), ...timeout });
  const running = await findRunning(args);
  if (running === null) return createClient({ ...(apiKey === null ? {} : { apiKey }), ...timeout });
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

/** The server that runs on the data directory that is named, in this directory or above it. */
export async function findRunning(args: Arguments): Promise<Ready | null> {
  const named = args.text('dataDir') ?? variable('MAILCAP_DATA_DIR');
  if (named !== null) return findServer(named);
  const running = await findServerAbove(process.cwd());
  if (running !== null) return running;
  // Last, as it may be a program to be run.
  const { dataDir, given } = await loadConfig({}, process.env, process.cwd());
  return given.has('dataDir') ? findServer(dataDir) : null;
}

/** The mailbox of an id or a subdomain; the inbox mailbox where none is named. Throws a {@link UserError} where there is none. */
export async function findMailbox(client: Client, named: string | null): Promise<MailboxResponse> {
  const mailboxes = await client.listMailboxes();
  const found = mailboxNamed(mailboxes, named ?? 'inbox');
  if (found !== null) return found;
  if (named === null) {
    const [only, ...others] = mailboxes;
    if (only !== undefined && others.length === 0) return only;
    throw new UserError(
      'there is no inbox mailbox here: name one with --mailbox; `mailcap mailboxes list` shows them.',
    );
  }
  throw new UserError(`${named}: no such mailbox; \`mailcap mailboxes list\` shows them.`);
}

/** Null where it is not set, or set to nothing. */
export function variable(name: string): string | null {
  return process.env[name] || null;
}

import type { ServerFile } from '../../runtime.ts';
import { isSamePlace } from '../../text/url.ts';
import { workingDirectory } from '../environment.ts';
import { NoServerError } from '../errors.ts';
import type { Settings } from '../options/options.ts';

/** The server that the calls go to, with what is known about it without a request. */
export interface Server {
  /** The base URL of the server, `{base_url}`. */
  readonly url: string;
  /** The API key; null if it is unknown. */
  readonly apiKey: string | null;
  /** The admin token of the local API; null if it is unknown. */
  readonly adminToken: string | null;
  /** The id of the key's workspace; null if it is unknown. */
  readonly workspaceId: string | null;
  /** The domain of all mailbox addresses; null if it is unknown. */
  readonly mailDomain: string | null;
  /** The URL that all webhook URLs begin with; null if it is unknown. */
  readonly webhookBaseUrl: string | null;
}

/**
 * Finds the server from the settings, then from the server that runs in this directory or above. Throws a
 * NoServerError.
 */
export async function locateServer(settings: Settings): Promise<Server> {
  const { baseUrl, apiKey = null, workspaceId = null } = settings;
  const running = await (baseUrl === undefined ? announced() : apiKey === null ? announcedOrNull() : null);
  const url = baseUrl ?? running?.url;
  if (url === undefined) {
    throw new NoServerError('no_server', 'No mailcap server was found.', {
      hint: 'Start one here with `npx mailcap dev`, or set MAILCAP_URL and MAILCAP_API_KEY.',
    });
  }
  // The server found on this machine says nothing about a server at another URL.
  const known = running !== null && isSamePlace(running.url, url) ? running : null;
  const isItsKey = apiKey === null || apiKey === known?.apiKey;
  return {
    url,
    apiKey: apiKey ?? known?.apiKey ?? null,
    adminToken: settings.adminToken ?? known?.adminToken ?? null,
    workspaceId: workspaceId ?? (isItsKey ? known?.workspaceId : undefined) ?? null,
    mailDomain: settings.mailDomain ?? known?.mailDomain ?? null,
    webhookBaseUrl: settings.webhookBaseUrl ?? known?.webhookBaseUrl ?? null,
  };
}

/** A server that is named needs no file, so one that is not believed tells nothing about it. */
async function announcedOrNull(): Promise<ServerFile | null> {
  return announced().catch((error: unknown) => {
    if (error instanceof NoServerError) return null;
    throw error;
  });
}

async function announced(): Promise<ServerFile | null> {
  const directory = workingDirectory();
  if (directory === null) return null;
  // This module needs Node; a browser never loads it.
  const { findServerAbove } = await import('./find-server.ts');
  return findServerAbove(directory);
}

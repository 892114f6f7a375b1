import type { Ready } from '../../runtime.ts';
import { workingDirectory } from '../environment.ts';
import { NoServerError } from '../errors.ts';
import type { Settings } from '../options/options.ts';

/** Where the calls go, and what is known of it without having asked. */
export interface Server {
  /** `{base_url}` */
  readonly url: string;
  /** The API key; null where none is known. */
  readonly apiKey: string | null;
  /** The admin token of the local API; null where none is known. */
  readonly adminToken: string | null;
  /** The workspace of the key; null where it was not told. */
  readonly workspaceId: string | null;
  /** The domain that mailboxes live under; null where it was not told. */
  readonly mailDomain: string | null;
  /** The URL that capture URLs begin with; null where it was not told. */
  readonly webhookBaseUrl: string | null;
}

/** As the settings say, and for the rest as the server says that runs in this directory or above. Throws NoServerError. */
export async function locateServer(settings: Settings): Promise<Server> {
  const { baseUrl, apiKey = null, adminToken = null, workspaceId = null } = settings;
  const running = baseUrl === undefined || apiKey === null ? await announced() : null;
  const url = baseUrl ?? running?.url;
  if (url === undefined) {
    throw new NoServerError('no_server', 'No mailcap server was found.', {
      hint: '`npx mailcap dev` starts one here; or set MAILCAP_URL and MAILCAP_API_KEY.',
    });
  }
  // What is announced here tells nothing of a server elsewhere.
  const known = running !== null && running.url === url ? running : null;
  const isItsKey = apiKey === null || apiKey === known?.apiKey;
  return {
    url,
    apiKey: apiKey ?? known?.apiKey ?? null,
    adminToken,
    workspaceId: workspaceId ?? (isItsKey ? known?.workspaceId : undefined) ?? null,
    mailDomain: settings.mailDomain ?? known?.mailDomain ?? null,
    webhookBaseUrl: settings.webhookBaseUrl ?? known?.webhookBaseUrl ?? null,
  };
}

async function announced(): Promise<Ready | null> {
  const directory = workingDirectory();
  if (directory === null) return null;
  // Node's alone: a browser never loads it.
  const { findServerAbove } = await import('./find-server.ts');
  return findServerAbove(directory);
}

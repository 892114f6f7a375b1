import { isSamePlace, isUrl } from '../../text/url.ts';
import { OptionError } from '../errors.ts';
import { abortSignal, type Check, callable, checkOptions, duration, shown, text, token } from './check-options.ts';

/**
 * The options of `createClient`. An option that is left out comes from its environment variable (`MAILCAP_URL` and
 * others), then from the server that runs in this directory or in one above.
 *
 * @example createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_live_...' });
 */
export interface ClientOptions {
  /**
   * The base URL of the server without `/v1`, as in `http://127.0.0.1:8025`. Default: `MAILCAP_URL`, else the URL of
   * the server that runs here.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The API key. Default: `MAILCAP_API_KEY`, else the key of the server that runs here. A server that was found here gets
   * no key of the environment, and neither does a `baseUrl` other than `MAILCAP_URL`, if that is set.
   */
  readonly apiKey?: string | undefined;
  /**
   * The id of the workspace. Default: `MAILCAP_WORKSPACE_ID`, else the workspace of the mailboxes that the key can
   * read.
   */
  readonly workspaceId?: string | undefined;
  /**
   * The admin token for the local API of a server that does not listen on loopback. Default: as for the API key, with
   * `MAILCAP_ADMIN_TOKEN`.
   */
  readonly adminToken?: string | undefined;
  /**
   * The domain of all mailbox addresses, for a server without a local API. Default: that of the server of this
   * directory, else `MAILCAP_MAIL_DOMAIN`.
   */
  readonly mailDomain?: string | undefined;
  /**
   * The URL that all webhook URLs begin with, for a server without a local API. Default: that of the server of this
   * directory, else `MAILCAP_WEBHOOK_BASE_URL`.
   */
  readonly webhookBaseUrl?: string | undefined;
  /**
   * The default timeout of a call or a wait, in milliseconds; 10,000 if left out. It does not limit
   * `authenticator.code()`, which may wait a whole time step for a new code. Its own `timeout` limits that call.
   */
  readonly timeout?: number | undefined;
  /** Aborts every call under way with the signal's reason. Without it, no signal aborts the calls. */
  readonly signal?: AbortSignal | undefined;
  /** The function that makes the requests; the global `fetch` if left out. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The options, completed from the environment. */
export interface Settings extends Omit<ClientOptions, 'timeout' | 'fetch'> {
  /** The values of the environment for a server that does not tell its own. */
  readonly untold: Pick<ClientOptions, 'mailDomain' | 'webhookBaseUrl'>;
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  /** Tells whether the requests are of mailcap's own tools, which a server on this machine does not count. */
  readonly isTool: boolean;
}

const OPTIONS: Readonly<Record<keyof ClientOptions, Check>> = {
  baseUrl: text,
  apiKey: token,
  workspaceId: text,
  adminToken: token,
  mailDomain: text,
  webhookBaseUrl: text,
  timeout: duration,
  signal: abortSignal,
  fetch: callable,
};

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Reads the options, and the environment by `variable`. Throws an OptionError for an unknown option or an invalid value.
 */
export function settingsOf(options: ClientOptions, variable: (name: string) => string | undefined): Settings {
  checkOptions('createClient', options, OPTIONS);
  const urlSet = urlOf('MAILCAP_URL', variable('MAILCAP_URL'));
  const baseUrl = urlOf('baseUrl', options.baseUrl) ?? urlSet;
  const key = variable('MAILCAP_API_KEY');
  // The secrets of the environment belong to its server. Nobody but the user may name another one for them.
  const isTheirs = baseUrl !== undefined && (urlSet === undefined || isSamePlace(baseUrl, urlSet));
  return {
    baseUrl,
    apiKey: options.apiKey ?? (isTheirs ? key : undefined),
    // A key of the caller without one in the environment may go with its workspace. A server's own key has its own.
    workspaceId:
      options.workspaceId ??
      (isTheirs || (key === undefined && options.apiKey !== undefined) ? variable('MAILCAP_WORKSPACE_ID') : undefined),
    adminToken: options.adminToken ?? (isTheirs ? variable('MAILCAP_ADMIN_TOKEN') : undefined),
    mailDomain: options.mailDomain,
    webhookBaseUrl: urlOf('webhookBaseUrl', options.webhookBaseUrl),
    untold: {
      mailDomain: variable('MAILCAP_MAIL_DOMAIN'),
      webhookBaseUrl: urlOf('MAILCAP_WEBHOOK_BASE_URL', variable('MAILCAP_WEBHOOK_BASE_URL')),
    },
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    signal: options.signal,
    isTool: false,
    // The global `fetch` is looked up at each call, so that a test can replace it later.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

/** Checks a URL, and removes a slash at its end and the `/v1` that every path begins with. */
function urlOf(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!/^https?:\/\//i.test(value) || !isUrl(value))
    throw new OptionError(`${name} must be an http or https URL, as in http://127.0.0.1:8025; it is ${shown(value)}.`);
  return value.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

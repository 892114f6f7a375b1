import { variable } from '../environment.ts';
import { OptionError } from '../errors.ts';
import { abortSignal, type Check, callable, checkOptions, duration, text, token } from './check-options.ts';
import { shown } from './shown.ts';

/**
 * How a client finds its server. What is left out comes from the environment (`MAILCAP_URL` ...), then from the server that runs in
 * this directory or above.
 *
 * @example createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_live_...' });
 */
export interface ClientOptions {
  /** `{base_url}`, without `/v1`: `http://127.0.0.1:8025`. MAILCAP_URL if left out, else that of the server that runs here. */
  readonly baseUrl?: string | undefined;
  /** The API key. MAILCAP_API_KEY if left out, else that of the server that runs here. */
  readonly apiKey?: string | undefined;
  /** The workspace to work in. MAILCAP_WORKSPACE_ID if left out, else that of the mailboxes that the key can read. */
  readonly workspaceId?: string | undefined;
  /** The admin token of a server that does not listen on loopback, for its local API. MAILCAP_ADMIN_TOKEN if left out. */
  readonly adminToken?: string | undefined;
  /** `{mail_domain}` of a server without a local API to ask. MAILCAP_MAIL_DOMAIN if left out. */
  readonly mailDomain?: string | undefined;
  /** `{webhook_base_url}` of a server without a local API to ask. MAILCAP_WEBHOOK_BASE_URL if left out. */
  readonly webhookBaseUrl?: string | undefined;
  /**
   * Milliseconds a call or a wait may take where it is given none of its own; 10,000 if left out. `authenticator.code()` is not bound
   * by it: a code that nobody was handed may be a whole step away. What that may take is its own `timeout`.
   */
  readonly timeout?: number | undefined;
  /** Ends every call under way when it aborts, with the signal's reason; nothing does if left out. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the requests; the global `fetch` if left out. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The options as given, or as the environment says. */
export interface Settings {
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly workspaceId: string | undefined;
  readonly adminToken: string | undefined;
  readonly mailDomain: string | undefined;
  readonly webhookBaseUrl: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof globalThis.fetch;
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

/** Throws an OptionError for an option that does not exist or is not what it should be. */
export function settingsOf(options: ClientOptions): Settings {
  checkOptions('createClient', options, OPTIONS);
  return {
    baseUrl: urlOf('baseUrl', options.baseUrl) ?? urlOf('MAILCAP_URL', variable('MAILCAP_URL')),
    apiKey: options.apiKey ?? variable('MAILCAP_API_KEY'),
    workspaceId: options.workspaceId ?? variable('MAILCAP_WORKSPACE_ID'),
    adminToken: options.adminToken ?? variable('MAILCAP_ADMIN_TOKEN'),
    mailDomain: options.mailDomain ?? variable('MAILCAP_MAIL_DOMAIN'),
    webhookBaseUrl:
      urlOf('webhookBaseUrl', options.webhookBaseUrl) ??
      urlOf('MAILCAP_WEBHOOK_BASE_URL', variable('MAILCAP_WEBHOOK_BASE_URL')),
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    signal: options.signal,
    // Looked up at each call: who replaces the global one means all that follow.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

/** Without what would come twice: a slash at the end, and the version that every path begins with. */
function urlOf(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value))
    throw new OptionError(`${name} must be an http or https URL, as in http://127.0.0.1:8025; it is ${shown(value)}.`);
  return value.replace(/\/+$/, '').replace(/\/v1$/, '');
}

import { lazily } from '../lazily.ts';
import type { ServerFile } from '../runtime.ts';
import { isObject, jsonOrNull } from '../text/unknown.ts';
import { isSamePlace } from '../text/url.ts';
import { type Authenticator, type AuthenticatorOptions, openAuthenticator } from './authenticator/authenticator.ts';
import { noticingClock, setOwnClock } from './clock.ts';
import type { Api } from './connection/caller.ts';
import { createCalls } from './connection/caller.ts';
import type { CloudApi } from './connection/calls.ts';
import type { Clock, ClockSetting, FaultRule } from './connection/local-resources.ts';
import { variable, workingDirectory } from './environment.ts';
import { isRefusedAs, MailcapError, NoServerError, nullIfNoServer, RefusedError } from './errors.ts';
import type { Mailbox, MailboxOptions } from './mailbox/mailbox.ts';
import { type ClientOptions, type Settings, settingsOf } from './options/options.ts';
import { type CallOptions, replyText, type Server, Transport } from './transport/transport.ts';
import { located, locatedAll, locatedSync } from './waiting/call-site.ts';
import type { SendWebhookOptions, WebhookDelivery } from './webhook/send-webhook.ts';
import type { Webhook, WebhookOptions } from './webhook/webhook.ts';

/**
 * A client of a mailcap server or of the cloud. It has a method for every operation of the cloud API (docs/api.md), and creates
 * handles that wait for mail, requests and codes.
 */
export interface Client extends Api {
  /**
   * Opens a handle that waits for mail. By default it gets a mailbox of its own or, in the cloud, an address of its own
   * in a shared mailbox. It opens an existing mailbox if it is given its id or subdomain. Throws an OptionError for an
   * invalid option.
   *
   * @example const mailbox = await client.mailbox({ name: 'sign-up' });
   */
  mailbox(options?: MailboxOptions | string): Promise<Mailbox>;
  /**
   * Creates a handle that returns TOTP codes: from a base32 secret, from an `otpauth://totp/` URI, or from the id of an
   * authenticator on the server. It makes no request and stores nothing. Throws an OptionError for anything else.
   *
   * @example const code = await client.authenticator('JBSWY3DPEHPK3PXP').code();
   */
  authenticator(options: AuthenticatorOptions | string): Authenticator;
  /**
   * Opens a handle that waits for HTTP requests. By default it gets a webhook of its own; it opens an existing one by
   * its id.
   *
   * @example const webhook = await client.webhook({ name: 'orders' });
   */
  webhook(options?: WebhookOptions | string): Promise<Webhook>;
  /**
   * Makes the server fail on purpose, beside the rules of others, until the handle removes the rule. Bind the rule to a
   * mailbox or an address of the test, so that it meets no other test. Throws a LocalOnlyError in the cloud, and a
   * RefusedError with the code `invalid_faults` for a wrong rule.
   *
   * @example
   * const fault = await client.addFault({
   *   stage: 'rcpt',
   *   match: { mailboxId: mailbox.id },
   *   action: { reply: '451 4.7.1 try later' },
   * });
   * await fault.remove();
   */
  addFault(rule: FaultRule, options?: CallOptions): Promise<ActiveFault>;
  /**
   * Sets the clock of the client's workspace: its mail expires by it, its codes and limits follow it, and no other
   * workspace does. Mail that expires by a shifted clock comes back when the clock is set back. Null lets the workspace
   * follow the server's clock again.
   *
   * @example
   * await client.setClock({ offsetSeconds: 30 * 86_400 });
   * await client.setClock(null);
   */
  setClock(setting: ClockSetting, options?: CallOptions): Promise<Clock>;
  /**
   * Sends a signed event from this process to the app under test. With `retries` it repeats a failed try as the
   * service does. The pauses between tries follow the clock of the client's workspace, if there is a server, so that
   * `setClock()` can skip a pause. A failed try throws no error: the result reports it. Throws an OptionError for an invalid option,
   * and a TimeoutError if the delivery is not over after `timeout` (10,000 ms by default).
   *
   * @example
   * const { state } = await client.sendWebhook('http://127.0.0.1:3000/stripe', {
   *   event: 'checkout.session.completed',
   *   secret: 'whsec_test',
   * });
   */
  sendWebhook(url: string, options: SendWebhookOptions): Promise<WebhookDelivery>;
}

/**
 * Creates a client of a mailcap server or of the cloud. An option that is left out comes from its `MAILCAP_*`
 * environment variable, then from the server that runs in this directory or in one above. The client looks for that
 * server at its first call. Throws an OptionError for an unknown option.
 *
 * @example
 * const client = createClient();
 * const mailbox = await client.mailbox();
 */
export function createClient(options: ClientOptions = {}): Client {
  return clientOf(settingsOf(options, variable));
}

/**
 * Creates a client from the options alone, for a server whose key and token are known. It sends nothing of the
 * environment to it.
 */
export function createClientFrom(options: ClientOptions & { readonly baseUrl: string }): Client {
  return clientOf(settingsOf(options, () => undefined));
}

/**
 * Creates a client for the command line or an inbox. It takes the options of {@link createClient}; with `isOwn` the
 * options are those of a server that runs here, so the client takes nothing of the environment, and does not ask whether
 * there is a local API. Its requests neither count towards the rate limit of a local server nor meet it.
 */
export function createToolClient(options: ClientOptions, { isOwn = false } = {}): Client {
  return clientOf({ ...settingsOf(options, isOwn ? () => undefined : variable), isTool: true }, isOwn);
}

function clientOf(settings: Settings, isOwn = false): Client {
  const locate = lazily(() => locateServer(settings));
  const transport = new Transport(settings, locate);
  const hasLocalApi = lazily(async () => isOwn || asksLocalApi(transport));
  const { cloud, local } = createCalls(transport, {
    workspaceId: (options) => workspaceId(options),
    hasLocalApi,
  });
  const workspaceId = workspaceFinder(cloud, locate);
  const client: Client = {
    ...locatedAll(cloud),
    ...locatedAll({ hasLocalApi, server: locate, workspaceId: () => workspaceId() }),
    local: locatedAll(noticingClock(local, () => client)),
    authenticator: locatedSync((options) => openAuthenticator(client, settings, options)),
    // The first handle loads the finders of codes and links, which are half of the client.
    mailbox: located(async (options = {}) =>
      (await import('./mailbox/mailbox.ts')).openMailbox(
        client,
        settings,
        typeof options === 'string' ? { mailbox: options } : options,
      ),
    ),
    addFault: located((rule, options) => openFault(client, rule, options)),
    setClock: located((setting, options) => setOwnClock(client, setting, options)),
    // The first call loads the samples.
    sendWebhook: located(async (url, options) =>
      (await import('./webhook/send-webhook.ts')).sendWebhook(client, settings, url, options),
    ),
    webhook: located(async (options = {}) =>
      (await import('./webhook/webhook.ts')).openWebhook(
        client,
        settings,
        transport,
        typeof options === 'string' ? { webhook: options } : options,
      ),
    ),
  };
  return client;
}

// The client finds its server, asks it whether it has a local API, and finds the workspace of the key: each once.

/**
 * Finds the server from the settings, then from the server that runs in this directory or above. Throws a
 * NoServerError.
 */
async function locateServer(settings: Settings): Promise<Server> {
  const { baseUrl, apiKey = null, workspaceId = null } = settings;
  // The server of this directory may be the one that is named. Its file has the token that the user did not give. A file
  // that is not believed tells nothing about a server that is named.
  const isMissing = apiKey === null || settings.adminToken === undefined;
  const running = await (baseUrl === undefined ? announced() : isMissing ? announced().catch(nullIfNoServer) : null);
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
    mailDomain: settings.mailDomain ?? known?.mailDomain ?? settings.untold.mailDomain ?? null,
    webhookBaseUrl: settings.webhookBaseUrl ?? known?.webhookBaseUrl ?? settings.untold.webhookBaseUrl ?? null,
  };
}

async function announced(): Promise<ServerFile | null> {
  const directory = workingDirectory();
  if (directory === null) return null;
  // This module needs Node; a browser never loads it.
  const { findServerAbove } = await import('./connection/find-server.ts');
  return findServerAbove(directory);
}

/** Tells whether the server has a local API. Throws a NoServerError if the server can't be reached. */
async function asksLocalApi(transport: Transport): Promise<boolean> {
  try {
    const reply = await transport.send({ name: 'local.getHealth', method: 'GET', path: '/_mailcap/health' });
    const body = jsonOrNull(replyText(reply));
    return isObject(body) && tellsHealth(body);
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

function tellsHealth(body: object): boolean {
  return 'status' in body && 'version' in body;
}

/**
 * Creates a function that finds the key's workspace, from the settings or from what the key can read. It asks only
 * once.
 */
function workspaceFinder(api: Lists, locate: () => Promise<Server>): (options?: CallOptions) => Promise<string> {
  let found: string | null = null;
  return async (options) => {
    found ??= (await locate()).workspaceId ?? (await ofWhatIsRead(api, options));
    return found;
  };
}

type Lists = Pick<CloudApi, 'listMailboxes' | 'listWebhooks'>;

async function ofWhatIsRead(api: Lists, options?: CallOptions): Promise<string> {
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

/** A fault rule that `client.addFault()` added. */
export interface ActiveFault {
  /** The id of the rule on the server. */
  readonly id: string;
  /** Returns how often the rule was applied. After `remove()` it returns the last count. */
  applied(options?: CallOptions): Promise<number>;
  /** Removes this rule alone. It does nothing if the rule is gone already. */
  remove(options?: CallOptions): Promise<void>;
}

/** Adds a fault rule to the server and returns its handle. */
async function openFault({ local }: Api, rule: FaultRule, options?: CallOptions): Promise<ActiveFault> {
  const { id } = await local.addFault(rule, options);
  let last = 0;
  return {
    id,
    applied: async (options) => {
      const fault = (await local.listFaults(options)).find((one) => one.id === id);
      last = fault?.applied ?? last;
      return last;
    },
    remove: async (options) => {
      try {
        last = (await local.removeFault(id, options)).applied;
      } catch (error) {
        // A reset or a replacement of all rules removed it before.
        if (!isRefusedAs(error, 'not_found')) throw error;
      }
    },
  };
}

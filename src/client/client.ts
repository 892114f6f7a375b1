import type { Authenticator } from './authenticator.ts';
import { located, locatedAll } from './call-site.ts';
import { createCaller } from './caller.ts';
import { type CloudApi, createCloudApi } from './cloud-api.ts';
import { createLocalApi, type LocalApi } from './local-api.ts';
import { LocalPresence } from './local-presence.ts';
import type { Mailbox } from './mailbox.ts';
import { type AuthenticatorOptions, openAuthenticator } from './open-authenticator.ts';
import { type MailboxOptions, openMailbox } from './open-mailbox.ts';
import { openWebhook, type WebhookOptions } from './open-webhook.ts';
import { type ClientOptions, settingsOf } from './options.ts';
import { locateServer, type Server } from './server.ts';
import { Transport } from './transport.ts';
import type { Webhook } from './webhook.ts';
import { workspaceFinder } from './workspace.ts';

export interface Client extends CloudApi {
  /** The local API; each of its calls throws a LocalOnlyError where the server has none. */
  readonly local: LocalApi;
  /** Whether the server has a local API. */
  hasLocalApi(): Promise<boolean>;
  /**
   * A handle to wait for mail with: of a mailbox of its own, or of an address of its own on a shared one where there is no local
   * API; or of an existing mailbox, by id or subdomain.
   */
  mailbox(options?: MailboxOptions | string): Promise<Mailbox>;
  /** A handle to take second factors from: by id, base32 secret or `otpauth://totp/` URI. */
  authenticator(options: AuthenticatorOptions | string): Promise<Authenticator>;
  /** A handle to wait for requests with: of a webhook of its own, or of an existing one, by id. */
  webhook(options?: WebhookOptions | string): Promise<Webhook>;
  /** The workspace of the key: as told, or that of what the key can read. */
  workspaceId(): Promise<string>;
  /** Where the calls go. Throws a NoServerError where no server was found. */
  server(): Promise<Server>;
}

/**
 * A client of a mailcap server or of the cloud. What `options` leave out comes from the `MAILCAP_*` environment, then from
 * the server that runs in this directory or one above; it is looked for at the first call. Throws an OptionError for an
 * unknown option.
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = settingsOf(options);
  const locate = once(() => locateServer(settings));
  const transport = new Transport(settings, locate);
  const presence = new LocalPresence(transport);
  const call = createCaller(transport);
  const workspaceId = workspaceFinder(call, locate);
  const client: Client = {
    ...locatedAll(createCloudApi(call, workspaceId)),
    ...locatedAll({ hasLocalApi: () => presence.isThere(), server: locate, workspaceId: () => workspaceId() }),
    local: locatedAll(presence.guard(createLocalApi(call))),
    authenticator: located((options) => openAuthenticator(client, settings, options)),
    mailbox: located(async (options = {}) =>
      openMailbox(client, settings, typeof options === 'string' ? { mailbox: options } : options),
    ),
    webhook: located(async (options = {}) =>
      openWebhook(client, settings, transport, typeof options === 'string' ? { webhook: options } : options),
    ),
  };
  return client;
}

/** What succeeded stays; what failed is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

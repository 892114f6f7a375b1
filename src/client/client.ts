import type { Authenticator } from './authenticator/authenticator.ts';
import { type AuthenticatorOptions, openAuthenticator } from './authenticator/open-authenticator.ts';
import type { Api } from './connection/api.ts';
import { createCaller } from './connection/caller.ts';
import { createCloudApi } from './connection/cloud-api.ts';
import { createLocalApi } from './connection/local-api.ts';
import { LocalPresence } from './connection/local-presence.ts';
import { locateServer } from './connection/server.ts';
import { workspaceFinder } from './connection/workspace.ts';
import type { Mailbox } from './mailbox/mailbox.ts';
import { type MailboxOptions, openMailbox } from './mailbox/open-mailbox.ts';
import { type ClientOptions, settingsOf } from './options/options.ts';
import { Transport } from './transport/transport.ts';
import { located, locatedAll, locatedSync } from './waiting/call-site.ts';
import { openWebhook, type WebhookOptions } from './webhook/open-webhook.ts';
import type { Webhook } from './webhook/webhook.ts';

/** A client of a mailcap server or of the cloud: every operation of the API document, and handles to wait with. */
export interface Client extends Api {
  /**
   * A handle to wait for mail with: of a mailbox of its own, or of an address of its own on a shared one where there is no local
   * API; or of an existing mailbox, by id or subdomain.
   *
   * @example const mailbox = await client.mailbox({ name: 'sign-up' });
   */
  mailbox(options?: MailboxOptions | string): Promise<Mailbox>;
  /**
   * A handle to take second factors from: by base32 secret, by `otpauth://totp/` URI, or by the id of one that the server has. It is
   * there at once, and nothing is stored. Throws an OptionError for what is none of them.
   *
   * @example const code = await client.authenticator('JBSWY3DPEHPK3PXP').code();
   */
  authenticator(options: AuthenticatorOptions | string): Authenticator;
  /**
   * A handle to wait for requests with: of a webhook of its own, or of an existing one, by id.
   *
   * @example const webhook = await client.webhook({ name: 'orders' });
   */
  webhook(options?: WebhookOptions | string): Promise<Webhook>;
}

/**
 * Creates a client of a mailcap server or of the cloud. What `options` leave out comes from the `MAILCAP_*` environment, then from the server
 * that runs in this directory or one above; it is looked for at the first call. Throws an OptionError for an unknown option.
 *
 * @example
 * const client = createClient();
 * const mailbox = await client.mailbox();
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
    authenticator: locatedSync((options) => openAuthenticator(client, settings, options)),
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

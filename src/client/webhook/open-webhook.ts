import type { Api } from '../connection/api.ts';
import { randomName } from '../environment.ts';
import { MailcapError } from '../errors.ts';
import { CALL, checkOptions, filledText, text } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import type { Transport } from '../transport/transport.ts';
import { RequestEntries } from './requests.ts';
import { createWebhookHandle, type Webhook } from './webhook.ts';

/** The options of `client.webhook()`. */
export interface WebhookOptions extends CallOptions {
  /**
   * An existing webhook, by its id; a new webhook if left out. Requests from before the handle count only if a wait
   * says `since`.
   */
  readonly webhook?: string | undefined;
  /** The name of a new webhook; `'test'` if left out. A random suffix follows it. */
  readonly name?: string | undefined;
}

const OPTIONS = { ...CALL, webhook: filledText, name: text };

/** Opens a handle of a new webhook, or of an existing one. */
export async function openWebhook(
  api: Api,
  settings: Settings,
  transport: Transport,
  options: WebhookOptions,
): Promise<Webhook> {
  checkOptions('The argument of webhook()', options, OPTIONS, 'An id, as text, or { name: "orders" }.');
  const { webhook: wanted, name = 'test', timeout, signal } = options;
  const call = { timeout, signal };
  const base = await webhookBaseUrlOf(api, call);
  const isOwn = wanted === undefined;
  const webhook = isOwn
    ? await api.createWebhook({ name: `${name} ${randomName(8)}` }, call)
    : await api.getWebhook(wanted, call);
  const newest = isOwn ? undefined : (await api.listWebhookRequests(webhook.id, { pageSize: 1 }, call)).items[0];
  const requests = new RequestEntries(api, transport, webhook.id, newest?.id ?? null);
  return createWebhookHandle({ api, settings, requests, url: `${base}/${webhook.key}`, isOwn });
}

async function webhookBaseUrlOf(api: Api, options: CallOptions): Promise<string> {
  const { webhookBaseUrl } = await api.server();
  if (webhookBaseUrl !== null) return webhookBaseUrl;
  if (await api.hasLocalApi()) return (await api.local.info(options)).webhookBaseUrl;
  throw new MailcapError('unknown_webhook_base_url', 'The base URL of the webhooks is unknown.', {
    hint: 'Set MAILCAP_WEBHOOK_BASE_URL, or give createClient a webhookBaseUrl.',
  });
}

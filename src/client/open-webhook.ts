import { CALL, checkOptions, filledText, text } from './check-options.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './deadline.ts';
import { randomName } from './environment.ts';
import { MailcapError } from './errors.ts';
import type { Settings } from './options.ts';
import { Requests } from './requests.ts';
import type { Transport } from './transport.ts';
import { createWebhookHandle, type Webhook } from './webhook.ts';

export interface WebhookOptions extends CallOptions {
  /** An existing webhook, by id. What came before the handle was made is not its. */
  readonly webhook?: string | undefined;
  /** Of a webhook that is made; something random follows it. */
  readonly name?: string | undefined;
}

const OPTIONS = { ...CALL, webhook: filledText, name: text };

/** A handle of a fresh webhook, or of an existing one. */
export async function openWebhook(
  client: Client,
  settings: Settings,
  transport: Transport,
  options: WebhookOptions,
): Promise<Webhook> {
  checkOptions('What webhook is given', options, OPTIONS, 'An id, as text, or { name: "orders" }.');
  const { webhook: wanted, name = 'test', timeout, signal } = options;
  const call = { timeout, signal };
  const base = await webhookBaseUrlOf(client, call);
  const isOwn = wanted === undefined;
  const webhook = isOwn
    ? await client.createWebhook({ name: `${name} ${randomName(8)}` }, call)
    : await client.getWebhook(wanted, call);
  const newest = isOwn ? undefined : (await client.listWebhookRequests(webhook.id, { pageSize: 1 }, call)).items[0];
  const requests = new Requests(client, transport, webhook.id, newest?.id ?? null);
  return createWebhookHandle({ client, settings, requests, url: `${base}/${webhook.key}`, isOwn });
}

async function webhookBaseUrlOf(client: Client, options: CallOptions): Promise<string> {
  const { webhookBaseUrl } = await client.server();
  if (webhookBaseUrl !== null) return webhookBaseUrl;
  if (await client.hasLocalApi()) return (await client.local.info(options)).webhookBaseUrl;
  throw new MailcapError('unknown_webhook_base_url', 'The URL that capture URLs begin with is not known.', {
    hint: 'Set MAILCAP_WEBHOOK_BASE_URL, or give createClient a webhookBaseUrl.',
  });
}

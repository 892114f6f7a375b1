import { type CallOptions, type Client, MailcapError } from '../client/index.ts';
import { defusedLine } from '../text/fence.ts';
import { ToolError } from './desk.ts';

/** The webhook that an agent means, with its capture URL. */
export interface WebhookMeant {
  readonly id: string;
  readonly url: string;
}

/** Finds a webhook by its id, its name or its capture URL. Throws a {@link ToolError} if there is none. */
export async function findWebhook(client: Client, named: string, options: CallOptions): Promise<WebhookMeant> {
  const wanted = named.trim();
  const base = await baseOf(client, options);
  const found = (await client.listWebhooks(options)).find(
    ({ id, name, key }) => id === wanted.toUpperCase() || name === wanted || `${base}/${key}` === wanted,
  );
  if (found !== undefined) return { id: found.id, url: `${base}/${found.key}` };
  throw new ToolError(
    `No webhook ${defusedLine(named, 60)}. wait_for_webhook without webhook makes one and gives its URL.`,
  );
}

/** Creates a webhook. */
export async function createWebhook(client: Client, options: CallOptions): Promise<WebhookMeant> {
  const { id, key } = await client.createWebhook({ name: 'agent' }, options);
  return { id, url: `${await baseOf(client, options)}/${key}` };
}

async function baseOf(client: Client, options: CallOptions): Promise<string> {
  const { webhookBaseUrl } = await client.server();
  if (webhookBaseUrl !== null) return webhookBaseUrl;
  if (await client.hasLocalApi()) return (await client.local.info(options)).webhookBaseUrl;
  throw new MailcapError('unknown_webhook_base_url', 'The beginning of capture URLs is not known.', {
    hint: 'Set MAILCAP_WEBHOOK_BASE_URL.',
  });
}

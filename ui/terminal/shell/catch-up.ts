import type { Backend } from './backend.ts';
import type { KeepUp } from './keep-up.ts';
import { loadNewest } from './load-messages.ts';
import { toRequestRow, toWebhookItem } from './resources.ts';

/** What came to the mailbox that is open while nobody told. Throws what the client throws. */
export async function catchUpMail({ inbox, give }: KeepUp, backend: Backend): Promise<void> {
  const { mailboxId } = inbox().mail;
  if (mailboxId === null) return;
  give({ is: 'messages-arrived', mailboxId, rows: await loadNewest(backend, mailboxId, null) });
}

/** The same of the webhooks, where somebody looked at them. */
export async function catchUpWebhooks(desk: KeepUp, { client, webhookBaseUrl }: Backend): Promise<void> {
  const { inbox, give, signal } = desk;
  const { webhookId, loaded } = inbox().hooks;
  if (!loaded) return;
  const page = webhookId === null ? null : await client.listWebhookRequests(webhookId, { pageSize: 50 }, { signal });
  const known = new Set(inbox().hooks.requests.rows.map(({ id }) => id));
  for (const item of page?.items ?? []) {
    if (webhookId !== null && !known.has(item.id)) give({ is: 'request-captured', webhookId, row: toRequestRow(item) });
  }
  // Their counts are the server's, whatever was counted here.
  const webhooks = await client.listWebhooks({ signal });
  give({ is: 'webhooks', webhooks: webhooks.map((webhook) => toWebhookItem(webhook, webhookBaseUrl)) });
}

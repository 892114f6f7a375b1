import type { Client } from '../../../src/client/index.ts';
import type { TerminalBackend } from './backend.ts';
import type { KeptInbox } from './kept-inbox.ts';
import { loadNewest } from './load-messages.ts';
import { toRequestRow, toWebhookItem } from './resources.ts';

const PAGE = 50;
const MAX_PAGES = 10;

/** Loads messages that arrived in the open mailbox while no feed was connected. Throws the errors of the client. */
export async function catchUpMail({ inbox, give }: KeptInbox, backend: TerminalBackend): Promise<void> {
  const { mailboxId } = inbox().mail;
  if (mailboxId === null) return;
  give({ is: 'messages-arrived', mailboxId, rows: await loadNewest(backend, mailboxId, null) });
}

/**
 * Loads captured requests and webhooks again, if the reader has opened them before. Throws the errors of the
 * client.
 */
export async function catchUpWebhooks(desk: KeptInbox, { client, webhookBaseUrl }: TerminalBackend): Promise<void> {
  const { inbox, give, signal } = desk;
  if (!inbox().hooks.loaded) return;
  await catchUpRequests(desk, client);
  // The request counts come from the server and replace those counted here.
  const webhooks = await client.listWebhooks({ signal });
  give({ is: 'webhooks', webhooks: webhooks.map((webhook) => toWebhookItem(webhook, webhookBaseUrl)) });
}

/** Loads new captured requests page by page until a known one appears, up to a limit of pages. */
async function catchUpRequests({ inbox, give, signal }: KeptInbox, client: Client): Promise<void> {
  const { webhookId, requests } = inbox().hooks;
  if (webhookId === null) return;
  const known = new Set(requests.rows.map(({ id }) => id));
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: PAGE }, { signal });
    const fresh = items.filter(({ id }) => !known.has(id));
    for (const item of fresh) give({ is: 'request-captured', webhookId, row: toRequestRow(item) });
    if (fresh.length < PAGE) return;
  }
}

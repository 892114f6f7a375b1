import type { Client } from '../../../src/client/index.ts';
import type { Inbox } from '../model/inbox.ts';
import type { Input } from '../model/inputs.ts';
import type { TerminalBackend } from './backend.ts';
import { loadNewest } from './load-messages.ts';
import { toRequestRow, toWebhookItem } from './resources.ts';

/** The inbox that is kept in step with a server. */
export interface KeptInbox {
  readonly backend: TerminalBackend;
  readonly connect: () => Client;
  readonly signal: AbortSignal;
  readonly inbox: () => Inbox;
  /** Called when the server was found again, possibly at another address. */
  readonly moved: (backend: TerminalBackend) => void;
  readonly give: (input: Input) => void;
  readonly later: (input: Input) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

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
export async function catchUpWebhooks(kept: KeptInbox, { client, webhookBaseUrl }: TerminalBackend): Promise<void> {
  const { inbox, give, signal } = kept;
  if (!inbox().webhooks.loaded) return;
  await catchUpRequests(kept, client);
  // The request counts come from the server and replace those counted here.
  const webhooks = await client.listWebhooks({ signal });
  give({ is: 'webhooks', webhooks: webhooks.map((webhook) => toWebhookItem(webhook, webhookBaseUrl)) });
}

/** Loads new captured requests page by page until a known one appears, up to a limit of pages. */
async function catchUpRequests({ inbox, give, signal }: KeptInbox, client: Client): Promise<void> {
  const { webhookId, requests } = inbox().webhooks;
  if (webhookId === null) return;
  const known = new Set(requests.rows.map(({ id }) => id));
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: PAGE }, { signal });
    const fresh = items.filter(({ id }) => !known.has(id));
    for (const item of fresh) give({ is: 'request-captured', webhookId, row: toRequestRow(item) });
    if (fresh.length < PAGE) return;
  }
}

import { sleep } from '../../../src/client/environment.ts';
import type { Client } from '../../../src/client/index.ts';
import type { Inbox } from '../model/inbox.ts';
import type { Input } from '../model/inputs.ts';
import { openBackend, type TerminalBackend } from './backend.ts';
import { inputOf, listenToFeed } from './feed.ts';
import { loadNewest } from './load-messages.ts';
import { toRequestRow, toWebhookItem } from './resources.ts';
import { firstSentence } from './run-effect.ts';

/** The inbox that is kept in step with a server. */
interface KeptInbox {
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

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Keeps the inbox in step with the server until the signal aborts. It also reports lost and restored connections. */
export async function keepUp(kept: KeptInbox): Promise<void> {
  let { backend } = kept;
  let lastEventId: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  const wellAgain = () => {
    pauseMs = FIRST_PAUSE_MS;
    kept.give({ is: 'connected' });
  };
  for (let first = true; !kept.signal.aborted; first = false) {
    let reason: string;
    try {
      if (!first) {
        const found = await openBackend(kept.connect());
        const isOther = found.workspaceId !== backend.workspaceId;
        if (isOther) lastEventId = null;
        backend = found;
        kept.moved(backend);
        kept.give({ is: 'server', server: { url: backend.server.url, local: backend.local } });
        if (isOther) kept.give({ is: 'reset', because: 'another server answers, or the server was restarted' });
      }
      reason = backend.local
        ? await listenToFeed(
            backend.server,
            lastEventId,
            {
              opened: () => {
                wellAgain();
                // Loads what arrived between the first page and the feed's start. A later connection resumes by event
                // id and needs no such step.
                if (lastEventId === null) void catchUp(kept, backend);
              },
              told: (event) => {
                lastEventId = event.id;
                const input = inputOf(event, backend.workspaceId);
                if (input !== null) kept.later(input);
              },
            },
            kept.signal,
          )
        : await watchCloud(kept, backend, wellAgain);
    } catch (error) {
      reason = firstSentence(error);
    }
    if (kept.signal.aborted) return;
    kept.give({ is: 'disconnected', reason });
    await pause(pauseMs, kept.signal);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** Resolves after a delay, or as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, signal).catch(() => {});
}

async function catchUp(kept: KeptInbox, backend: TerminalBackend): Promise<void> {
  try {
    await catchUpMail(kept, backend);
    await catchUpWebhooks(kept, backend);
  } catch {
    // Each list shows its own loading error.
  }
}

const PAGE = 50;
const MAX_PAGES = 10;

/** Loads messages that arrived in the open mailbox while no feed was connected. Throws the errors of the client. */
async function catchUpMail({ inbox, give }: KeptInbox, backend: TerminalBackend): Promise<void> {
  const { mailboxId } = inbox().mail;
  if (mailboxId === null) return;
  give({ is: 'messages-arrived', mailboxId, rows: await loadNewest(backend, mailboxId, null) });
}

/**
 * Loads captured requests and webhooks again, if the reader has opened them before. Throws the errors of the
 * client.
 */
async function catchUpWebhooks(kept: KeptInbox, { client, webhookBaseUrl }: TerminalBackend): Promise<void> {
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

const AWAIT_SECONDS = 50;
const POLL_MS = 5_000;

/**
 * Follows a server without a feed. It awaits messages of the open mailbox and polls captured requests while their tab
 * is open.
 */
async function watchCloud(kept: KeptInbox, backend: TerminalBackend, isWell: () => void): Promise<string> {
  isWell();
  const over = new AbortController();
  const signal = AbortSignal.any([kept.signal, over.signal]);
  try {
    // The first failure ends both loops. They start again when the server answers.
    await Promise.race([watchMail({ ...kept, signal }, backend), pollWebhooks({ ...kept, signal }, backend)]);
  } finally {
    over.abort();
  }
  return 'stopped';
}

async function watchMail(kept: KeptInbox, backend: TerminalBackend): Promise<void> {
  const { signal, inbox, give } = kept;
  while (!signal.aborted) {
    const { mailboxId, all } = inbox().mail;
    const changed = new AbortController();
    const unsubscribe = kept.subscribe(() => {
      if (inbox().mail.mailboxId !== mailboxId) changed.abort();
    });
    try {
      if (mailboxId === null) {
        await pause(POLL_MS, AbortSignal.any([signal, changed.signal]));
        continue;
      }
      const newest = all.rows[0] ?? null;
      const since = new Date(newest === null ? 0 : newest.receivedAt + 1);
      const options = { signal: AbortSignal.any([signal, changed.signal]) };
      await backend.client.awaitMessage(mailboxId, { since, timeout: AWAIT_SECONDS }, options);
      // The list is loaded after a timeout too. A message with the same millisecond as the newest one is found only
      // this way.
      const rows = await loadNewest(backend, mailboxId, newest?.id ?? null);
      give({ is: 'messages-arrived', mailboxId, rows });
    } catch (error) {
      if (!changed.signal.aborted) throw error;
    } finally {
      unsubscribe();
    }
  }
}

async function pollWebhooks(kept: KeptInbox, backend: TerminalBackend): Promise<void> {
  while (!kept.signal.aborted) {
    await pause(POLL_MS, kept.signal);
    if (!kept.signal.aborted && kept.inbox().tab === 'webhooks') await catchUpWebhooks(kept, backend);
  }
}

import { pause } from '../environment.ts';
import type { TerminalBackend } from './backend.ts';
import type { KeptInbox } from './catch-up.ts';
import { catchUpWebhooks } from './catch-up.ts';
import { loadNewest } from './load-messages.ts';

const AWAIT_SECONDS = 50;
const POLL_MS = 5_000;

/**
 * Follows a server without a feed. It awaits messages of the open mailbox and polls captured requests while their tab
 * is open.
 */
export async function watchCloud(kept: KeptInbox, backend: TerminalBackend, isWell: () => void): Promise<string> {
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

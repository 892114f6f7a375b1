import type { MailRow } from '../../model/message-list.ts';
import type { InboxEffect } from '../model/effects.ts';
import type { Input } from '../model/inputs.ts';
import { summaryHas } from '../model/mail.ts';
import type { TerminalBackend } from './backend.ts';
import { toMailRow } from './resources.ts';

const FIRST_PAGE = 100;
const PAGE = 200;
/** The most pages of a mailbox that are loaded at once. If the server cannot search, the inbox searches these. */
const MAX_PAGES = 10;

/** The timeout of a search, which may have to read whole mails. */
const PATIENCE = { timeout: 60_000 } as const;

type Load = Extract<InboxEffect, { do: 'load-messages' }>;

/** Loads one page of a mailbox, or of the result of a search. */
export async function loadMessages(backend: TerminalBackend, { mailboxId, before, query }: Load): Promise<Input> {
  if (query !== '' && !backend.local) {
    const rows = await loadNewest(backend, mailboxId, '');
    return { is: 'messages', mailboxId, query, rows: rows.filter((row) => summaryHas(row, query)), complete: true };
  }
  const limit = before === null ? FIRST_PAGE : PAGE;
  const rows = await page(backend, mailboxId, { limit, before, query });
  return { is: 'messages', mailboxId, query, rows, complete: rows.length < limit };
}

/**
 * Loads the newest messages of a mailbox, page by page, until the message `known` or an older one appears. Loads one
 * page if it is null.
 */
export async function loadNewest(
  backend: TerminalBackend,
  mailboxId: string,
  known: string | null,
): Promise<MailRow[]> {
  const rows: MailRow[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = await page(backend, mailboxId, { limit: PAGE, before: rows.at(-1)?.id ?? null, query: '' });
    rows.push(...next);
    const last = next.at(-1);
    if (next.length < PAGE || known === null || last === undefined || last.id <= known) break;
  }
  return rows;
}

async function page(
  { client, local }: TerminalBackend,
  mailboxId: string,
  { limit, before, query }: { limit: number; before: string | null; query: string },
): Promise<MailRow[]> {
  if (!local) {
    const summaries = await client.listMessages(mailboxId, { limit, before: before ?? undefined });
    return summaries.map(toMailRow);
  }
  // The local API is preferred, because its requests do not count against the rate limits of running tests.
  const rows: MailRow[] = [];
  for (let next = before; ; ) {
    // The reader may still be typing, and a word such as `from:` is not wrong before its end.
    const asked = { query, partial: true, matches: query !== '', total: false };
    const at = { limit, before: next ?? undefined };
    const found = await client.local.searchMessages(mailboxId, { ...asked, ...at }, PATIENCE);
    rows.push(...found.items.map(toMailRow));
    next = found.next;
    // The server returns a short page if the search had to read many mails.
    if (next === null || rows.length >= limit) return rows;
  }
}

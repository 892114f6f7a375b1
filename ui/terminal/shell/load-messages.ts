import type { MessageSummaryResponse, SearchMessagesQuery } from '../../../src/client/index.ts';
import type { MailRow } from '../../model/message-list.ts';
import type { InboxEffect } from '../model/effects.ts';
import type { Input } from '../model/inputs.ts';
import { summaryHas } from '../model/mail.ts';
import type { TerminalBackend } from './backend.ts';
import { toMailRow } from './resources.ts';

const FIRST_PAGE = 100;
const PAGE = 200;
/** The number of newest messages to look through if the server cannot search. */
const MAX_SEARCHED = 2_000;

/** The timeout of a search, which may have to read whole mails. */
const PATIENCE = { timeout: 60_000 } as const;

type Load = Extract<InboxEffect, { do: 'load-messages' }>;

/** Loads one page of a mailbox, or of the result of a search. */
export async function loadMessages(backend: TerminalBackend, { mailboxId, before, query }: Load): Promise<Input> {
  if (query !== '' && !backend.local) {
    const rows = await searchSummaries(backend, mailboxId, query);
    return { is: 'messages', mailboxId, query, rows, complete: true };
  }
  const limit = before === null ? FIRST_PAGE : PAGE;
  const rows = await page(backend, mailboxId, { limit, before, query });
  return { is: 'messages', mailboxId, query, rows, complete: rows.length < limit };
}

/** Loads the newest messages of a mailbox, page by page, until a known one appears or the limit of pages is reached. */
export async function loadNewest(
  backend: TerminalBackend,
  mailboxId: string,
  known: string | null,
): Promise<MailRow[]> {
  const rows: MailRow[] = [];
  for (let pages = 0; pages < 10; pages++) {
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
  const position = before === null ? {} : { before };
  // The local API is preferred, because its requests do not count against the rate limits of running tests.
  const summaries = local
    ? await search(client, mailboxId, { limit, ...position }, query)
    : await client.listMessages(mailboxId, { limit, ...position });
  return summaries.map(toMailRow);
}

async function search(
  { local }: TerminalBackend['client'],
  mailboxId: string,
  at: SearchMessagesQuery,
  query: string,
): Promise<readonly MessageSummaryResponse[]> {
  const items: MessageSummaryResponse[] = [];
  for (let next = at.before ?? null; ; ) {
    const position = next === null ? {} : { before: next };
    // The reader may still be typing, and a word such as `from:` is not wrong before its end.
    const asked = { ...at, ...position, query, partial: true, matches: query !== '', total: false };
    const page = await local.searchMessages(mailboxId, asked, PATIENCE);
    items.push(...page.items);
    next = page.next;
    // The server returns a short page if the search had to read many mails.
    if (next === null || items.length >= (at.limit ?? 0)) return items;
  }
}

async function searchSummaries(backend: TerminalBackend, mailboxId: string, query: string): Promise<MailRow[]> {
  const seen: MailRow[] = [];
  while (seen.length < MAX_SEARCHED) {
    const next = await page(backend, mailboxId, { limit: PAGE, before: seen.at(-1)?.id ?? null, query: '' });
    seen.push(...next);
    if (next.length < PAGE) break;
  }
  return seen.filter((row) => summaryHas(row, query));
}

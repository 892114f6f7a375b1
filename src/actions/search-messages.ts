import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import type { Query } from '../domain/search/query.ts';
import type { Ending } from '../ports/ending.ts';
import { type Budget, type Scope, walkMessages } from './walk-messages.ts';

export interface Search {
  readonly scope: Scope;
  readonly query: Query;
  /** Only messages older than it are listed; `total` counts the others too. */
  readonly before?: MessageId | undefined;
  readonly limit: number;
  /** When nobody waits for the answer any more. */
  readonly ending: Ending;
}

export interface SearchResult {
  /** Newest first. */
  readonly items: readonly Message[];
  /** How many match, on all pages. */
  readonly total: number;
  /** False where so many mails would have to be read that not all were: then `total` counts those found, and there may be more. */
  readonly complete: boolean;
  /** Where the next page begins; null where there is none. */
  readonly next: MessageId | null;
}

/**
 * Mails read for one search, where their rows leave it open: some seconds of work, and no more than the parser remembers,
 * so that the next search of the same is quick.
 */
export const MOST_READ = 10_000;

/** A page of what matches, and how many there are. The loop is held for some milliseconds at a time, whatever is stored. */
export async function searchMessages(ctx: Context, search: Search, mostRead = MOST_READ): Promise<SearchResult> {
  return search.query.length === 0 ? listAll(ctx, search) : findAll(ctx, search, mostRead);
}

/** Counted, not walked. */
async function listAll(ctx: Context, search: Search): Promise<SearchResult> {
  const total = await countAll(ctx, search.scope);
  const { items, next } = await firstPage(ctx, search, { left: 0 });
  // What went or came between the two is no reason to count fewer than there are.
  return { items, total: Math.max(total, items.length), complete: true, next };
}

async function countAll(ctx: Context, { mailboxId, workspaceId }: Scope): Promise<number> {
  const { workspaces, mailboxes, messages } = ctx.store.read;
  const now = ctx.clock.now();
  if (mailboxId !== undefined) return messages.countUnexpired(mailboxId, now);
  const owners = workspaceId === undefined ? (await workspaces.list()).map(({ id }) => id) : [workspaceId];
  const lists = await Promise.all(owners.map((id) => mailboxes.list(id)));
  const counts = await Promise.all(lists.flat().map(({ id }) => messages.countUnexpired(id, now)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The page alone, without looking further. */
async function firstPage(
  ctx: Context,
  { scope, query, before, limit, ending }: Search,
  budget: Budget,
): Promise<Pick<SearchResult, 'items' | 'next'>> {
  const items: Message[] = [];
  const matcher = new QueryMatcher(query);
  for await (const { found } of walkMessages(ctx, { scope, matcher, before, budget, ending })) {
    items.push(...found);
    if (items.length > limit) break;
  }
  return pageOf(items, limit);
}

async function findAll(
  ctx: Context,
  { scope, query, before, limit, ending }: Search,
  mostRead: number,
): Promise<SearchResult> {
  const matcher = new QueryMatcher(query);
  const budget: Budget = { left: mostRead };
  const items: Message[] = [];
  let total = 0;
  let at: MessageId | undefined = before;
  let isEnd = false;
  // The page first: it is not to go short because of what only the count is for.
  for await (const stretch of walkMessages(ctx, { scope, matcher, before, budget, ending })) {
    total += stretch.found.length;
    for (const message of stretch.found) if (items.length <= limit) items.push(message);
    at = stretch.at;
    isEnd = stretch.isEnd;
  }
  let isAll = isEnd;
  if (before !== undefined) {
    const newer = { scope, matcher, before: undefined, downTo: before, budget, ending };
    isAll = false;
    for await (const stretch of walkMessages(ctx, newer)) {
      total += stretch.found.length;
      isAll = stretch.isEnd;
    }
  }
  const page = pageOf(items, limit);
  // Of a page that was cut short the rest is found from where it was cut on.
  return { ...page, next: page.next ?? (isEnd ? null : (at ?? null)), total, complete: isEnd && isAll };
}

/** `items` has one more than the page where there is a next. */
function pageOf(items: readonly Message[], limit: number): Pick<SearchResult, 'items' | 'next'> {
  const page = items.slice(0, limit);
  return { items: page, next: items.length > limit ? (page.at(-1)?.id ?? null) : null };
}

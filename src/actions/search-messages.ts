import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId, WorkspaceId } from '../domain/ids.ts';
import { kindOf, type Message, type MessageKind } from '../domain/message.ts';
import { type MatchOrUnknown, QueryMatcher } from '../domain/search/match-query.ts';
import { parseQuery, type SearchQuery } from '../domain/search/query.ts';
import { parentsIn, threadIdOf } from '../domain/thread.ts';
import type { TextHit, TextProgress } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { matchesMail } from './match-message.ts';
import { readParsed, unlessGone } from './read-message.ts';
import { timeIn } from './time.ts';

export interface Search {
  readonly scope: Scope;
  readonly query: SearchQuery;
  /** Lists only messages older than this one. `total` still counts the newer ones. */
  readonly before?: MessageId | undefined;
  readonly limit: number;
  /** Ends when the client disconnects. */
  readonly cancelSignal: CancelSignal;
}

interface SearchPage {
  /** Newest first. */
  readonly items: readonly Message[];
  /** Tells whether no match is missing. If false, the search ended before it had read all mails that it needed. */
  readonly complete: boolean;
  /** The position to continue from, or null if this page is the last. */
  readonly next: MessageId | null;
  /** How many messages have a prepared text. It is there if the search is not complete, because some have none. */
  readonly preparing?: TextProgress;
}

interface SearchResult extends SearchPage {
  /** The number of matches on all pages. If the search is not complete, of those found so far. */
  readonly total: number;
}

/**
 * The number of mails one search may read in full, because they have no prepared text yet. It takes some seconds and
 * stays within the parser's cache, so a repeated search is fast.
 */
export const MOST_READ = 10_000;

/**
 * Parses search words. Times such as `after:1h` go by the clock of a workspace, or of the server if it is null. Throws
 * `invalid_query`.
 */
export async function parseSearch(
  ctx: Context,
  text: string,
  workspaceId: WorkspaceId | null,
  isPartial = false,
): Promise<SearchQuery> {
  return parseQuery(text, { now: await timeIn(ctx, ctx.store.read, workspaceId), isPartial });
}

/**
 * Finds one page of matching messages and their total number. It never blocks the event loop for more than a few
 * milliseconds.
 */
export async function searchMessages(ctx: Context, search: Search, mostRead = MOST_READ): Promise<SearchResult> {
  // No counter knows of kinds.
  const isCounted = search.query.length === 0 && search.scope.kind === undefined;
  return isCounted ? listAll(ctx, search) : findAll(ctx, search, mostRead);
}

/**
 * Finds one page of matching messages. It looks only as far as the page needs, so the first page of a frequent word comes
 * at once.
 */
export async function findPage(
  ctx: Context,
  { scope, query, before, limit, cancelSignal }: Search,
): Promise<SearchPage> {
  const items: Message[] = [];
  const firstRows = limit + 1;
  const matcher = new QueryMatcher(query);
  const walk = { scope, query, matcher, before, firstRows, budget: { left: MOST_READ }, cancelSignal };
  let at: MessageId | undefined = before;
  let isEnd = false;
  for await (const stretch of findMessages(ctx, { ...walk, rows: { left: firstRows } })) {
    items.push(...stretch.found);
    at = stretch.at;
    isEnd = stretch.isEnd;
    if (items.length > limit) break;
  }
  return resultOf(ctx, { ...pageOf(items, limit), complete: isEnd || items.length > limit }, isEnd ? undefined : at);
}

/** Lists a page without conditions. The total comes from counters, not from a walk. */
async function listAll(ctx: Context, search: Search): Promise<SearchResult> {
  const total = await countAll(ctx, search.scope);
  const { items, next } = await findPage(ctx, search);
  // Messages may come or go between the count and the page. The total is never smaller than the page.
  return { items, total: Math.max(total, items.length), complete: true, next };
}

/** Counts the messages of a scope. The number comes from counters. */
export function countAll(ctx: Context, scope: Scope): Promise<number> {
  return countIn(ctx, scope, 'countUnexpired');
}

/** Counts the messages of a scope that nobody has read. The number comes from counters. */
export function countUnread(ctx: Context, scope: Scope): Promise<number> {
  return countIn(ctx, scope, 'countUnread');
}

async function countIn(
  ctx: Context,
  { mailboxId, workspaceId }: Scope,
  what: 'countUnexpired' | 'countUnread',
): Promise<number> {
  const { workspaces, mailboxes, messages } = await ctx.store.readNow();
  const now = momentNow(ctx.clock);
  if (mailboxId !== undefined) return messages[what](mailboxId, now);
  const owners = workspaceId === undefined ? (await workspaces.list()).map(({ id }) => id) : [workspaceId];
  const lists = await Promise.all(owners.map((id) => mailboxes.list(id)));
  const counts = await Promise.all(lists.flat().map(({ id }) => messages[what](id, now)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function findAll(
  ctx: Context,
  { scope, query, before, limit, cancelSignal }: Search,
  mostRead: number,
): Promise<SearchResult> {
  const budget: Budget = { left: mostRead };
  const all = { scope, query, matcher: new QueryMatcher(query), budget, cancelSignal, rows: { left: limit + 1 } };
  const items: Message[] = [];
  let total = 0;
  let at: MessageId | undefined = before;
  let isEnd = false;
  // The page comes first, so that counting newer messages cannot use up the budget it needs.
  for await (const stretch of findMessages(ctx, { ...all, before })) {
    total += stretch.found.length + stretch.counted;
    for (const message of stretch.found) if (items.length <= limit) items.push(message);
    at = stretch.at;
    isEnd = stretch.isEnd;
  }
  let isAll = isEnd;
  if (before !== undefined) {
    isAll = false;
    for await (const stretch of findMessages(ctx, { ...all, before: undefined, downTo: before })) {
      total += stretch.found.length + stretch.counted;
      isAll = stretch.isEnd;
    }
  }
  return resultOf(ctx, { ...pageOf(items, limit), total, complete: isEnd && isAll }, isEnd ? undefined : at);
}

/**
 * Completes the answer of a search. If the search ended within the page, the next page continues from the point `at`
 * that it has reached.
 */
async function resultOf<Page extends Omit<SearchPage, 'preparing'>>(
  ctx: Context,
  page: Page,
  at: MessageId | undefined,
): Promise<Page & Pick<SearchPage, 'preparing'>> {
  const result = { ...page, next: page.next ?? at ?? null };
  return page.complete ? result : { ...result, preparing: await ctx.store.texts.progress() };
}

/** Cuts `items` to one page. One item more than `limit` means that there is a next page. */
function pageOf(items: readonly Message[], limit: number): Pick<SearchResult, 'items' | 'next'> {
  const page = items.slice(0, limit);
  return { items: page, next: items.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** The query for a page by offset, for APIs that have no cursor. */
export interface FoundAt extends Pick<Search, 'scope' | 'query' | 'limit' | 'cancelSignal'> {
  /** The number of newer messages to leave out. */
  readonly start: number;
}

/** The largest number of rows per step. A step takes a few milliseconds for any query. */
const ROWS = 500;

/** Lists a page of messages, newest first, with the number of all messages in the scope, which comes from counters. */
async function listMessages(
  ctx: Context,
  { scope, start, limit, cancelSignal }: Omit<FoundAt, 'query'>,
): Promise<{ readonly items: readonly Message[]; readonly total: number }> {
  const total = await countAll(ctx, scope);
  const items: Message[] = [];
  let passed = 0;
  const wanted = () => {
    const at = passed++;
    return at >= start && at < start + limit;
  };
  for (let before: MessageId | undefined; start < total && items.length < limit && !cancelSignal.isCancelled; ) {
    const now = momentNow(ctx.clock);
    const step = await ctx.store.read.messages.walk({ ...scope, before, rows: ROWS, now, wanted });
    items.push(...step.messages);
    if (step.next === null) break;
    before = step.next;
    await setImmediate();
  }
  return { items, total: Math.max(total, items.length) };
}

/** Finds messages by offset, newest first, with the total number. Without conditions that comes from counters. */
export async function findAt(
  ctx: Context,
  { query, ...page }: FoundAt,
): Promise<Pick<SearchResult, 'items' | 'total' | 'complete'>> {
  if (query.length === 0) return { ...(await listMessages(ctx, page)), complete: true };
  const { start, limit, ...where } = page;
  const { items, total, complete } = await searchMessages(ctx, { ...where, query, limit: start + limit });
  return { items: items.slice(start), total, complete };
}

/** Finds messages by offset, oldest first. `start` is the number of older messages to leave out. */
export async function findOldestAt(ctx: Context, page: FoundAt): ReturnType<typeof findAt> {
  const { total } = await findAt(ctx, { ...page, start: 0, limit: 0 });
  const end = Math.max(0, total - page.start);
  const start = Math.max(0, end - page.limit);
  const { items, complete } = await findAt(ctx, { ...page, start, limit: end - start });
  return { items: items.toReversed(), total, complete };
}

/** The scope of a search: a mailbox, a workspace, or everything if neither is given. */
export interface Scope {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  /** Only messages of this kind. */
  readonly kind?: MessageKind | undefined;
}

/** The number of mails that may still be read because their rows do not decide. */
interface Budget {
  left: number;
}

export interface Walk {
  readonly scope: Scope;
  readonly matcher: QueryMatcher;
  readonly before: MessageId | undefined;
  /** The oldest position to examine. The message need not exist. */
  readonly downTo?: MessageId;
  /**
   * The number of messages of the first step, for walks that may need only a few. Default: 500, as in each further step.
   */
  readonly firstRows?: number;
  readonly budget: Budget;
  /** Ends when the client disconnects. */
  readonly cancelSignal: CancelSignal;
}

interface WalkStretch {
  readonly found: readonly Message[];
  /** The position that the walk has reached. Only older messages remain. Undefined means that all messages remain. */
  readonly at: MessageId | undefined;
  /** Tells whether the walk has reached its end. */
  readonly isEnd: boolean;
}

interface SearchWalk extends Walk {
  /** The query of the matcher. */
  readonly query: SearchQuery;
  /** The number of matches that are still wanted as rows. The others may only be counted. Default: all. */
  readonly rows?: { left: number };
}

interface SearchStretch extends WalkStretch {
  /** The number of further matches, which were only counted. */
  readonly counted: number;
}

/**
 * Yields the matching messages like {@link walkMessages}. Prepared texts say which ones match; only mails that have none
 * yet are read.
 */
async function* findMessages(ctx: Context, search: SearchWalk): AsyncGenerator<SearchStretch, void, void> {
  const { scope, query, matcher, downTo = '', cancelSignal } = search;
  if (!matcher.readsDocuments) {
    for await (const stretch of walkMessages(ctx, search)) yield { ...stretch, counted: 0 };
    return;
  }
  let { before } = search;
  for await (const stretch of ctx.store.texts.find(query, { ...scope, before, enough: search.firstRows })) {
    const end = stretch.downTo === null || stretch.downTo < downTo ? downTo : stretch.downTo;
    const isLast = end === downTo;
    const part = { ...search, before, downTo: end as MessageId }; // an id, or '' for all
    const steps = stretch.found === null ? walkMessages(ctx, part) : readHits(ctx, part, stretch.found);
    let isWhole = false;
    for await (const { isEnd, ...step } of steps) {
      isWhole = isEnd;
      yield { counted: 0, ...step, isEnd: isEnd && isLast };
    }
    if (!isWhole || isLast || cancelSignal.isCancelled) return;
    before = stretch.downTo ?? before;
  }
}

/** The number of messages that one transaction changes. Other transactions wait for it, so it stays small. */
export const BATCH = 100;

/**
 * Yields all messages that a search finds, in batches that one transaction can change, until the request has ended. It
 * lets others run after each batch.
 */
export async function* findInBatches(
  ctx: Context,
  scope: Scope,
  query: SearchQuery,
  cancelSignal: CancelSignal,
): AsyncGenerator<readonly Message[], void, void> {
  const budget = { left: Number.POSITIVE_INFINITY };
  const search = { scope, query, matcher: new QueryMatcher(query), before: undefined, budget, cancelSignal };
  for await (const { found } of findMessages(ctx, search)) {
    for (let at = 0; at < found.length && !cancelSignal.isCancelled; at += BATCH) {
      yield found.slice(at, at + BATCH);
      await setImmediate();
    }
  }
}

/**
 * Finds the ids of all messages that match. Returns null if it would have to read more mails than the budget allows,
 * because they have no prepared text yet, or if the client has left.
 */
export async function findIds(
  ctx: Context,
  search: Pick<Walk, 'scope' | 'before' | 'downTo' | 'budget' | 'cancelSignal'> & { readonly query: SearchQuery },
): Promise<ReadonlySet<MessageId> | null> {
  const ids = new Set<MessageId>();
  let isWhole = false;
  for await (const { found, isEnd } of findMessages(ctx, { ...search, matcher: new QueryMatcher(search.query) })) {
    for (const { id } of found) ids.add(id);
    isWhole = isEnd;
    await setImmediate();
  }
  return isWhole ? ids : null;
}

/** Yields those of the found messages that are shown and that match, newest first. */
async function* readHits(ctx: Context, search: SearchWalk, hits: readonly TextHit[]): AsyncGenerator<SearchStretch> {
  const { scope, matcher, downTo = '', cancelSignal, rows: wantedRows = { left: Number.POSITIVE_INFINITY } } = search;
  let { before } = search;
  let to = 0;
  for (let from = 0; ; from = to) {
    to = from + (from === 0 ? Math.min(search.firstRows ?? ROWS, ROWS) : ROWS);
    const some = hits.slice(from, to).filter(({ id }) => id >= downTo);
    let counted = 0;
    const isWanted = (row: Message, index: number) => {
      if (!isIn(scope, row)) return false;
      if (!some[index]?.isSure) return true;
      if (!matcher.meetsRowTerms(row)) return false;
      // A match beyond the page is only counted.
      if (wantedRows.left <= 0) {
        counted++;
        return false;
      }
      wantedRows.left--;
      return true;
    };
    const rows = await ctx.store.read.messages.many(
      some.map(({ id }) => id),
      momentNow(ctx.clock),
      isWanted,
    );
    const sure = new Set<Message>();
    const shown: Message[] = [];
    for (const [index, row] of rows.entries()) {
      if (row === null) continue;
      shown.push(row);
      if (some[index]?.isSure) sure.add(row);
    }
    const verdictOf = (row: Message) => (sure.has(row) ? true : matcher.matchesRow(row));
    const { found, looked } = await foundIn(ctx, search, shown, verdictOf);
    const isWhole = looked === shown.length;
    const isEnd = isWhole && to >= hits.length;
    before = isEnd ? (downTo as MessageId) : (shown[looked - 1]?.id ?? before); // downTo is an id or ''
    yield { found, counted, at: before, isEnd };
    if (isEnd || !isWhole || cancelSignal.isCancelled) return;
    await setImmediate();
  }
}

function isIn({ mailboxId, workspaceId, kind }: Scope, row: Message): boolean {
  return (
    (kind === undefined || kindOf(row) === kind) &&
    (mailboxId === undefined || row.mailboxId === mailboxId) &&
    (workspaceId === undefined || row.workspaceId === workspaceId)
  );
}

/** The number of mails read at a time. It bounds the memory of a search. */
const READS = 8;

/**
 * Yields the matching messages newest first, one stretch at a time, and yields to the event loop in between. It stops
 * without `isEnd` when the budget is used up or the request has ended.
 */
export async function* walkMessages(ctx: Context, walk: Walk): AsyncGenerator<WalkStretch, void, void> {
  const { scope, matcher, downTo = '', cancelSignal } = walk;
  const wanted = (row: Message) => matcher.matchesRow(row) !== false;
  let rows = Math.min(walk.firstRows ?? ROWS, ROWS);
  for (let before = walk.before; !cancelSignal.isCancelled; rows = ROWS) {
    const now = momentNow(ctx.clock);
    const step = await ctx.store.read.messages.walk({ ...scope, before, rows, now, wanted });
    const messages = step.messages.filter(({ id }) => id >= downTo);
    const { found, looked } = await foundIn(ctx, walk, messages);
    const isWhole = looked === messages.length;
    const at: MessageId | undefined = (isWhole ? step.next : null) ?? messages[looked - 1]?.id ?? before;
    const isEnd = isWhole && (step.next === null || step.next <= downTo);
    yield { found, at, isEnd };
    if (isEnd || !isWhole) return;
    before = at;
    await setImmediate();
  }
}

/**
 * Finds the matches among the messages. `looked` is the number examined before the budget was used up or the request
 * ended.
 */
async function foundIn(
  ctx: Context,
  { matcher, budget, cancelSignal }: Walk,
  messages: readonly Message[],
  verdictOf = (row: Message): MatchOrUnknown => matcher.matchesRow(row),
): Promise<{ found: Message[]; looked: number }> {
  const verdicts = messages.map(verdictOf);
  const open = messages.filter((_message, index) => verdicts[index] === null);
  const affordable = open.slice(0, budget.left);
  const matching = new Set<Message>();
  let read = 0;
  while (read < affordable.length && !cancelSignal.isCancelled) {
    const some = affordable.slice(read, read + READS);
    const hits = await Promise.all(some.map((message) => matchesMail(ctx, matcher, message)));
    for (const message of some.filter((_message, index) => hits[index])) matching.add(message);
    read += some.length;
    await setImmediate();
  }
  budget.left -= read;
  const unread = open[read];
  const looked = unread === undefined ? messages.length : messages.indexOf(unread);
  const found = messages.filter(
    (message, index) => index < looked && (verdicts[index] === true || matching.has(message)),
  );
  return { found, looked };
}

/** A conversation: the messages of one mailbox that answer one another. */
export interface Thread {
  readonly threadId: string;
  /** The newest messages of the conversation, the oldest of them first. */
  readonly messages: readonly { readonly message: Message; readonly parentId: MessageId | null }[];
  /** The number of all its messages. */
  readonly total: number;
  /** Tells whether all messages of the mailbox were searched. */
  readonly complete: boolean;
}

/** The number of messages of a conversation that are listed. */
export const MOST_IN_THREAD = 100;

/** Finds the conversation of a message, in its mailbox. */
export async function readThread(ctx: Context, message: Message, cancelSignal: CancelSignal): Promise<Thread> {
  const threadId = threadIdOf((await readParsed(ctx, message)).headers, message.id);
  const found = await searchMessages(ctx, {
    scope: { mailboxId: message.mailboxId },
    query: [{ kind: 'text', field: 'thread', not: false, text: threadId }],
    limit: MOST_IN_THREAD,
    cancelSignal,
  });
  const read = await Promise.all(
    found.items.map((one) =>
      unlessGone(ctx, one, async () => ({ message: one, headers: (await readParsed(ctx, one)).headers })),
    ),
  );
  const mails = read.filter((one) => one !== null).reverse();
  const parents = parentsIn(mails.map(({ message: { id }, headers }) => ({ id, headers })));
  const messages = mails.map((one) => ({ message: one.message, parentId: parents.get(one.message.id) ?? null }));
  return { threadId, messages, total: found.total, complete: found.complete };
}

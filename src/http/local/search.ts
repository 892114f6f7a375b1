import { z } from 'zod';
import { clearMailbox, deleteFound } from '../../actions/delete-messages.ts';
import { findPlacesOf } from '../../actions/match-message.ts';
import {
  findPage,
  MOST_IN_THREAD,
  parseSearch,
  readThread,
  type Scope,
  type Search,
  searchMessages,
} from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { refuse, there } from '../../domain/errors.ts';
import type { MessageId, WorkspaceId } from '../../domain/ids.ts';
import { MESSAGE_KINDS, type Message, type MessageKind } from '../../domain/message.ts';
import { SEARCH_FIELDS } from '../../domain/search/document.ts';
import type { FoundPlace } from '../../domain/search/find-places.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import { SEARCH_WORDS } from '../../text/search-words.ts';
import { type AnswerOf, nullable } from '../answers.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import {
  anyMailbox,
  anyMessage,
  flag,
  isGiven,
  localRoute,
  oneOf,
  type Param,
  searchText,
  ulid,
  whole,
} from '../route.ts';
import { MarkedSummaryResponse, toMarkedSummary } from './marks.ts';

/** A message found by a search, with its mailbox. */
export const FoundMessage = MarkedSummaryResponse.extend({
  mailboxId: z.string(),
  workspaceId: z.string(),
  matches: z
    .array(
      z.object({
        field: z.enum(SEARCH_FIELDS),
        snippet: z.string().describe('The words around the match, in one line'),
        start: z.int().describe('The place at which the match begins in the snippet, in UTF-16 code units'),
        length: z.int(),
      }),
    )
    .optional()
    .describe('Where each search word matched, at most five places; only if the request asks for matches'),
});

export function toFoundMessage(message: Message) {
  const { mailboxId, workspaceId } = message;
  return { ...toMarkedSummary(message), mailboxId, workspaceId };
}

export const SearchResponse = z.object({
  items: z.array(FoundMessage).describe('Newest first'),
  total: z.int().nullable().describe('Across all pages; null if the request has total=0'),
  complete: z.boolean().describe('false: the search ended after it had read 10,000 mails, so total may be too small'),
  preparing: z
    .object({ prepared: z.int(), missing: z.int() })
    .optional()
    .describe('The number of messages with and without a prepared text; only if complete is false'),
  next: nullable.describe('The parameter before of the next page; null if there is none'),
});

/** The result of a search. The client derives its types from it, so it must use no internal type of the server. */
interface Found {
  readonly items: readonly Message[];
  readonly total: number | null;
  readonly complete: boolean;
  readonly next: string | null;
  readonly preparing?: { readonly prepared: number; readonly missing: number };
  /** The places of each item, if the request asks for them. */
  readonly places?: readonly (readonly FoundPlace[])[];
}

export function toSearchResponse({ items, places, ...found }: Found): AnswerOf<typeof SearchResponse> {
  const { total, complete, next, preparing } = found;
  const written = items.map((message, index) => {
    const matches = places?.[index];
    const item = toFoundMessage(message);
    return matches === undefined ? item : { ...item, matches };
  });
  return { items: written, total, complete, ...(preparing !== undefined && { preparing }), next };
}

export const DeletedResponse = z.object({ deleted: z.int().describe('The number of deleted messages') });

// This module implements docs/search.md: a search of a mailbox, of a workspace or of all.

const WORDS = SEARCH_WORDS.map(({ word }) => word).join(' ');
const query = searchText(
  `All words must match. ! or - before a word negates it, quotes allow spaces: ${WORDS} or a word without a colon`,
);
const PAGE = {
  query,
  partial: flag(
    'invalid_partial',
    '1: somebody is still typing the query, so words without an end are left out and a quote may be open',
  ),
  matches: flag(
    'invalid_matches',
    '1: tell of each message where it matched. The server then reads the mails of the page',
  ),
  total: flag('invalid_total', '0: do not count the results, so that the page of a frequent word comes at once', true),
  limit: whole(1, 200, 50, 'invalid_limit', 'The most messages to return'),
  before: ulid<MessageId>('invalid_before', 'Only messages older than this one, which need not exist'),
};
const IN_WORKSPACE = ulid<WorkspaceId>('invalid_workspace_id', 'Only messages of this workspace');

export const searchOfAll = [
  localRoute('GET', '/_mailcap/messages', {
    id: 'searchAllMessages',
    summary: 'Search the messages of all workspaces, newest first',
    query: { ...PAGE, workspaceId: IN_WORKSPACE },
    returns: { 200: SearchResponse },
    handle: async ({ ctx, query: { workspaceId, query: words, partial, ...asked }, exchange }) => {
      const query = await parseSearch(ctx, words, workspaceId ?? null, partial);
      return search(ctx, { ...asked, query, scope: { workspaceId } }, exchange);
    },
  }),

  localRoute('DELETE', '/_mailcap/messages', {
    id: 'deleteFoundMessages',
    summary: 'Delete the messages that a search finds, and return their number',
    query: { query: { ...query, isRequired: true }, workspaceId: IN_WORKSPACE },
    returns: { 200: DeletedResponse },
    handle: async ({ ctx, query: { query: words, workspaceId }, exchange }) =>
      remove(ctx, { workspaceId }, await parseSearch(ctx, words, workspaceId ?? null), exchange),
  }),
];

/** The parameter `kind`. */
export const KIND_PARAM = kindParam('email');

/** Returns the kind to look for; undefined for any. */
export function kindMeant(kind: MessageKind | 'any'): MessageKind | undefined {
  return kind === 'any' ? undefined : kind;
}

function kindParam(fallback: MessageKind | 'any'): Param<MessageKind | 'any'> {
  return oneOf([...MESSAGE_KINDS, 'any'], fallback, 'invalid_kind', `email, sms or any; default: ${fallback}`);
}

export const searchOfMailbox = [
  localRoute('GET', '/_mailcap/mailboxes/:id/messages', {
    id: 'searchMessages',
    summary: 'Search the messages of a mailbox, newest first; without query, list all',
    resolve: anyMailbox,
    query: { ...PAGE, kind: kindParam('any') },
    returns: { 200: SearchResponse },
    handle: async ({ ctx, found, query: { query: words, partial, kind, ...asked }, exchange }) => {
      const query = await parseSearch(ctx, words, found.workspaceId, partial);
      const scope = { mailboxId: found.id, kind: kindMeant(kind) };
      return search(ctx, { ...asked, query, scope }, exchange);
    },
  }),

  localRoute('DELETE', '/_mailcap/mailboxes/:id/messages', {
    id: 'clearMailbox',
    summary: 'Delete all messages of a mailbox, or those that a search finds',
    description:
      'Without query it deletes all and answers 204. With query, which may not be empty, it answers 200 with the number of deleted messages.',
    resolve: anyMailbox,
    query: { query },
    returns: { 200: DeletedResponse, 204: null },
    handle: async ({ ctx, found, query: asked, exchange }) => {
      if (isGiven('query', exchange.query)) {
        const words = await parseSearch(ctx, asked.query, found.workspaceId);
        return remove(ctx, { mailboxId: found.id }, words, exchange);
      }
      await ctx.store.transaction(async (tx) => clearMailbox(ctx, tx, there(await tx.mailboxes.get(found.id))));
      return undefined;
    },
  }),
];

interface Asked extends Omit<Search, 'cancelSignal'> {
  readonly matches: boolean;
  readonly total: boolean;
}

async function search(ctx: Context, { matches, total, ...asked }: Asked, exchange: Exchange) {
  const wanted = { ...asked, cancelSignal: exchange };
  const result = total ? await searchMessages(ctx, wanted) : { ...(await findPage(ctx, wanted)), total: null };
  const places = matches ? await findPlacesOf(ctx, asked.query, result.items, exchange) : null;
  // A search that the stop of the server cut short is incomplete.
  checkTimePassed(exchange);
  return inPieces(toSearchResponse({ ...result, ...(places !== null && { places }) }));
}

async function remove(
  ctx: Context,
  scope: Scope,
  words: SearchQuery,
  exchange: Exchange,
): Promise<z.infer<typeof DeletedResponse>> {
  // An empty variable in a user's script must not delete everything.
  if (words.length === 0) throw refuse('invalid_query', { message: NOTHING_ASKED, position: 0 });
  const deleted = await deleteFound(ctx, scope, words, exchange);
  checkTimePassed(exchange);
  return { deleted };
}

const NOTHING_ASKED = 'A deletion by search needs a query that is not empty.';

export const ThreadResponse = z.object({
  threadId: z.string().describe('The search word thread: finds the same messages by it'),
  items: z
    .array(FoundMessage.extend({ parentId: nullable.describe('The message that this one answers') }))
    .describe(`The newest ${MOST_IN_THREAD} messages, the oldest of them first`),
  total: z.int().describe('The number of all messages of the conversation'),
  complete: z.boolean().describe('false: the search ended before it had read all mails without a prepared text'),
});

export const threads = [
  localRoute('GET', '/_mailcap/messages/:id/thread', {
    id: 'getThread',
    summary: 'The conversation of a message: the messages of its mailbox that answer one another',
    resolve: anyMessage,
    returns: { 200: ThreadResponse },
    handle: async ({ ctx, found, exchange }) => {
      const { threadId, messages, total, complete } = await readThread(ctx, found, exchange);
      checkTimePassed(exchange);
      const items = messages.map(({ message, parentId }) => ({ ...toFoundMessage(message), parentId }));
      return { threadId, items, total, complete };
    },
  }),
];

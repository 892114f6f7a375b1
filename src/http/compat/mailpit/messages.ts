import { z } from 'zod';
import { clearWorkspace, deleteOfWorkspace } from '../../../actions/clear-workspace.ts';
import { deleteFound } from '../../../actions/delete-found.ts';
import { listMessages } from '../../../actions/list-messages.ts';
import { countAll, searchMessages } from '../../../actions/search-messages.ts';
import type { Context } from '../../../context.ts';
import { refuse } from '../../../domain/errors.ts';
import { type MessageId, parseUlid } from '../../../domain/ids.ts';
import type { Message } from '../../../domain/message.ts';
import { checkTimePassed } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { inPieces } from '../../large-json.ts';
import { readTexts } from '../../query.ts';
import { foreignRoute } from '../../route.ts';
import { anyCase } from '../any-case.ts';
import { nothing, plainText } from '../foreign-answer.ts';
import { seededWorkspaceId } from '../seeded.ts';
import { readSearch } from './read-search.ts';
import { mailpitSummary } from './summary.ts';

/** The most messages on one page. Mailpit has no such limit: `limit=0` gives all of them. */
const MOST_LISTED = 1_000;
/** The number of summaries that are made at a time. */
const AT_A_TIME = 8;

/**
 * The ids to delete. Only a request without a body, or with `{}`, asks to delete everything: a body whose ids can't be
 * read must not delete the mail of others.
 */
const DeleteRequest = anyCase(z.looseObject({ ids: z.array(z.string()).optional() })).refine(
  (body) => body.ids !== undefined || Object.keys(body).length === 0,
);

export const mailpitMessages = [
  foreignRoute('GET', '/api/v1/messages', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { items, total } = await listMessages(ctx, { scope, start, limit, ending: exchange });
      checkTimePassed(exchange);
      return listOf(ctx, items, { start, total, matches: total, complete: true });
    },
  }),

  foreignRoute('DELETE', '/api/v1/messages', {
    body: DeleteRequest,
    bodyIsOptional: true,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, body }) => {
      const workspaceId = await seededWorkspaceId(ctx);
      const ids = body.ids?.map((id) => parseUlid<MessageId>(id)).filter((id) => id !== null);
      if (ids === undefined) await clearWorkspace(ctx, workspaceId);
      else if (ids.length === 0) throw refuse('invalid_body');
      else await deleteOfWorkspace(ctx, workspaceId, ids);
      // MailHog has the same route and answers without content. Its clients read content as JSON.
      return ctx.config.compat.includes('mailhog') ? nothing() : plainText('ok');
    },
  }),

  foreignRoute('GET', '/api/v1/search', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const query = requireSearch(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const page = { scope, start, limit, ending: exchange };
      const total = await countAll(ctx, scope);
      if (query === null) return listOf(ctx, [], { start, total, matches: 0, complete: true });
      if (query.length === 0) {
        const { items } = await listMessages(ctx, page);
        return listOf(ctx, items, { start, total, matches: total, complete: true });
      }
      const found = await searchMessages(ctx, { scope, query, limit: start + limit, ending: exchange });
      // A search that the stop of the server cut short is incomplete.
      checkTimePassed(exchange);
      return listOf(ctx, found.items.slice(start), { start, total, matches: found.total, complete: found.complete });
    },
  }),

  foreignRoute('DELETE', '/api/v1/search', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const query = requireSearch(exchange);
      const workspaceId = await seededWorkspaceId(ctx);
      if (query !== null && query.length === 0) await clearWorkspace(ctx, workspaceId);
      else if (query !== null) await deleteFound(ctx, { workspaceId }, query, exchange);
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),
];

/** Reads `start` and `limit`. As in Mailpit, a value that is not a number counts as not given. */
function pageOf({ query }: Exchange): { start: number; limit: number } {
  const given = readTexts(['start', 'limit'], query);
  const number = (text: string | undefined) => (/^\+?\d{1,9}$/.test(text ?? '') ? Number(text) : null);
  const limit = number(given['limit']) ?? 50;
  return { start: number(given['start']) ?? 0, limit: limit === 0 ? MOST_LISTED : Math.min(limit, MOST_LISTED) };
}

function requireSearch({ query }: Exchange) {
  const search = (readTexts(['query'], query)['query'] ?? '').trim();
  // An empty variable in a user's script must not delete everything.
  if (search === '') throw refuse('invalid_query', { message: 'Error: no search query', position: 0 });
  return readSearch(search);
}

interface Counts {
  readonly start: number;
  readonly total: number;
  readonly matches: number;
  /** `false` if the search ended before it had read every mail, so that there may be more matches. */
  readonly complete: boolean;
}

async function listOf(ctx: Context, rows: readonly Message[], { start, total, matches, complete }: Counts) {
  const messages = [];
  for (let at = 0; at < rows.length; at += AT_A_TIME)
    messages.push(...(await Promise.all(rows.slice(at, at + AT_A_TIME).map((row) => mailpitSummary(ctx, row)))));
  const there = messages.filter((message) => message !== null);
  return inPieces({
    ...{ total, unread: total, count: there.length, messages_count: matches, messages_unread: matches, start },
    tags: [] as const,
    messages: there,
    ...(complete ? {} : { complete }),
  });
}

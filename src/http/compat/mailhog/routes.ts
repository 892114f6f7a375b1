import { z } from 'zod';
import { clearWorkspace, deleteOfWorkspace } from '../../../actions/clear-workspace.ts';
import { findRows, listMessages, type OffsetPage } from '../../../actions/list-messages.ts';
import { searchMessages } from '../../../actions/search-messages.ts';
import type { Context } from '../../../context.ts';
import { refuse } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import { MOST_CHARACTERS } from '../../../domain/search/parse-query.ts';
import type { SearchQuery } from '../../../domain/search/query.ts';
import { checkTimePassed } from '../../admit.ts';
import type { Download } from '../../answer.ts';
import type { Exchange } from '../../exchange.ts';
import { inPieces } from '../../large-json.ts';
import { readTexts } from '../../query.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../../route.ts';
import { file, nothing, sourceFile } from '../foreign-answer.ts';
import { type Missing, notSupported } from '../not-supported.ts';
import { seededMessage, seededWorkspaceId } from '../seeded.ts';
import { streamedRows } from '../streamed-rows.ts';
import { mailhogMessage } from './message.ts';

// docs/from-mailhog.md: MailHog's API for reading and deleting, over the seeded workspace.

/** The limits that MailHog has for a page. */
const LISTED = 50;
const MOST_LISTED = 250;
const MOST_LISTED_V1 = 1_000;

const FAULTS = 'Failures on purpose are rules of PUT /_mailcap/faults: docs/faults.md.';
const RELAY = 'POST /_mailcap/messages/{id}/release hands a message to --relay.';
const FEED = 'GET /_mailcap/feed is the WebSocket for events: docs/feed.md.';

const MISSING: readonly Missing[] = [
  ['POST', '/api/v1/messages/:id/release', RELAY],
  ['GET', '/api/v1/events', FEED],
  ['GET', '/api/v2/websocket', FEED],
  ['GET', '/api/v2/outgoing-smtp', RELAY],
  ['GET', '/api/v2/jim', FAULTS],
  ['POST', '/api/v2/jim', FAULTS],
  ['PUT', '/api/v2/jim', FAULTS],
  ['DELETE', '/api/v2/jim', FAULTS],
];

export const mailhogRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v2/messages', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { items, total } = await listMessages(ctx, { scope, start, limit, ending: exchange });
      checkTimePassed(exchange);
      return listOf(ctx, items, { start, total });
    },
  }),

  foreignRoute('GET', '/api/v2/search', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const { kind, text } = requireSearch(exchange);
      const page = { scope: { workspaceId: await seededWorkspaceId(ctx) }, start, limit, ending: exchange };
      const { items, total, complete } =
        kind === 'containing' ? await findContaining(ctx, page, text) : await findRows(ctx, page, rowTest(kind, text));
      // A search that the stop of the server cut short is incomplete.
      checkTimePassed(exchange);
      return listOf(ctx, items, { start, total, ...(complete ? {} : { complete }) });
    },
  }),

  foreignRoute('GET', '/api/v1/messages', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { items } = await listMessages(ctx, { scope, start: 0, limit: MOST_LISTED_V1, ending: exchange });
      checkTimePassed(exchange);
      return streamedRows(null, rowsOf(ctx, items));
    },
  }),

  foreignRoute('DELETE', '/api/v1/messages', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx }) => {
      await clearWorkspace(ctx, await seededWorkspaceId(ctx));
      return nothing();
    },
  }),

  foreignRoute('GET', '/api/v1/messages/:id', {
    find: seededMessage,
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, found }) => inPieces(await there(ctx, found)),
  }),

  foreignRoute('DELETE', '/api/v1/messages/:id', {
    find: seededMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) => {
      await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
      return nothing();
    },
  }),

  foreignRoute('GET', '/api/v1/messages/:id/download', {
    find: seededMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) => sourceFile(ctx, found),
  }),

  foreignRoute('GET', '/api/v1/messages/:id/mime/part/:part/download', {
    find: seededMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found, exchange }) => {
      const { MIME } = await there(ctx, found);
      const { part = '' } = exchange.params;
      const content = /^\d{1,4}$/.test(part) ? MIME?.Parts[Number(part)] : undefined;
      if (content === undefined) throw refuse('not_found');
      const header = (name: string) =>
        Object.entries(content.Headers).find(([one]) => one.toLowerCase() === name)?.[1][0] ?? '';
      const isBase64 = header('content-transfer-encoding').trim().toLowerCase() === 'base64';
      return file({
        filename: `${found.id}-part-${part}`,
        contentType: header('content-type'),
        content: Buffer.from(content.Body, isBase64 ? 'base64' : 'utf8'),
      });
    },
  }),

  ...notSupported(MISSING),
];

function pageOf({ query }: Exchange): { start: number; limit: number } {
  const given = readTexts(['start', 'limit'], query);
  const number = (text: string | undefined) => (/^\+?\d{1,9}$/.test(text ?? '') ? Number(text) : 0);
  return { start: number(given['start']), limit: Math.min(number(given['limit']) || LISTED, MOST_LISTED) };
}

const KINDS = ['from', 'to', 'containing'] as const;
type Kind = (typeof KINDS)[number];

function requireSearch({ query }: Exchange): { kind: Kind; text: string } {
  const given = readTexts(['kind', 'query'], query);
  const kind = KINDS.find((one) => one === given['kind']);
  const text = (given['query'] ?? '').replace(/\s+/g, ' ').trim();
  if (kind === undefined)
    throw refuse('invalid_query', { message: 'kind must be from, to or containing.', position: 0 });
  if (text === '' || text.length > MOST_CHARACTERS)
    throw refuse('invalid_query', { message: `query must have 1 to ${MOST_CHARACTERS} characters.`, position: 0 });
  return { kind, text };
}

/** Looks at the header field and at the envelope, as MailHog does. */
function rowTest(kind: 'from' | 'to', text: string): (row: Message) => boolean {
  const part = text.toLowerCase();
  const isIn = (given: string | null) => given?.toLowerCase().includes(part) ?? false;
  return kind === 'from'
    ? ({ from, mailFrom }) => isIn(mailFrom) || isIn(from)
    : ({ to, rcptTo }) => rcptTo.some(isIn) || isIn(to);
}

async function findContaining(ctx: Context, { start, limit, ...page }: OffsetPage, text: string) {
  const query: SearchQuery = [{ kind: 'text', field: null, not: false, text }];
  const { items, total, complete } = await searchMessages(ctx, { ...page, query, limit: start + limit });
  return { items: items.slice(start), total, complete };
}

async function* rowsOf(ctx: Context, messages: readonly Message[]): AsyncGenerator<object, void> {
  for (const message of messages) {
    const row = await mailhogMessage(ctx, message);
    if (row !== null) yield row;
  }
}

function listOf(ctx: Context, messages: readonly Message[], rest: { start: number; total: number }): Download {
  return streamedRows('items', rowsOf(ctx, messages), (count) => ({ ...rest, count }));
}

async function there(ctx: Context, message: Message) {
  const row = await mailhogMessage(ctx, message);
  if (row === null) throw refuse('not_found');
  return row;
}

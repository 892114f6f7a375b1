import { z } from 'zod';
import { clearWorkspace, deleteFound, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { markEach, markFound, renameTag } from '../../actions/mark-messages.ts';
import { readAttachment, readParsed, readWhole } from '../../actions/read-message.ts';
import { countAll, countUnread, type FoundAt, findAt, searchMessages } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { type ApiError, refuse } from '../../domain/errors.ts';
import { attachmentId, type MessageId, parseUlid } from '../../domain/ids.ts';
import { cleanTag, cleanTags, MOST_TAG_CHARACTERS, MOST_TAGS } from '../../domain/marks.ts';
import type { Message } from '../../domain/message.ts';
import type { SearchQuery, Term } from '../../domain/search/query.ts';
import type { Attachment } from '../../ports/mail.ts';
import { shorten } from '../../text/shorten.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { wholePage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { chaosRoutes } from './chaos.ts';
import { upgradeRoute } from './events.ts';
import { checkRoutes } from './mailpit-checks.ts';
import { mailpitSocket } from './mailpit-events.ts';
import { infoRoutes } from './mailpit-info.ts';
import { mailpitMessage, mailpitSummary, mailpitText } from './mailpit-message.ts';
import { messageAsked, namedOrLatest, readSearch } from './mailpit-search.ts';
import { SEND_PATH, sendError, sendRoutes } from './mailpit-send.ts';
import {
  anyCase,
  errorSentence,
  file,
  headerFields,
  markRead,
  nothing,
  pageAt,
  plainStatusOf,
  plainText,
  redirect,
  seededTags,
  seededWorkspaceId,
  source,
  sourceFile,
} from './shared.ts';

// docs/from-mailpit.md: Mailpit's API over the seeded workspace.

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

/** What `PUT /api/v1/messages` marks: the ids, what the search finds, or everything. */
const ReadRequest = anyCase(
  z.looseObject({ read: z.boolean().nullish(), ids: z.array(z.string()).nullish(), search: z.string().nullish() }),
);
const TagsRequest = anyCase(z.looseObject({ tags: z.array(z.string()).nullish(), ids: z.array(z.string()).nullish() }));
const RenameRequest = anyCase(z.looseObject({ name: z.string().nullish() }));

const mailpitMessages = [
  foreignRoute('GET', '/api/v1/messages', async ({ ctx, exchange }) => {
    const { start, limit } = pageOf(exchange);
    const scope = { workspaceId: await seededWorkspaceId(ctx) };
    const { items, total } = await pageAt(ctx, exchange, { scope, start, limit });
    const unread = await countUnread(ctx, scope);
    return listOf(ctx, items, { start, total, unread, matches: total, unreadMatches: unread, complete: true });
  }),

  foreignRoute('PUT', '/api/v1/messages', {
    body: ReadRequest,
    handle: async ({ ctx, body, exchange }) => {
      const read = body.read ?? false;
      const ids = body.ids ?? [];
      const search = body.search ?? '';
      if (ids.length > 0 && search !== '')
        throw refuse('invalid_body', { message: 'You may specify either IDs or a search query, not both' });
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      if (ids.length > 0) await markEach(ctx, idsOf(ids), { read }, { ...scope, cancelSignal: exchange });
      else {
        const others: Term = { kind: 'mark', what: read ? 'unread' : 'read', not: false };
        await markFound(ctx, scope, [...readSearch(search), others], { read }, exchange);
      }
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),

  foreignRoute('DELETE', '/api/v1/messages', {
    body: DeleteRequest,
    bodyIsOptional: true,
    handle: async ({ ctx, body }) => {
      const workspaceId = await seededWorkspaceId(ctx);
      const ids = body.ids && idsOf(body.ids);
      if (ids === undefined) await clearWorkspace(ctx, workspaceId);
      else if (ids.length === 0) throw refuse('invalid_body');
      else await deleteOfWorkspace(ctx, workspaceId, ids);
      // MailHog has the same route and answers without content. Its clients read content as JSON.
      return ctx.config.compat.includes('mailhog') ? nothing() : plainText('ok');
    },
  }),

  foreignRoute('GET', '/api/v1/search', async ({ ctx, exchange }) => {
    const { start, limit } = pageOf(exchange);
    const query = requireSearch(exchange);
    const scope = { workspaceId: await seededWorkspaceId(ctx) };
    const page = { scope, query, start, limit, cancelSignal: exchange };
    const total = await countAll(ctx, scope);
    const unread = await countUnread(ctx, scope);
    const { items, total: matches, complete } = await findAt(ctx, page);
    // A search that the stop of the server cut short is incomplete.
    checkTimePassed(exchange);
    const unreadMatches = await countUnreadMatches(ctx, page, { total, unread, matches });
    return listOf(ctx, items, { start, total, unread, matches, unreadMatches, complete });
  }),

  foreignRoute('DELETE', '/api/v1/search', async ({ ctx, exchange }) => {
    const query = requireSearch(exchange);
    const workspaceId = await seededWorkspaceId(ctx);
    if (query.length === 0) await clearWorkspace(ctx, workspaceId);
    else await deleteFound(ctx, { workspaceId }, query, exchange);
    checkTimePassed(exchange);
    return plainText('ok');
  }),
];

/** Reads `start` and `limit`. A value that is not a number counts as not given, as in Mailpit. */
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

/**
 * Counts the unread messages among the matches of a search. It searches again only if some messages are read and others
 * are not.
 */
async function countUnreadMatches(
  ctx: Context,
  { scope, query, cancelSignal }: FoundAt,
  { total, unread, matches }: { readonly total: number; readonly unread: number; readonly matches: number },
): Promise<number> {
  if (query.length === 0) return unread;
  if (matches === 0 || unread === 0) return 0;
  if (unread === total) return matches;
  const isUnread: Term = { kind: 'mark', what: 'unread', not: false };
  return (await searchMessages(ctx, { scope, query: [...query, isUnread], limit: 1, cancelSignal })).total;
}

function idsOf(texts: readonly string[]): MessageId[] {
  return [...new Set(texts.map((id) => parseUlid<MessageId>(id)).filter((id) => id !== null))];
}

interface Counts {
  readonly start: number;
  readonly total: number;
  readonly unread: number;
  readonly matches: number;
  readonly unreadMatches: number;
  /** `false` if the search ended before it had read every mail, so that there may be more matches. */
  readonly complete: boolean;
}

async function listOf(ctx: Context, rows: readonly Message[], counts: Counts) {
  const { start, total, unread, matches, unreadMatches, complete } = counts;
  const messages = [];
  for (let at = 0; at < rows.length; at += AT_A_TIME)
    messages.push(...(await Promise.all(rows.slice(at, at + AT_A_TIME).map((row) => mailpitSummary(ctx, row)))));
  const there = messages.filter((message) => message !== null);
  return inPieces({
    ...{ total, unread, count: there.length, messages_count: matches, messages_unread: unreadMatches, start },
    tags: (await seededTags(ctx)).list().map(({ name }) => name),
    messages: there,
    ...(complete ? {} : { complete }),
  });
}

export const reads: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/message/:id', async ({ ctx, exchange }) => {
    const message = await messageAsked(ctx, exchange);
    const answer = await mailpitMessage(ctx, message);
    await markRead(ctx, message, exchange);
    return inPieces(answer);
  }),

  foreignRoute('GET', '/api/v1/message/:id/headers', async ({ ctx, exchange }) =>
    headerFields(await readWhole(ctx, await messageAsked(ctx, exchange))),
  ),

  foreignRoute('GET', '/api/v1/message/:id/raw', async ({ ctx, exchange }) => {
    const message = await messageAsked(ctx, exchange);
    return readTexts(['dl'], exchange.query)['dl'] === '1' ? sourceFile(ctx, message) : source(ctx, message);
  }),

  foreignRoute('GET', '/api/v1/message/:id/part/:part', async ({ ctx, exchange }) => {
    const message = await messageAsked(ctx, exchange);
    return file(await partOf(ctx, message, exchange));
  }),

  foreignRoute('GET', '/api/v1/message/:id/part/:part/thumb', async ({ ctx, exchange }) => {
    const { contentType, content, filename } = await partOf(ctx, await messageAsked(ctx, exchange), exchange);
    // A file that is no picture has a white thumbnail, as in Mailpit.
    const picture = /^image\//i.test(contentType) ? content : NO_BYTES;
    const jpeg = (await ctx.parser.thumbnail(picture)) ?? (await ctx.parser.thumbnail(NO_BYTES));
    if (jpeg === null) throw new Error('no thread makes a thumbnail');
    return file({ contentType: 'image/jpeg', filename, content: Buffer.from(jpeg) });
  }),

  // A client of Cypress asks with two slashes, which Mailpit forgives.
  ...['/view/:file', '//view/:file'].map((path) =>
    foreignRoute('GET', path, async ({ ctx, exchange }) => {
      const [, id = '', kind] = /^([a-z0-9]{1,40})(?:\.(html|txt))?$/i.exec(exchange.params['file'] ?? '') ?? [];
      if (id === '') throw refuse('not_found', { message: 'Message not found' });
      const message = await namedOrLatest(ctx, exchange, id, 'Message not found');
      // Without an ending it is the page of the inbox that shows the message, which marks it itself.
      if (kind === undefined) return redirect(`/#/messages/${message.id}`);
      await markRead(ctx, message, exchange);
      const mail = await readParsed(ctx, message);
      if (kind.toLowerCase() === 'txt') return plainText(await mailpitText(mail));
      if (mail.htmlBody === null) throw refuse('not_found', { message: 'This message does not contain a HTML part' });
      return wholePage(ctx, message);
    }),
  ),
];

const NO_BYTES = Buffer.alloc(0);

/** Reads the file that is the part of the path. Throws `not_found`. */
async function partOf(ctx: Context, message: Message, { params }: Exchange): Promise<Attachment> {
  const { attachments } = await readParsed(ctx, message);
  const position = attachments.findIndex(({ part }) => part === params['part']);
  if (position < 0) throw refuse('not_found');
  return readAttachment(ctx, message, attachmentId(message.id, position));
}

// docs/from-mailpit.md: Mailpit's API for reading and deleting, over the seeded workspace.

/** Writes an error as Mailpit does: as plain text, with a status of few. */
export function mailpitError(error: ApiError, path: string) {
  if (path === SEND_PATH) return sendError(error);
  const body = error.code === 'not_found' && error.extra['message'] === undefined ? NOT_FOUND : errorSentence(error);
  return { status: plainStatusOf(error), type: 'text/plain', body };
}

const NOT_FOUND = '404 page not found';

export const mailpitRoutes: readonly Endpoint<Anyone>[] = [
  ...mailpitMessages,
  ...reads,

  foreignRoute('GET', '/api/v1/tags', async ({ ctx }) => (await seededTags(ctx)).list().map(({ name }) => name)),

  foreignRoute('PUT', '/api/v1/tags', {
    body: TagsRequest,
    handle: async ({ ctx, body: { ids, tags }, exchange }) => {
      // A text that is no tag is made one or left out, as in Mailpit.
      const change = { tags: cleanTags(tags ?? []).slice(0, MOST_TAGS) };
      await markEach(ctx, idsOf(ids ?? []), change, {
        workspaceId: await seededWorkspaceId(ctx),
        cancelSignal: exchange,
      });
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),

  foreignRoute('PUT', '/api/v1/tags/:tag', {
    body: RenameRequest,
    handle: async ({ ctx, body, exchange }) => {
      const tags = await seededTags(ctx);
      const { tag = '' } = exchange.params;
      const from = tags.nameOf(tag);
      const to = cleanTag(body.name ?? '');
      const refused = (why: string, name: string) =>
        refuse('invalid_tags', { message: `${why}: ${shorten(name, MOST_TAG_CHARACTERS)}` });
      if (to === null) throw refused('invalid tag name', body.name ?? '');
      if (from === null) throw refused('tag not found', tag);
      const taken = tags.nameOf(to);
      if (taken !== null && taken !== from) throw refused('tag already exists', to);
      if (from !== to) await renameTag(ctx, await seededWorkspaceId(ctx), { from, to }, exchange);
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),

  foreignRoute('DELETE', '/api/v1/tags/:tag', async ({ ctx, exchange }) => {
    const { tag = '' } = exchange.params;
    const name = (await seededTags(ctx)).nameOf(tag);
    if (name === null) throw refuse('invalid_tags', { message: `tag not found: ${shorten(tag, MOST_TAG_CHARACTERS)}` });
    const query: SearchQuery = [{ kind: 'tag', name, not: false }];
    await markFound(ctx, { workspaceId: await seededWorkspaceId(ctx) }, query, { removeTags: [name] }, exchange);
    checkTimePassed(exchange);
    return plainText('ok');
  }),

  upgradeRoute(mailpitSocket.path),
  ...sendRoutes,
  ...checkRoutes,
  ...chaosRoutes,
  ...infoRoutes,
];

import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { clearWorkspace, deleteFound, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { markEach, markFound, renameTag } from '../../actions/mark-messages.ts';
import { readAttachment, readParsed, readRaw } from '../../actions/read-message.ts';
import { renderWhole } from '../../actions/render-message.ts';
import {
  countAll,
  countUnread,
  findPage,
  listMessages,
  type OffsetPage,
  searchMessages,
} from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { attachmentId, type MessageId, parseUlid } from '../../domain/ids.ts';
import { cleanTag, cleanTags, MOST_TAGS } from '../../domain/marks.ts';
import type { Message } from '../../domain/message.ts';
import { MOST_CHARACTERS, MOST_WORDS, parseQuery, type SearchQuery, type Term } from '../../domain/search/query.ts';
import { headerBlock, readFields } from '../../mail/header-block.ts';
import { MARK_WORDS, TEXT_FIELDS } from '../../text/search-words.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { mailPage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { mailpitMessage, mailpitSummary, partPosition } from './mailpit-message.ts';
import {
  anyCase,
  file,
  findSeededMessage,
  markRead,
  nothing,
  notSupported,
  plainText,
  seededTags,
  seededWorkspaceId,
  source,
  type UnsupportedRoute,
} from './shared.ts';

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
  foreignRoute('GET', '/api/v1/messages', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { items, total } = await listMessages(ctx, { scope, start, limit, cancelSignal: exchange });
      checkTimePassed(exchange);
      const unread = await countUnread(ctx, scope);
      return listOf(ctx, items, { start, total, unread, matches: total, unreadMatches: unread, complete: true });
    },
  }),

  foreignRoute('PUT', '/api/v1/messages', {
    body: ReadRequest,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, body, exchange }) => {
      const read = body.read ?? false;
      const ids = body.ids ?? [];
      const search = body.search ?? '';
      if (ids.length > 0 && search !== '') throw refuse('invalid_body');
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
    returns: { 200: 'bytes' },
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

  foreignRoute('GET', '/api/v1/search', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const query = requireSearch(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const page = { scope, start, limit, cancelSignal: exchange };
      const total = await countAll(ctx, scope);
      const unread = await countUnread(ctx, scope);
      if (query.length === 0) {
        const { items } = await listMessages(ctx, page);
        return listOf(ctx, items, { start, total, unread, matches: total, unreadMatches: unread, complete: true });
      }
      const found = await searchMessages(ctx, { scope, query, limit: start + limit, cancelSignal: exchange });
      // A search that the stop of the server cut short is incomplete.
      checkTimePassed(exchange);
      const { complete, total: matches } = found;
      const unreadMatches = await countUnreadMatches(ctx, page, query, { total, unread, matches });
      return listOf(ctx, found.items.slice(start), { start, total, unread, matches, unreadMatches, complete });
    },
  }),

  foreignRoute('DELETE', '/api/v1/search', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const query = requireSearch(exchange);
      const workspaceId = await seededWorkspaceId(ctx);
      if (query.length === 0) await clearWorkspace(ctx, workspaceId);
      else await deleteFound(ctx, { workspaceId }, query, exchange);
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

/**
 * Counts the unread messages among the matches of a search. It searches again only if some messages are read and others
 * are not.
 */
async function countUnreadMatches(
  ctx: Context,
  { scope, cancelSignal }: Pick<OffsetPage, 'scope' | 'cancelSignal'>,
  query: SearchQuery,
  { total, unread, matches }: { readonly total: number; readonly unread: number; readonly matches: number },
): Promise<number> {
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
  foreignRoute('GET', '/api/v1/message/:id', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      const answer = await mailpitMessage(ctx, message);
      await markRead(ctx, message, exchange);
      return inPieces(answer);
    },
  }),

  foreignRoute('GET', '/api/v1/message/:id/headers', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      const chunks: Buffer[] = [];
      for await (const chunk of readRaw(ctx, message)) chunks.push(chunk);
      return headerFields(Buffer.concat(chunks));
    },
  }),

  foreignRoute('GET', '/api/v1/message/:id/raw', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => source(ctx, await asked(ctx, exchange)),
  }),

  foreignRoute('GET', '/api/v1/message/:id/part/:part', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      const position = partPosition(exchange.params['part'] ?? '');
      if (position === null) throw refuse('not_found');
      return file(await readAttachment(ctx, message, attachmentId(message.id, position)));
    },
  }),

  // A client of Cypress asks with two slashes, which Mailpit forgives.
  ...['/view/:file', '//view/:file'].map((path) =>
    foreignRoute('GET', path, {
      returns: { 200: 'bytes' },
      handle: async ({ ctx, exchange }) => {
        const [, id = '', kind] = /^([a-z0-9]{1,40})\.(html|txt)$/i.exec(exchange.params['file'] ?? '') ?? [];
        if (kind === undefined) throw refuse('not_found');
        const message = await namedOrLatest(ctx, exchange, id);
        await markRead(ctx, message, exchange);
        if (kind === 'txt') return plainText((await readParsed(ctx, message)).textBody ?? '');
        if ((await readParsed(ctx, message)).htmlBody === null) throw refuse('not_found');
        return mailPage((await renderWhole(ctx, message)).html, { allowed: {}, parts: '' });
      },
    }),
  ),
];

function asked(ctx: Context, exchange: Exchange): Promise<Message> {
  return namedOrLatest(ctx, exchange, exchange.params['id'] ?? '');
}

// docs/from-mailpit.md: Mailpit's API for reading and deleting, over the seeded workspace.

const FAULTS = 'Failures on purpose are rules of PUT /_mailcap/faults: docs/faults.md.';
const CHECKS = 'GET /_mailcap/messages/{id}/checks checks a message: docs/checks.md.';

const MISSING: readonly UnsupportedRoute[] = [
  ['POST', '/api/v1/send', 'Send by SMTP, or by POST /v1/mailboxes/{id}/send: docs/api.md.'],
  ['POST', '/api/v1/message/:id/release', 'POST /_mailcap/messages/{id}/release hands a message to --relay.'],
  ['GET', '/api/v1/message/:id/part/:part/thumb', 'mailcap creates no thumbnails. Get the part itself.'],
  ['GET', '/api/v1/message/:id/html-check', CHECKS],
  ['GET', '/api/v1/message/:id/link-check', CHECKS],
  ['GET', '/api/v1/message/:id/sa-check', `${CHECKS} With --spamd the answer holds a spam score.`],
  ['GET', '/api/v1/webui', 'mailcap has a web inbox of its own, at /.'],
  ['GET', '/api/v1/chaos', FAULTS],
  ['PUT', '/api/v1/chaos', FAULTS],
  ['GET', '/api/events', 'GET /_mailcap/feed is the WebSocket for events: docs/feed.md.'],
];

export const mailpitRoutes: readonly Endpoint<Anyone>[] = [
  ...mailpitMessages,
  ...reads,

  foreignRoute('GET', '/api/v1/tags', {
    returns: { 200: z.array(z.string()) },
    handle: async ({ ctx }) => (await seededTags(ctx)).list().map(({ name }) => name),
  }),

  foreignRoute('PUT', '/api/v1/tags', {
    body: TagsRequest,
    returns: { 200: 'bytes' },
    fails: ['too_many_tags'],
    handle: async ({ ctx, body: { ids, tags }, exchange }) => {
      // As in Mailpit, a text that is no tag is made one or left out.
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
    returns: { 200: 'bytes' },
    fails: ['invalid_tags'],
    handle: async ({ ctx, body, exchange }) => {
      const tags = await seededTags(ctx);
      const from = tags.nameOf(exchange.params['tag'] ?? '');
      const to = cleanTag(body.name ?? '');
      const isTaken = to !== null && tags.nameOf(to) !== null && tags.nameOf(to) !== from;
      if (from === null || to === null || isTaken) throw refuse('invalid_tags');
      if (from !== to) await renameTag(ctx, await seededWorkspaceId(ctx), { from, to }, exchange);
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),

  foreignRoute('DELETE', '/api/v1/tags/:tag', {
    returns: { 200: 'bytes' },
    fails: ['invalid_tags'],
    handle: async ({ ctx, exchange }) => {
      const name = (await seededTags(ctx)).nameOf(exchange.params['tag'] ?? '');
      if (name === null) throw refuse('invalid_tags');
      const query: SearchQuery = [{ kind: 'tag', name, not: false }];
      await markFound(ctx, { workspaceId: await seededWorkspaceId(ctx) }, query, { removeTags: [name] }, exchange);
      checkTimePassed(exchange);
      return plainText('ok');
    },
  }),

  foreignRoute('GET', '/api/v1/info', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx }) => {
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const [Messages, Unread] = [await countAll(ctx, scope), await countUnread(ctx, scope)];
      const Tags = Object.fromEntries((await seededTags(ctx)).list().map(({ name, count }) => [name, count]));
      const Version = `mailcap ${ctx.runtime.version}`;
      return { Version, LatestVersion: Version, Messages, Unread, Tags };
    },
  }),

  // Compose files and Kubernetes use these paths for the health check of Mailpit.
  ...['/livez', '/readyz'].map((path) =>
    foreignRoute('GET', path, { returns: { 200: 'bytes' }, handle: async () => plainText('ok') }),
  ),

  ...notSupported(MISSING),
];

/** Finds a message by its id, or by `latest`: the newest, or the newest that the search in `query` finds. */
async function namedOrLatest(ctx: Context, exchange: Exchange, id: string): Promise<Message> {
  if (id !== 'latest') return findSeededMessage(ctx, id);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = readSearch(readTexts(['query'], exchange.query)['query'] ?? '');
  const { items } = await findPage(ctx, { scope, query, limit: 1, cancelSignal: exchange });
  checkTimePassed(exchange);
  const [message] = items;
  if (message === undefined) throw refuse('not_found');
  return message;
}

// Mailpit has the same search words as mailcap, but parses them less strictly. A quote may be anywhere and stay open. A
// word with nothing after its colon is no condition. A word with an unknown name before its colon is text.

/** Reads a search. Throws `invalid_query`. */
export function readSearch(search: string): SearchQuery {
  if (search.length > MOST_CHARACTERS) throw tooLong(`The query is longer than ${MOST_CHARACTERS} characters.`);
  const words = wordsOf(search);
  if (words.length > MOST_WORDS) throw tooLong(`The query has more than ${MOST_WORDS} words.`);
  const terms: Term[] = [];
  for (const word of words) {
    const term = termOf(word);
    if (term !== 'all') terms.push(term);
  }
  return terms;
}

function tooLong(message: string): Error {
  return refuse('invalid_query', { message, position: MOST_CHARACTERS });
}

/** Splits at spaces outside quotes, and drops the quotes. */
function wordsOf(search: string): string[] {
  const words = search.match(/(?:"[^"]*"?|[^" ])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', '').replace(/\s+/g, ' ').trim()).filter((word) => word !== '');
}

const FIELD = new RegExp(`^(${TEXT_FIELDS.filter((field) => field !== 'body').join('|')}):(.*)$`, 'is');
const OTHER = /^(?:has|after|before|larger|smaller):(.*)$/is;
function termOf(word: string): Term | 'all' {
  const not = word.length > 1 && /^[-!]/.test(word);
  const bare = not ? word.slice(1) : word;
  const [, state] = /^is:(read|unread|tagged)$/i.exec(bare) ?? [];
  const mark = MARK_WORDS.find((one) => one === state?.toLowerCase());
  if (mark !== undefined) return { kind: 'mark', what: mark, not };
  if (/^tag:/i.test(bare)) return tagTerm(bare.slice('tag:'.length), not);
  const [, field, value = ''] = FIELD.exec(bare) ?? [];
  const name = TEXT_FIELDS.find((one) => one === field?.toLowerCase());
  if (name !== undefined) return textTerm(name, value, not);
  const [, other] = OTHER.exec(bare) ?? [];
  if (other === undefined || (/^has:/i.test(bare) && !/^has:(?:attachment|inline)s?$/i.test(bare)))
    return textTerm(null, bare, not);
  if (other.trim() === '') return 'all';
  // The value may hold a space, which only quotes keep in one word. A backslash would escape a quote.
  const [term] = parseQuery(`${bare.slice(0, bare.indexOf(':') + 1)}"${other.replaceAll('\\', '').trim()}"`);
  return term === undefined ? 'all' : { ...term, not };
}

function tagTerm(value: string, not: boolean): Term | 'all' {
  if (value.trim() === '') return 'all';
  // No message has a tag of any other text.
  return { kind: 'tag', name: cleanTag(value) ?? value, not };
}

/** Mailpit compares without these characters, on both sides. */
const IGNORED = /[<>,;()\s\ufeff]+/g;

function textTerm(field: (typeof TEXT_FIELDS)[number] | null, value: string, not: boolean): Term | 'all' {
  const text = (field === 'subject' ? value : value.replace(IGNORED, ' ')).trim();
  return text === '' ? 'all' : { kind: 'text', field, not, text };
}

/**
 * Lists the header fields of a mail as Go writes them: `Message-Id`, with every value still encoded, on one line. The
 * object has no prototype, because a sender chooses the names.
 */
function headerFields(raw: Buffer): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const { name, value } of readFields(headerBlock(raw).block, null).fields) {
    const text = (isUtf8(value) ? value.toString() : value.toString('latin1')).replace(/\r?\n[ \t]*/g, ' ').trim();
    const key = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    const values = fields[key];
    if (values === undefined) fields[key] = [text];
    else values.push(text);
  }
  return fields;
}

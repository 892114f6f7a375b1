import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { clearWorkspace, deleteFound, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { readAttachment, readParsed, readRaw } from '../../actions/read-message.ts';
import { renderWhole } from '../../actions/render-message.ts';
import { countAll, listMessages, searchMessages } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { attachmentId, type MessageId, parseUlid } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { MOST_CHARACTERS, MOST_WORDS, parseQuery, type SearchQuery, type Term } from '../../domain/search/query.ts';
import { headerBlock, readFields } from '../../mail/header-block.ts';
import { TEXT_FIELDS } from '../../text/search-words.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { mailPage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { mailpitMessage, mailpitSummary, partPosition } from './mailpit-message.ts';
import {
  anyCase,
  file,
  findSeededMessage,
  nothing,
  notSupported,
  plainText,
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

const mailpitMessages = [
  foreignRoute('GET', '/api/v1/messages', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => {
      const { start, limit } = pageOf(exchange);
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { items, total } = await listMessages(ctx, { scope, start, limit, cancelSignal: exchange });
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
      const page = { scope, start, limit, cancelSignal: exchange };
      const total = await countAll(ctx, scope);
      if (query === null) return listOf(ctx, [], { start, total, matches: 0, complete: true });
      if (query.length === 0) {
        const { items } = await listMessages(ctx, page);
        return listOf(ctx, items, { start, total, matches: total, complete: true });
      }
      const found = await searchMessages(ctx, { scope, query, limit: start + limit, cancelSignal: exchange });
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

export const reads: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/message/:id', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx, exchange }) => inPieces(await mailpitMessage(ctx, await asked(ctx, exchange))),
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

const NO_MARKS = 'mailcap does not store whether a message was read: every message counts as unread.';
const NO_TAGS = 'mailcap has no tags. A mailbox for each test keeps messages apart: docs/playwright.md.';
const FAULTS = 'Failures on purpose are rules of PUT /_mailcap/faults: docs/faults.md.';
const CHECKS = 'GET /_mailcap/messages/{id}/checks checks a message: docs/checks.md.';

const MISSING: readonly UnsupportedRoute[] = [
  ['PUT', '/api/v1/messages', NO_MARKS],
  ['POST', '/api/v1/send', 'Send by SMTP, or by POST /v1/mailboxes/{id}/send: docs/api.md.'],
  ['PUT', '/api/v1/tags', NO_TAGS],
  ['PUT', '/api/v1/tags/:tag', NO_TAGS],
  ['DELETE', '/api/v1/tags/:tag', NO_TAGS],
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
    handle: async () => [],
  }),

  foreignRoute('GET', '/api/v1/info', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx }) => {
      const total = await countAll(ctx, { workspaceId: await seededWorkspaceId(ctx) });
      const Version = `mailcap ${ctx.runtime.version}`;
      return { Version, LatestVersion: Version, Messages: total, Unread: total, Tags: {} };
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
  const page = { scope, start: 0, limit: 1, cancelSignal: exchange };
  const found =
    query === null || query.length === 0
      ? query && (await listMessages(ctx, page)).items
      : (await searchMessages(ctx, { ...page, query })).items;
  checkTimePassed(exchange);
  const message = found?.[0];
  if (message === undefined) throw refuse('not_found');
  return message;
}

// Mailpit has the same search words as mailcap, but parses them less strictly. A quote may be anywhere and stay open. A
// word with nothing after its colon is no condition. A word with an unknown name before its colon is text.

/** Reads a search. Null means that no message can match. Throws `invalid_query`. */
export function readSearch(search: string): SearchQuery | null {
  if (search.length > MOST_CHARACTERS) throw tooLong(`The query is longer than ${MOST_CHARACTERS} characters.`);
  const words = wordsOf(search);
  if (words.length > MOST_WORDS) throw tooLong(`The query has more than ${MOST_WORDS} words.`);
  const terms: Term[] = [];
  for (const word of words) {
    const term = termOf(word);
    if (term === 'none') return null;
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
/** The conditions on marks. No message is ever read or tagged, so each holds for all of them or for none. */
const MARKS: ReadonlyMap<string, boolean> = new Map([
  ['is:read', false],
  ['is:unread', true],
  ['is:tagged', false],
]);

function termOf(word: string): Term | 'all' | 'none' {
  const not = word.length > 1 && /^[-!]/.test(word);
  const bare = not ? word.slice(1) : word;
  const mark = /^tag:./i.test(bare) ? false : MARKS.get(bare.toLowerCase());
  if (mark !== undefined) return mark === not ? 'none' : 'all';
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

import { parse } from 'node:querystring';
import { z } from 'zod';
import { clearWorkspace, deleteOfWorkspace } from '../../../actions/clear-workspace.ts';
import { listMessages } from '../../../actions/list-messages.ts';
import { readAttachment, readParsed } from '../../../actions/read-message.ts';
import { renderWhole } from '../../../actions/render-message.ts';
import type { Context } from '../../../context.ts';
import { attachmentId } from '../../../domain/attachment-id.ts';
import { refuse } from '../../../domain/errors.ts';
import { type MessageId, parseUlid } from '../../../domain/ids.ts';
import type { Message } from '../../../domain/message.ts';
import { checkTimePassed } from '../../admit.ts';
import type { Download } from '../../answer.ts';
import type { Exchange } from '../../exchange.ts';
import { inPieces } from '../../large-json.ts';
import { mailPage } from '../../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../../route.ts';
import { anyCase } from '../any-case.ts';
import { file, source, sourceFile } from '../foreign-answer.ts';
import { type Missing, notSupported } from '../not-supported.ts';
import { seededMessage, seededWorkspaceId } from '../seeded.ts';
import { streamedRows } from '../streamed-rows.ts';
import { emailOf, generatedName, maildevSummary } from './email.ts';
import { type MaildevFilter, matchesFilters } from './matches-filter.ts';

// docs/from-maildev.md: MailDev's API for reading and deleting, over the seeded workspace. Version 3 moved it from
// /email to /api/email.

/** The most emails on one page. MailDev returns all of them if no limit is given. */
const MOST_LISTED = 1_000;
/** The limits that MailDev has for a page of summaries. */
const SUMMARIES = 50;
const MOST_SUMMARIES = 200;
/** The most ids in one bulk delete. */
const MOST_DELETED = 10_000;

const DeleteRequest = anyCase(z.object({ ids: z.array(z.string().trim().min(1)).max(MOST_DELETED) }));

const RELAY = 'POST /_mailcap/messages/{id}/release hands a message to --relay.';

function missing(root: string): readonly Missing[] {
  return [
    [
      'PATCH',
      `${root}/email/read-all`,
      'mailcap does not store whether a message was read: every message counts as unread.',
    ],
    ['POST', `${root}/email/:id/relay`, RELAY],
    ['POST', `${root}/email/:id/relay/:relayTo`, RELAY],
    ['GET', `${root}/reloadMailsFromDirectory`, 'mailcap import reads mail from a directory: docs/cli.md.'],
  ];
}

export const maildevRoutes: readonly Endpoint<Anyone>[] = ['', '/api'].flatMap(routesUnder);

function routesUnder(root: string): readonly Endpoint<Anyone>[] {
  return [
    foreignRoute('GET', `${root}/email`, {
      returns: { 200: 'bytes' },
      handle: async ({ ctx, exchange }) => listEmails(ctx, exchange),
    }),

    foreignRoute('GET', `${root}/email/summary`, {
      returns: { 200: z.object({}).loose() },
      handle: async ({ ctx, exchange }) => listSummaries(ctx, exchange),
    }),

    foreignRoute('DELETE', `${root}/email/all`, {
      returns: { 200: z.boolean() },
      handle: async ({ ctx }) => {
        await clearWorkspace(ctx, await seededWorkspaceId(ctx));
        return true;
      },
    }),

    foreignRoute('POST', `${root}/email/delete`, {
      body: DeleteRequest,
      returns: { 200: z.object({}).loose() },
      handle: async ({ ctx, body }) => {
        const given = [...new Set(body.ids)];
        const ids = given.map((id) => parseUlid<MessageId>(id)).filter((id) => id !== null);
        const deleted = await deleteOfWorkspace(ctx, await seededWorkspaceId(ctx), ids);
        const isDeleted = (id: string) => deleted.has(parseUlid<MessageId>(id) ?? ('' as MessageId)); // '' is never an id.
        return { deleted: given.filter(isDeleted), notFound: given.filter((id) => !isDeleted(id)) };
      },
    }),

    foreignRoute('GET', `${root}/email/:id`, {
      find: seededMessage,
      returns: { 200: z.object({}).loose() },
      handle: async ({ ctx, found }) => {
        const email = await emailOf(ctx, found);
        if (email === null) throw refuse('not_found');
        return inPieces(email);
      },
    }),

    foreignRoute('DELETE', `${root}/email/:id`, {
      find: seededMessage,
      returns: { 200: z.boolean() },
      handle: async ({ ctx, found }) => {
        await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
        return true;
      },
    }),

    foreignRoute('GET', `${root}/email/:id/html`, {
      find: seededMessage,
      returns: { 200: 'bytes' },
      handle: async ({ ctx, found }) => {
        if ((await readParsed(ctx, found)).htmlBody === null) throw refuse('not_found');
        return mailPage((await renderWhole(ctx, found)).html, { allowed: {}, parts: '' });
      },
    }),

    foreignRoute('GET', `${root}/email/:id/source`, {
      find: seededMessage,
      returns: { 200: 'bytes' },
      handle: async ({ ctx, found }) => source(ctx, found),
    }),

    foreignRoute('GET', `${root}/email/:id/download`, {
      find: seededMessage,
      returns: { 200: 'bytes' },
      handle: async ({ ctx, found }) => sourceFile(ctx, found),
    }),

    foreignRoute('GET', `${root}/email/:id/attachment/:filename`, {
      find: seededMessage,
      returns: { 200: 'bytes' },
      handle: async ({ ctx, found, exchange }) => readFile(ctx, found, exchange.params['filename'] ?? ''),
    }),

    foreignRoute('GET', `${root}/healthz`, { returns: { 200: z.boolean() }, handle: async () => true }),

    ...notSupported(missing(root)),
  ];
}

async function listEmails(ctx: Context, exchange: Exchange): Promise<Download> {
  const { skip, limit = MOST_LISTED, sort, filters } = readList(exchange);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const listed = { scope, start: 0, limit: MOST_LISTED, ending: exchange };
  const { items } = await listMessages(ctx, listed);
  checkTimePassed(exchange);
  // The oldest comes first by default.
  const ordered = sort === 'desc' ? items : items.toReversed();
  return streamedRows(null, emailsOf(ctx, ordered, { skip, limit, filters }));
}

async function* emailsOf(
  ctx: Context,
  messages: readonly Message[],
  { skip, limit, filters }: { skip: number; limit: number; filters: readonly MaildevFilter[] },
): AsyncGenerator<object, void> {
  let left = skip;
  let given = 0;
  for (const message of messages) {
    if (given === limit) return;
    if (filters.length === 0 && left > 0) {
      left--;
      continue;
    }
    const email = await emailOf(ctx, message);
    if (email === null || !matchesFilters(email, filters)) continue;
    if (left > 0) left--;
    else {
      given++;
      yield email;
    }
  }
}

async function listSummaries(ctx: Context, exchange: Exchange) {
  const { skip, limit = SUMMARIES, sort } = readList(exchange);
  const many = Math.min(limit || SUMMARIES, MOST_SUMMARIES);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const page = { scope, start: skip, limit: many, ending: exchange };
  const { items, total } = sort === 'asc' ? await oldestFirst(ctx, page) : await listMessages(ctx, page);
  checkTimePassed(exchange);
  const emails = await Promise.all(items.map((message) => emailOf(ctx, message)));
  const there = emails.filter((email) => email !== null).map(maildevSummary);
  return inPieces({ items: there, total, storeTotal: total, unread: total, skip, limit: many });
}

async function oldestFirst(ctx: Context, page: Parameters<typeof listMessages>[1]) {
  const { total } = await listMessages(ctx, { ...page, start: 0, limit: 0 });
  const end = Math.max(0, total - page.start);
  const start = Math.max(0, end - page.limit);
  const { items } = await listMessages(ctx, { ...page, start, limit: end - start });
  return { items: items.toReversed(), total };
}

const OWN: ReadonlySet<string> = new Set(['skip', 'limit', 'sort', 'search', 'unread']);
const MAX_PAIRS = 20;

function readList({ query }: Exchange) {
  const given = parse(query, '&', '=', { maxKeys: MAX_PAIRS });
  const texts = Object.entries(given).map(([name, value]): [string, string] => [
    name,
    (Array.isArray(value) ? value.at(-1) : value) ?? '',
  ]);
  const all = new Map(texts);
  const number = (name: string) => (/^\d{1,9}$/.test(all.get(name) ?? '') ? Number(all.get(name)) : undefined);
  const filters = texts.filter(([name]) => !OWN.has(name));
  return { skip: number('skip') ?? 0, limit: number('limit'), sort: all.get('sort') ?? '', filters };
}

/** Finds a file by the name that MailDev generates, or by its own name, which MailDev 1 used. */
async function readFile(ctx: Context, message: Message, name: string): Promise<Download> {
  const { attachments } = await readParsed(ctx, message);
  const byName = [generatedName, ({ filename }: (typeof attachments)[number]) => filename]
    .map((nameOf) => attachments.findIndex((file) => nameOf(file) === name))
    .find((at) => at >= 0);
  if (byName === undefined) throw refuse('not_found');
  return file(await readAttachment(ctx, message, attachmentId(message.id, byName)));
}

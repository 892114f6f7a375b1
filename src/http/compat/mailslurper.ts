import { z } from 'zod';
import { clearWorkspace, deleteFound } from '../../actions/delete-messages.ts';
import { readAttachment, readParsed, unlessGone } from '../../actions/read-message.ts';
import { renderWhole } from '../../actions/render-message.ts';
import { countAll, findAt, findOldestAt } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { type ApiError, refuse } from '../../domain/errors.ts';
import { attachmentId, type MessageId, ulidOfUuid, uuidOf } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { MOST_CHARACTERS, type SearchQuery, type Term } from '../../domain/search/query.ts';
import { DAY_MS, parseTime } from '../../domain/time.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { mailPage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import {
  anyCase,
  errorSentence,
  file,
  findSeededMessage,
  plainStatusOf,
  plainText,
  seededWorkspaceId,
  source,
} from './shared.ts';

// docs/from-others.md: MailSlurper's API over the seeded workspace. Its ids are UUIDs.

const PAGE = 50;

/** Writes an error as a sentence, as MailSlurper does. */
export function mailslurperError(error: ApiError) {
  return { status: plainStatusOf(error), type: 'text/plain; charset=UTF-8', body: errorSentence(error) };
}

/** The choices of what to delete, and the age in days of what each means. Null means all. */
const PRUNE = {
  '60plus': { days: 60, about: 'Older than 60 days' },
  '30plus': { days: 30, about: 'Older than 30 days' },
  '2wksplus': { days: 14, about: 'Older than 2 weeks' },
  all: { days: null, about: 'All emails' },
} as const;
type PruneCode = keyof typeof PRUNE;
const PRUNE_CODES = Object.keys(PRUNE) as readonly PruneCode[];

const PruneRequest = anyCase(z.looseObject({ prunecode: z.string().nullish() }));

export const mailslurperRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/mail', {
    handle: async ({ ctx, exchange }) => listMail(ctx, exchange),
  }),

  foreignRoute('DELETE', '/mail', {
    body: PruneRequest,
    handle: async ({ ctx, body, exchange }) => {
      const code = PRUNE_CODES.find((one) => one === body.prunecode);
      if (code === undefined) throw refuse('invalid_body', { message: 'Invalid prune type' });
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { days } = PRUNE[code];
      if (days === null) {
        const count = await countAll(ctx, scope);
        await clearWorkspace(ctx, scope.workspaceId);
        return plainText(String(count));
      }
      const before: Term = { kind: 'before', time: ctx.clock.now() - days * DAY_MS, not: false };
      return plainText(String(await deleteFound(ctx, scope, [before], exchange)));
    },
  }),

  foreignRoute('GET', '/mailcount', {
    handle: async ({ ctx }) => ({ mailCount: await countAll(ctx, { workspaceId: await seededWorkspaceId(ctx) }) }),
  }),

  foreignRoute('GET', '/pruneoptions', {
    handle: async () => PRUNE_CODES.map((pruneCode) => ({ pruneCode, description: PRUNE[pruneCode].about })),
  }),

  foreignRoute('GET', '/mail/:id', {
    handle: async ({ ctx, exchange }) => {
      const item = await itemOf(ctx, await asked(ctx, exchange));
      if (item === null) throw refuse('not_found');
      return inPieces(item);
    },
  }),

  foreignRoute('GET', '/mail/:id/message', {
    handle: async ({ ctx, exchange }) =>
      mailPage((await renderWhole(ctx, await asked(ctx, exchange))).html, { allowed: {}, parts: '' }),
  }),

  foreignRoute('GET', '/mail/:id/messageraw', {
    handle: async ({ ctx, exchange }) => source(ctx, await asked(ctx, exchange)),
  }),

  foreignRoute('GET', '/mail/:id/attachment/:attachmentId', {
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      const id = ulidOfUuid(exchange.params['attachmentId'] ?? '');
      if (id === null) throw refuse('not_found');
      return file(await readAttachment(ctx, message, id));
    },
  }),
];

/** Finds a message by its UUID, or by our own id. */
function asked(ctx: Context, { params }: Exchange): Promise<Message> {
  const { id = '' } = params;
  return findSeededMessage(ctx, ulidOfUuid<MessageId>(id) ?? id);
}

async function listMail(ctx: Context, exchange: Exchange) {
  const names = ['pageNumber', 'message', 'from', 'to', 'start', 'end', 'orderby', 'dir'];
  const given = readTexts(names, exchange.query);
  const pageNumber = given['pageNumber'] ?? '1';
  if (!/^[1-9]\d{0,6}$/.test(pageNumber)) throw refuse('invalid_page', { message: 'A valid page number is required' });
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = queryOf(given);
  const isOldestFirst = /^asc/i.test(given['dir'] ?? '') && /^datesent$/i.test(given['orderby'] ?? 'dateSent');
  const start = (Number(pageNumber) - 1) * PAGE;
  const page = { scope, query, start, limit: PAGE, cancelSignal: exchange };
  const { items, total } = await (isOldestFirst ? findOldestAt : findAt)(ctx, page);
  checkTimePassed(exchange);
  const all = await Promise.all(items.map((message) => itemOf(ctx, message)));
  return inPieces({
    mailItems: all.filter((item) => item !== null),
    totalPages: Math.ceil(total / PAGE),
    totalRecords: total,
  });
}

/** Reads the conditions of a list. A text that is no date is no condition. */
function queryOf(given: Readonly<Record<string, string>>): SearchQuery {
  const terms: Term[] = [];
  for (const [name, field] of [
    ['message', null],
    ['from', 'from'],
    ['to', 'recipient'],
  ] as const) {
    const text = (given[name] ?? '').replace(/\s+/g, ' ').trim();
    if (text.length > MOST_CHARACTERS) throw refuse('invalid_query', { message: `${name} is too long.`, position: 0 });
    if (text !== '') terms.push({ kind: 'text', field, not: false, text });
  }
  const [start, end] = [parseTime(given['start'] ?? ''), parseTime(given['end'] ?? '')];
  if (start !== null) terms.push({ kind: 'after', time: start, not: false });
  if (end !== null) terms.push({ kind: 'before', time: end + DAY_MS, not: false });
  return terms;
}

function itemOf(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const text = (name: string) => fieldOf(mail, name);
    return {
      id: uuidOf(message.id),
      dateSent: new Date(message.receivedAt).toISOString().slice(0, 19).replace('T', ' '),
      fromAddress: message.mailFrom,
      toAddresses: message.rcptTo,
      subject: mail.subject ?? '',
      xmailer: text('x-mailer'),
      mimeVersion: text('mime-version'),
      body: mail.htmlBody ?? mail.textBody ?? '',
      contentType: text('content-type'),
      boundary: '',
      attachments: mail.attachments.map((one, position) => ({
        id: uuidOf(attachmentId(message.id, position)),
        mailId: uuidOf(message.id),
        headers: {
          contentType: mediaTypeOr(one.contentType, 'application/octet-stream'),
          ...{ mimeVersion: '', contentTransferEncoding: '' },
          contentDisposition: one.isInline ? 'inline' : 'attachment',
          fileName: one.filename ?? '',
          body: '',
          Logger: null,
        },
        contents: '',
      })),
      transferEncoding: text('content-transfer-encoding'),
      Message: null,
      InlineAttachments: null,
      TextBody: mail.textBody ?? '',
      HTMLBody: mail.htmlBody ?? '',
    };
  });
}

function fieldOf({ headers }: ParsedMail, name: string): string {
  const value = headers[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

import { z } from 'zod';
import { clearWorkspace, deleteFound } from '../../actions/delete-messages.ts';
import { readAttachment, readParsed, unlessGone } from '../../actions/read-message.ts';
import { countAll } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { refuse, there } from '../../domain/errors.ts';
import { attachmentId, ulidOfUuid, uuidOf } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { SearchQuery, Term } from '../../domain/search/query.ts';
import { DAY_MS, parseTime } from '../../domain/time.ts';
import type { Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { wholePage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import {
  anyCase,
  file,
  headerOf,
  pageAt,
  plainText,
  seededWorkspaceId,
  sentencesAs,
  source,
  textQuery,
  uuidRoute,
} from './shared.ts';

// docs/from-others.md: MailSlurper's API over the seeded workspace. Its ids are UUIDs.

const PAGE = 50;

/** Writes an error as a sentence, as MailSlurper does. */
export const mailslurperError = sentencesAs('text/plain; charset=UTF-8');

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
  foreignRoute('GET', '/mail', async ({ ctx, exchange }) => listMail(ctx, exchange)),

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

  foreignRoute('GET', '/mailcount', async ({ ctx }) => ({
    mailCount: await countAll(ctx, { workspaceId: await seededWorkspaceId(ctx) }),
  })),

  foreignRoute('GET', '/pruneoptions', async () =>
    PRUNE_CODES.map((pruneCode) => ({ pruneCode, description: PRUNE[pruneCode].about })),
  ),

  uuidRoute('GET', '/mail/:id', async ({ ctx, found }) => inPieces(there(await itemOf(ctx, found)))),

  uuidRoute('GET', '/mail/:id/message', async ({ ctx, found }) => wholePage(ctx, found)),

  uuidRoute('GET', '/mail/:id/messageraw', async ({ ctx, found }) => source(ctx, found)),

  uuidRoute('GET', '/mail/:id/attachment/:attachmentId', async ({ ctx, found, exchange }) =>
    file(await readAttachment(ctx, found, there(ulidOfUuid(exchange.params['attachmentId'] ?? '')))),
  ),
];

async function listMail(ctx: Context, exchange: Exchange) {
  const names = ['pageNumber', 'message', 'from', 'to', 'start', 'end', 'orderby', 'dir'];
  const given = readTexts(names, exchange.query);
  const pageNumber = given['pageNumber'] ?? '1';
  if (!/^[1-9]\d{0,6}$/.test(pageNumber)) throw refuse('invalid_page', { message: 'A valid page number is required' });
  const isOldestFirst = /^asc/i.test(given['dir'] ?? '') && /^datesent$/i.test(given['orderby'] ?? 'dateSent');
  const start = (Number(pageNumber) - 1) * PAGE;
  const page = { query: queryOf(given), start, limit: PAGE, isOldestFirst };
  const { items, total } = await pageAt(ctx, exchange, page);
  const all = await Promise.all(items.map((message) => itemOf(ctx, message)));
  return inPieces({
    mailItems: all.filter((item) => item !== null),
    totalPages: Math.ceil(total / PAGE),
    totalRecords: total,
  });
}

/** Reads the conditions of a list. A text that is no date is no condition. */
function queryOf(given: Readonly<Record<string, string>>): SearchQuery {
  const textOf = (name: string) => (given[name] ?? '').replace(/\s+/g, ' ').trim();
  const terms = [
    ...textQuery('message', null, textOf('message')),
    ...textQuery('from', 'from', textOf('from')),
    ...textQuery('to', 'recipient', textOf('to')),
  ];
  const [start, end] = [parseTime(given['start'] ?? ''), parseTime(given['end'] ?? '')];
  if (start !== null) terms.push({ kind: 'after', time: start, not: false });
  if (end !== null) terms.push({ kind: 'before', time: end + DAY_MS, not: false });
  return terms;
}

function itemOf(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const text = (name: string) => headerOf(mail, name);
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

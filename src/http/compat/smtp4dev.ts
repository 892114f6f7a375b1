import { z } from 'zod';
import { clearMailbox, clearWorkspace, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { markEach, markFound } from '../../actions/mark-messages.ts';
import { readFacts, readParsed, readWhole } from '../../actions/read-message.ts';
import { putMessage } from '../../actions/receive-message.ts';
import type { Scope } from '../../actions/search-messages.ts';
import { releaseMessage } from '../../actions/sends.ts';
import type { Context } from '../../context.ts';
import { attachmentDisposition, mediaTypeOr } from '../../domain/content.ts';
import { refuse, there } from '../../domain/errors.ts';
import { type MessageId, ulidOfUuid, uuidOf } from '../../domain/ids.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import type { Message } from '../../domain/message.ts';
import { bccOf } from '../../domain/parsed-mail.ts';
import { headerBlock, readFields } from '../../mail/header-block.ts';
import { decodeHeader, WordBudget } from '../../mail/header-text.ts';
import { mailboxesIn } from '../../mail/mailboxes-in.ts';
import { type MimeTreePart, readMimeTree } from '../../mail/mime-tree.ts';
import { type PartHead, type PartPlace, ROOT, readPart } from '../../mail/part.ts';
import { messageStream } from '../body.ts';
import { Download, type Exchange, HARMLESS } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { wholePage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import {
  anyCase,
  messageOfUuid,
  nothing,
  pageAt,
  plainText,
  seededWorkspaceId,
  sentencesAs,
  sourceFile,
  textQuery,
  UNREAD,
  uuidRoute,
} from './shared.ts';

// docs/from-others.md: smtp4dev's API over the seeded workspace. Its ids are UUIDs, and its mailbox `Default` is all
// mailboxes of the workspace.

const DEFAULT = 'Default';
const PAGE = 5;
const NEW = 50;
const MOST_LISTED = 1_000;

/** Writes an error as a sentence. */
export const smtp4devError = sentencesAs('text/plain; charset=utf-8');

const RelayRequest = anyCase(z.looseObject({ overriderecipientaddresses: z.array(z.string()).nullish() }));

/** Its server is written for .NET, which reads paths in any case, and clients write both of these. */
export const smtp4devRoutes: readonly Endpoint<Anyone>[] = [
  ...['/api/messages', '/api/Messages'].flatMap(routesUnder),
  ...['/api/mailboxes', '/api/Mailboxes'].map((path) =>
    foreignRoute('GET', path, async ({ ctx }) => {
      const mailboxes = await ctx.store.read.mailboxes.list(await seededWorkspaceId(ctx));
      return [{ name: DEFAULT }, ...mailboxes.map(({ name }) => ({ name }))];
    }),
  ),
];

function routesUnder(root: string): readonly Endpoint<Anyone>[] {
  return [
    foreignRoute('GET', root, async ({ ctx, exchange }) => listPage(ctx, exchange)),

    foreignRoute('PUT', root, async ({ ctx, exchange }) => {
      const mailbox = (await mailboxAsked(ctx, exchange)) ?? (await ctx.store.read.mailboxes.inbox());
      if (mailbox === null) throw refuse('starting');
      const raw = messageStream(exchange, ctx.config.smtpSize);
      const { id } = await putMessage(ctx, mailbox, { raw, ...exchange.client });
      return uuidOf(id);
    }),

    foreignRoute('GET', `${root}/new`, async ({ ctx, exchange }) => {
      const given = readTexts(['lastSeenMessageId', 'pageSize'], exchange.query);
      const last = ulidOfUuid<MessageId>(given['lastSeenMessageId'] ?? '');
      const limit = countOf(given['pageSize'], NEW);
      const { items } = await pageAt(ctx, exchange, { scope: await scopeOf(ctx, exchange), start: 0, limit });
      return items.filter(({ id }) => last === null || id > last).map(summaryOf);
    }),

    foreignRoute('POST', `${root}/markAllRead`, async ({ ctx, exchange }) => {
      await markFound(ctx, await scopeOf(ctx, exchange), [UNREAD], { read: true }, exchange);
      return nothing();
    }),

    foreignRoute('GET', `${root}/folders`, async () => ['INBOX']),

    uuidRoute('GET', `${root}/:id`, async ({ ctx, found }) => inPieces(await detailsOf(ctx, found))),

    foreignRoute('DELETE', `${root}/:id`, {
      resolve: async (call) => (call.params['id'] === '*' ? null : messageOfUuid(call)),
      handle: async ({ ctx, found, exchange }) => {
        if (found === null) await clear(ctx, exchange);
        else await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
        return nothing();
      },
    }),

    uuidRoute('POST', `${root}/:id/markRead`, async ({ ctx, found, exchange }) => {
      await markEach(ctx, [found.id], { read: true }, { cancelSignal: exchange });
      return nothing();
    }),

    uuidRoute('GET', `${root}/:id/download`, async ({ ctx, found }) => sourceFile(ctx, found)),

    uuidRoute('GET', `${root}/:id/raw`, async ({ ctx, found }) => plainText((await readWhole(ctx, found)).toString())),

    uuidRoute('GET', `${root}/:id/source`, async ({ ctx, found }) => {
      const { htmlBody, textBody } = await readParsed(ctx, found);
      return plainText(htmlBody ?? textBody ?? '');
    }),

    uuidRoute('GET', `${root}/:id/plaintext`, async ({ ctx, found }) => {
      const { textBody } = await readParsed(ctx, found);
      if (textBody === null) throw refuse('not_found', { message: 'MIME message does not have a plain text body' });
      return plainText(textBody);
    }),

    uuidRoute('GET', `${root}/:id/html`, async ({ ctx, found }) => {
      const { htmlBody } = await readParsed(ctx, found);
      if (htmlBody === null) throw refuse('not_found', { message: 'Message does not have a HTML body' });
      return wholePage(ctx, found);
    }),

    foreignRoute('GET', `${root}/:id/part/:part/content`, {
      resolve: partAsked,
      handle: async ({ found: part, exchange }) => {
        const isSaved = readTexts(['download'], exchange.query)['download'] === 'true';
        const content = decodedBody(part);
        const headers = {
          ...HARMLESS,
          'Content-Type': mediaTypeOr(part.head.type, 'application/octet-stream'),
          ...(isSaved && { 'Content-Disposition': attachmentDisposition(part.head.filename()) }),
        };
        return Download.of(content, headers);
      },
    }),

    foreignRoute('GET', `${root}/:id/part/:part/source`, {
      resolve: partAsked,
      handle: async ({ found }) => plainText(textOf(found)),
    }),

    foreignRoute('GET', `${root}/:id/part/:part/raw`, {
      resolve: partAsked,
      handle: async ({ found }) => plainText(found.raw.toString()),
    }),

    foreignRoute('POST', `${root}/:id/relay`, {
      body: RelayRequest,
      resolve: messageOfUuid,
      bodyIsOptional: true,
      handle: async ({ ctx, found, body, exchange }) => {
        const given = body.overriderecipientaddresses ?? [];
        const to = (given.length === 0 ? found.rcptTo : given).join(', ');
        const { outcomes } = await releaseMessage(ctx, found, to, exchange);
        const failed = [...outcomes].filter(([, { kind }]) => kind !== 'accepted');
        const why = failed.map(([address, { reply }]) => `${address}: ${reply}`).join('. ');
        if (failed.length > 0) throw refuse('invalid_to', { message: `Failed to relay to recipients: ${why}` });
        return nothing();
      },
    }),
  ];
}

/** Finds a part by its number. */
async function partAsked(call: Parameters<typeof messageOfUuid>[0]): Promise<NumberedPart> {
  const parts = await partsOf(await readWhole(call.ctx, await messageOfUuid(call)));
  return there(parts.find(({ index }) => String(index) === call.params['part']) ?? null);
}

/** Finds the mailbox that a request names. Null stands for all. Throws `not_found`. */
async function mailboxAsked(ctx: Context, { query }: Exchange): Promise<Mailbox | null> {
  const { mailboxName = DEFAULT } = readTexts(['mailboxName'], query);
  if (mailboxName === DEFAULT || mailboxName === '') return null;
  const mailboxes = await ctx.store.read.mailboxes.list(await seededWorkspaceId(ctx));
  const named = mailboxes.find(({ name, subdomain }) => name === mailboxName || subdomain === mailboxName);
  if (named === undefined) throw refuse('not_found', { message: 'There is no mailbox with this name.' });
  return named;
}

async function scopeOf(ctx: Context, exchange: Exchange): Promise<Scope> {
  const workspaceId = await seededWorkspaceId(ctx);
  const mailbox = await mailboxAsked(ctx, exchange);
  return mailbox === null ? { workspaceId } : { workspaceId, mailboxId: mailbox.id };
}

async function clear(ctx: Context, exchange: Exchange): Promise<void> {
  const mailbox = await mailboxAsked(ctx, exchange);
  if (mailbox === null) await clearWorkspace(ctx, await seededWorkspaceId(ctx));
  else await ctx.store.transaction((tx) => clearMailbox(ctx, tx, mailbox));
}

function countOf(text: string | undefined, otherwise: number): number {
  return /^\d{1,9}$/.test(text ?? '') ? Math.min(Number(text), MOST_LISTED) : otherwise;
}

async function listPage(ctx: Context, exchange: Exchange) {
  const given = readTexts(['searchTerms', 'page', 'pageSize', 'sortIsDescending', 'folderName'], exchange.query);
  const scope = await scopeOf(ctx, exchange);
  const pageSize = countOf(given['pageSize'], PAGE);
  const currentPage = Math.max(1, countOf(given['page'], 1));
  const text = (given['searchTerms'] ?? '').replace(/\s+/g, ' ').trim();
  const page = {
    ...{ scope, query: textQuery('searchTerms', null, text), start: (currentPage - 1) * pageSize, limit: pageSize },
    isOldestFirst: /^false$/i.test(given['sortIsDescending'] ?? ''),
  };
  const { items, total } = await pageAt(ctx, exchange, page);
  return {
    results: items.map(summaryOf),
    currentPage,
    pageCount: pageSize === 0 ? 0 : Math.ceil(total / pageSize),
    pageSize,
    rowCount: total,
    firstRowOnPage: (currentPage - 1) * pageSize + 1,
    lastRowOnPage: Math.min(currentPage * pageSize, total),
  };
}

/** Returns a message as the list has it. The row has all of it, so no mail is read. */
function summaryOf({ id, mailFrom, rcptTo, receivedAt, subject, attachmentCount, isRead }: Message) {
  return {
    ...{ isRelayed: false, deliveredTo: rcptTo.join(','), id: uuidOf(id), from: mailFrom, to: rcptTo },
    receivedDate: new Date(receivedAt).toISOString(),
    ...{ subject: subject ?? '', attachmentCount, isUnread: !isRead, hasWarnings: false },
  };
}

async function detailsOf(ctx: Context, message: Message) {
  const mail = await readParsed(ctx, message);
  const { tls } = await readFacts(ctx, message);
  const raw = await readWhole(ctx, message);
  const listed = async (list: string | null) =>
    (await mailboxesIn(list)).map(({ name, address }) => (name === '' ? address : `"${name}" <${address}>`));
  return {
    ...{ sessionEncoding: null, eightBitTransport: null },
    ...{ hasHtmlBody: mail.htmlBody !== null, hasPlainTextBody: mail.textBody !== null },
    id: uuidOf(message.id),
    from: mail.from ?? message.mailFrom,
    to: await listed(mail.to),
    cc: await listed(mail.cc),
    bcc: await listed(bccOf(null, message.rcptTo, mail.toAndCc)),
    deliveredTo: message.rcptTo,
    receivedDate: new Date(message.receivedAt).toISOString(),
    secureConnection: tls !== null,
    subject: mail.subject ?? '',
    parts: treeOf(message, await partsOf(raw)),
    headers: headerList(headerBlock(raw).block),
    ...{ mimeParseError: mail.parseError, relayError: null, warnings: [] },
  };
}

/** A part with its number in the order in which parts begin, from 0, which is the mail. */
interface NumberedPart {
  readonly index: number;
  /** The number of the multipart it is in. Null for the mail. */
  readonly parent: number | null;
  readonly head: PartHead;
  readonly header: Buffer;
  /** The header and the body as they are written. */
  readonly raw: Buffer;
  readonly body: Buffer;
}

/** Reads the parts of a mail, each before those that are in it. An attached mail is one part. */
async function partsOf(raw: Buffer): Promise<NumberedPart[]> {
  const parts: NumberedPart[] = [];
  const add = (part: MimeTreePart, parent: number | null, place: PartPlace): void => {
    const index = parts.length;
    const header = raw.subarray(part.from, part.bodyFrom);
    const head = readPart(readFields(headerBlock(header).block, null).fields, place);
    const body = raw.subarray(part.bodyFrom, part.to);
    parts.push({ index, parent, head, header, raw: raw.subarray(part.from, part.to), body });
    if (part.type !== 'MULTIPART') return;
    for (const [at, child] of part.children.entries())
      add(child, index, { multipart: part.subtype.toLowerCase(), index: at });
  };
  add(await readMimeTree(raw), null, ROOT);
  return parts;
}

/** Decodes the body of a part by its transfer encoding. */
function decodedBody({ head: { encoding }, body }: NumberedPart): Buffer {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return body;
  const text = body
    .toString('latin1')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

interface PartSummary {
  readonly id: string;
  readonly childParts: PartSummary[];
  readonly attachments: object[];
}

/** Nests the parts. An attachment is also listed with the multipart that it is in. */
function treeOf(message: Message, parts: readonly NumberedPart[]): PartSummary[] {
  const messageId = uuidOf(message.id);
  const summaries = new Map<number, PartSummary>();
  const roots: PartSummary[] = [];
  for (const { index, parent, head, header, raw } of parts) {
    const { type, disposition } = head;
    const [contentId, filename] = [head.contentId(), head.filename()];
    const id = String(index);
    const isAttachment = disposition === 'attachment' || (disposition !== 'inline' && filename !== null);
    const summary = {
      ...{ id, headers: headerList(header), childParts: [], name: `${filename ?? contentId ?? id} - ${type}` },
      ...{ messageId, contentId, attachments: [], warnings: [], size: raw.length, isAttachment },
    };
    summaries.set(index, summary);
    const within = parent === null ? undefined : summaries.get(parent);
    if (within === undefined) roots.push(summary);
    else {
      within.childParts.push(summary);
      const url = `api/messages/${messageId}/part/${id}/content?download=true`;
      if (isAttachment) within.attachments.push({ fileName: filename, contentId, id, url });
    }
  }
  return roots;
}

/** Lists the fields of a header, decoded. */
function headerList(header: Buffer): { name: string; value: string }[] {
  const budget = new WordBudget();
  return readFields(header, null).fields.map(({ name, value }) => ({
    name: writtenName(header, value, name),
    value: decodeHeader(name, value, budget) ?? '',
  }));
}

/** Returns the name of a field as the mail writes it. */
function writtenName(header: Buffer, value: Buffer, name: string): string {
  const end = value.byteOffset - header.byteOffset - 1;
  const written = header.toString('latin1', Math.max(0, end - name.length), Math.max(0, end));
  return written.toLowerCase() === name ? written : name;
}

function textOf(part: NumberedPart): string {
  try {
    return new TextDecoder(part.head.param('charset') ?? 'utf-8').decode(decodedBody(part));
  } catch {
    // An unknown charset. The bytes are shown as they are.
    return decodedBody(part).toString('latin1');
  }
}

import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { parse } from 'node:querystring';
import { z } from 'zod';
import { clearWorkspace, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { markFound } from '../../actions/mark-messages.ts';
import { readAttachment, readFacts, readParsed, unlessGone } from '../../actions/read-message.ts';
import { countAll, countUnread, findPage } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../domain/address-list.ts';
import { type ApiError, type ErrorCode, refuse, there } from '../../domain/errors.ts';
import { attachmentId, type MessageId, parseUlid } from '../../domain/ids.ts';
import type { Message, ReceiptMetadata } from '../../domain/message.ts';
import { bccOf, type ParsedAttachment, type ParsedMail } from '../../domain/parsed-mail.ts';
import { partOf } from '../../domain/search/match-query.ts';
import { MOST_CHARACTERS, type SearchQuery } from '../../domain/search/query.ts';
import { mailboxesIn } from '../../mail/mailboxes-in.ts';
import { docsPath } from '../../text/docs-place.ts';
import { readMailDate } from '../../text/mail-date.ts';
import { shorten } from '../../text/shorten.ts';
import { checkTimePassed, type Download, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { wholePage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import {
  anyCase,
  errorSentence,
  file,
  headerOf,
  mailRoute,
  markRead,
  pageAt,
  relayMessage,
  seededWorkspaceId,
  source,
  sourceFile,
  streamedRows,
  textOfHtml,
  textQuery,
  UNREAD,
} from './shared.ts';

// docs/from-maildev.md: MailDev's API over the seeded workspace. Version 3 moved it from
// /email to /api/email.

/** The most emails on one page. MailDev returns all of them if no limit is given. */
const MOST_LISTED = 1_000;
/** The limits that MailDev has for a page of summaries. */
const SUMMARIES = 50;
const MOST_SUMMARIES = 200;
/** The most ids in one bulk delete. */
const MOST_DELETED = 10_000;

const DeleteRequest = anyCase(z.object({ ids: z.array(z.string().trim().min(1)).max(MOST_DELETED) }));

/** Writes an error as MailDev does: as JSON with a sentence. */
export function maildevError(error: ApiError) {
  const { code } = error;
  const message = SENTENCES.get(code) ?? errorSentence(error);
  return {
    status: code === 'no_relay' ? 500 : error.status,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ error: message }),
  };
}

/** The sentences of MailDev. Only the deletion of some emails takes a body. */
const SENTENCES: ReadonlyMap<ErrorCode, string> = new Map([
  ['not_found', 'Email was not found'],
  ['no_relay', 'Outgoing mail not configured'],
  ['invalid_body', 'Request body must include an ids array of email IDs'],
]);

/** The version whose emails a path has: version 3 moved them from /email to /api/email. */
type MaildevVersion = 2 | 3;

export const maildevRoutes: readonly Endpoint<Anyone>[] = [...routesUnder('', 2), ...routesUnder('/api', 3)];

function routesUnder(root: string, version: MaildevVersion): readonly Endpoint<Anyone>[] {
  return [
    foreignRoute('GET', `${root}/email`, async ({ ctx, exchange }) => listEmails(ctx, exchange, version)),

    foreignRoute('GET', `${root}/email/summary`, async ({ ctx, exchange }) => listSummaries(ctx, exchange)),

    foreignRoute('DELETE', `${root}/email/all`, async ({ ctx }) => {
      await clearWorkspace(ctx, await seededWorkspaceId(ctx));
      return true;
    }),

    foreignRoute('PATCH', `${root}/email/read-all`, async ({ ctx, exchange }) => {
      const scope = { workspaceId: await seededWorkspaceId(ctx) };
      const { updated } = await markFound(ctx, scope, [UNREAD], { read: true }, exchange);
      checkTimePassed(exchange);
      return updated;
    }),

    foreignRoute('POST', `${root}/email/delete`, {
      body: DeleteRequest,
      handle: async ({ ctx, body }) => {
        const given = [...new Set(body.ids)];
        const ids = given.map((id) => parseUlid<MessageId>(id)).filter((id) => id !== null);
        const deleted = await deleteOfWorkspace(ctx, await seededWorkspaceId(ctx), ids);
        const isDeleted = (id: string) => deleted.has(parseUlid<MessageId>(id) ?? ('' as MessageId)); // '' is never an id.
        return { deleted: given.filter(isDeleted), notFound: given.filter((id) => !isDeleted(id)) };
      },
    }),

    mailRoute('GET', `${root}/email/:id`, async ({ ctx, found, exchange }) => {
      const email = there(await asOf(version, ctx, found));
      await markRead(ctx, found, exchange);
      // The answer has the mark already, as MailDev's has.
      return inPieces({ ...email, read: true });
    }),

    mailRoute('DELETE', `${root}/email/:id`, async ({ ctx, found }) => {
      await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
      return true;
    }),

    mailRoute('GET', `${root}/email/:id/html`, async ({ ctx, found }) => {
      if ((await readParsed(ctx, found)).htmlBody === null) throw refuse('not_found');
      return wholePage(ctx, found);
    }),

    mailRoute('GET', `${root}/email/:id/source`, async ({ ctx, found }) => source(ctx, found)),

    mailRoute('GET', `${root}/email/:id/download`, async ({ ctx, found }) => sourceFile(ctx, found)),

    mailRoute('GET', `${root}/email/:id/attachment/:filename`, async ({ ctx, found, exchange }) =>
      readFile(ctx, found, exchange.params['filename'] ?? ''),
    ),

    ...['relay', 'relay/:relayTo'].map((path) =>
      mailRoute('POST', `${root}/email/:id/${path}`, async ({ ctx, found, exchange }) =>
        relayEmail(ctx, found, exchange),
      ),
    ),

    foreignRoute('GET', `${root}/config`, async ({ ctx }) => ({
      version: `mailcap ${ctx.runtime.version}`,
      smtpPort: ctx.runtime.ready?.smtpPort ?? ctx.config.smtpPort,
      isOutgoingEnabled: ctx.relay !== null,
      outgoingHost: ctx.relay?.name ?? null,
    })),

    foreignRoute('GET', `${root}/reloadMailsFromDirectory`, {
      fails: ['not_supported'],
      handle: async () => {
        throw refuse('not_supported', { message: `mailcap import reads mail from a directory: ${docsPath('cli')}` });
      },
    }),
  ];
}

/** Hands an email to the relay, for one recipient or for those of its envelope. */
async function relayEmail(ctx: Context, message: Message, exchange: Exchange): Promise<true> {
  const { relayTo } = exchange.params;
  const to = relayTo === undefined ? message.rcptTo : [relayTo];
  if (relayTo !== undefined && parseAddress(relayTo) === null)
    throw refuse('invalid_to', { message: `Incorrect email address provided: ${shorten(relayTo, 200)}` });
  await relayMessage(ctx, message, to.join(', '), exchange);
  return true;
}

async function listEmails(ctx: Context, exchange: Exchange, version: MaildevVersion): Promise<Download> {
  const { skip, limit = MOST_LISTED, sort, filters } = readList(exchange);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = subjectQuery(filters);
  const { items } = await findPage(ctx, { scope, query, limit: MOST_LISTED, cancelSignal: exchange });
  checkTimePassed(exchange);
  // The oldest comes first by default.
  const ordered = sort === 'desc' ? items : items.toReversed();
  return streamedRows(null, emailsOf(ctx, ordered, { skip, limit, filters, version }));
}

/** Returns the search for the mails that a filter by subject can match, so that no others are read. */
function subjectQuery(filters: readonly MaildevFilter[]): SearchQuery {
  const text = filters.find(([path]) => path === 'subject')?.[1] ?? '';
  if (partOf(text) === '' || text.length > MOST_CHARACTERS) return [];
  return [{ kind: 'text', field: 'subject', not: false, text }];
}

interface EmailsWanted {
  readonly skip: number;
  readonly limit: number;
  readonly filters: readonly MaildevFilter[];
  readonly version: MaildevVersion;
}

async function* emailsOf(
  ctx: Context,
  messages: readonly Message[],
  { skip, limit, filters, version }: EmailsWanted,
): AsyncGenerator<object, void> {
  let left = skip;
  let given = 0;
  for (const message of messages) {
    if (given === limit) return;
    if (filters.length === 0 && left > 0) {
      left--;
      continue;
    }
    const email = await asOf(version, ctx, message);
    if (email === null || !matchesFilters(email, filters)) continue;
    if (left > 0) left--;
    else {
      given++;
      yield email;
    }
  }
}

async function listSummaries(ctx: Context, exchange: Exchange) {
  const { skip, limit = SUMMARIES, sort, search, unread: wantsUnread } = readList(exchange);
  const many = Math.min(limit || SUMMARIES, MOST_SUMMARIES);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = [...textQuery('search', null, search), ...(wantsUnread ? [UNREAD] : [])];
  const page = { scope, query, start: skip, limit: many, isOldestFirst: sort === 'asc' };
  const { items, total } = await pageAt(ctx, exchange, page);
  const emails = await Promise.all(items.map((message) => emailOf(ctx, message)));
  const there = emails.filter((email) => email !== null).map(maildevSummary);
  const storeTotal = await countAll(ctx, scope);
  const unread = await countUnread(ctx, scope);
  return inPieces({ items: there, total, storeTotal, unread, skip, limit: many });
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
  return {
    skip: number('skip') ?? 0,
    limit: number('limit'),
    sort: all.get('sort') ?? '',
    search: all.get('search')?.trim() ?? '',
    unread: all.get('unread') === 'true',
    filters,
  };
}

/** Finds a file by the name that MailDev generates, or by its own name, which MailDev 1 used. */
async function readFile(ctx: Context, message: Message, name: string): Promise<Download> {
  const { attachments } = await readParsed(ctx, message);
  const generated = generatedNames(attachments).indexOf(name);
  const at = generated >= 0 ? generated : attachments.findIndex(({ filename }) => filename === name);
  if (at < 0) throw refuse('not_found');
  return file(await readAttachment(ctx, message, attachmentId(message.id, at)));
}

/** Reads a message as MailDev shows it. Null if it was deleted meanwhile. */
function emailOf(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const facts = await readFacts(ctx, message);
    const [from, to, cc, bcc, calculatedBcc] = await Promise.all(
      [mail.from, mail.to, mail.cc, mail.bcc, bccOf(null, message.rcptTo, mail.toAndCc)].map(addressesOf),
    );
    return {
      id: message.id,
      time: timeOf(message, mail),
      read: message.isRead,
      subject: mail.subject ?? '',
      source: `/email/${message.id}/source`,
      size: message.sizeBytes,
      sizeHuman: sizeText(message.sizeBytes),
      ...{ from: from ?? [], to: to ?? [] },
      headers: mail.headers,
      attachments: filesOf(mail.attachments),
      envelope: envelopeOf(message, facts),
      calculatedBcc: calculatedBcc ?? [],
      ...(cc?.length ? { cc } : {}),
      ...(bcc?.length ? { bcc } : {}),
      ...(mail.htmlBody === null ? {} : { html: mail.htmlBody }),
      ...(mail.textBody === null ? {} : { text: mail.textBody }),
      ...(typeof mail.headers['in-reply-to'] === 'string' ? { inReplyTo: mail.headers['in-reply-to'] } : {}),
    };
  });
}

type MaildevEmail = NonNullable<Awaited<ReturnType<typeof emailOf>>>;

const PREVIEW_CHARACTERS = 140;

/** Shortens an email to what MailDev lists: no body, no headers. */
function maildevSummary({ id, time, read, subject, size, sizeHuman, from, to, cc, attachments, text }: MaildevEmail) {
  const preview = (text ?? '')
    .slice(0, 16 * PREVIEW_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
  return {
    ...{ id, time, read, subject, size, sizeHuman, from, to },
    attachmentCount: attachments.length,
    preview: preview.slice(0, PREVIEW_CHARACTERS),
    ...(cc === undefined ? {} : { cc }),
  };
}

async function addressesOf(list: string | null) {
  return (await mailboxesIn(list)).map(({ name, address }) => ({ address, name }));
}

/** Returns the time of the Date header, or of receipt. */
function timeOf({ receivedAt }: Message, mail: ParsedMail): string {
  return new Date(readMailDate(headerOf(mail, 'date'))?.time ?? receivedAt).toISOString();
}

function envelopeOf({ mailFrom, rcptTo }: Message, { helo, clientAddress }: ReceiptMetadata) {
  return {
    from: { address: mailFrom },
    to: rcptTo.map((address) => ({ address })),
    ...(helo === null ? {} : { host: helo }),
    ...(clientAddress === null ? {} : { remoteAddress: clientAddress }),
  };
}

/** Returns an email with the fields of a version. Those of version 2 are beside those of version 3. */
async function asOf(version: MaildevVersion, ctx: Context, message: Message) {
  const email = await emailOf(ctx, message);
  if (email === null) return null;
  const { text, html } = email;
  // Version 3 makes a text of a mail that has only HTML.
  if (version === 3) return { ...email, ...(text === undefined && html && { text: await textOfHtml(html) }) };
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const replies = await addressesOf(mail.replyTo);
    const one = (name: string) => headerOf(mail, name);
    const idsIn = (name: string) => one(name).match(/[^\s<>]+/g) ?? [];
    const [messageId] = idsIn('message-id');
    const [inReplyTo, references] = [idsIn('in-reply-to'), idsIn('references')];
    const date = readMailDate(one('date'));
    const files = [];
    for (const [at, described] of email.attachments.entries()) {
      const { content } = await readAttachment(ctx, message, attachmentId(message.id, at));
      files.push({
        ...described,
        fileName: mail.attachments[at]?.filename ?? '',
        checksum: createHash('md5').update(content).digest('hex'),
        length: content.length,
        transformed: true,
      });
    }
    const { from, to, ...connection } = email.envelope;
    return {
      ...email,
      sizeHuman: email.sizeHuman.replace('Bytes', 'bytes'),
      attachments: files.length === 0 ? null : files,
      envelope: { from: { ...from, args: false }, to: to.map((one) => ({ ...one, args: false })), ...connection },
      priority: priorityOf(one('x-priority') || one('x-msmail-priority') || one('importance')),
      ...(messageId === undefined ? {} : { messageId }),
      ...(replies.length === 0 ? {} : { replyTo: replies }),
      ...(date === null ? {} : { date: new Date(date.time).toISOString() }),
      ...(inReplyTo.length === 0 ? {} : { inReplyTo }),
      ...(references.length === 0 ? {} : { references }),
    };
  });
}

/** Reads the fields of mail programs for the urgency of a mail. */
function priorityOf(text: string): 'high' | 'normal' | 'low' {
  const given = text.trim().toLowerCase();
  if (/^[12]\b|^(?:high|highest|urgent)\b/.test(given)) return 'high';
  return /^[45]\b|^(?:low|lowest|non-urgent)\b/.test(given) ? 'low' : 'normal';
}

function filesOf(attachments: readonly ParsedAttachment[]) {
  const names = generatedNames(attachments);
  return attachments.map((file, at) => fileOf(file, names[at] ?? ''));
}

function fileOf(file: ParsedAttachment, generatedFileName: string) {
  return {
    filename: file.filename ?? '',
    generatedFileName,
    contentType: file.contentType ?? 'application/octet-stream',
    contentDisposition: file.isInline ? 'inline' : 'attachment',
    ...(file.contentId === null ? {} : { contentId: file.contentId }),
    size: file.sizeBytes,
  };
}

const EXTENSIONS: ReadonlyMap<string | null, string> = new Map([
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['application/pdf', '.pdf'],
  ['text/plain', '.txt'],
  ['text/html', '.html'],
  ['application/json', '.json'],
]);

/**
 * Returns the names that MailDev 3 gives the files of a mail: hashes, so that no sender chooses a name. MailDev gives two
 * files one name if they are alike; here the later one gets a name of its own.
 */
function generatedNames(attachments: readonly ParsedAttachment[]): string[] {
  const counts = new Map<string, number>();
  return attachments.map(({ filename, contentType, contentId, sizeBytes }) => {
    const source = contentId || `${filename ?? ''}-${sizeBytes}`;
    const earlier = counts.get(source) ?? 0;
    counts.set(source, earlier + 1);
    const hash = createHash('md5').update(earlier === 0 ? source : `${source}-${earlier}`);
    return `${hash.digest('hex')}${extname(filename ?? '') || (EXTENSIONS.get(contentType) ?? '')}`;
  });
}

const UNITS = ['Bytes', 'KB', 'MB', 'GB'];

function sizeText(bytes: number): string {
  const unit = Math.min(bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1);
  return `${Number.parseFloat((bytes / 1024 ** unit).toFixed(2))} ${UNITS[unit]}`;
}

/** A filter of MailDev: a path such as `from.address`, and the value that the field must have. */
type MaildevFilter = readonly [path: string, value: string];

/** Tells whether an email matches every filter. If a path leads through a list, one item of the list has to match. */
function matchesFilters(email: object, filters: readonly MaildevFilter[]): boolean {
  return filters.every(([path, value]) => {
    const found = path.split('.').reduce<unknown>((at, name) => inside(at, name), email);
    return Array.isArray(found)
      ? found.some((one) => String(one) === value)
      : found !== undefined && String(found) === value;
  });
}

function inside(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => inside(one, name));
  const has = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return has ? Reflect.get(value, name) : undefined;
}

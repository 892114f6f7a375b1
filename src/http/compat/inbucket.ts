import { createHash } from 'node:crypto';
import { z } from 'zod';
import { deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { markEach } from '../../actions/mark-messages.ts';
import { readAttachment, readParsed, readWhole } from '../../actions/read-message.ts';
import { findInBatches } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { type ApiError, refuse } from '../../domain/errors.ts';
import type { EventType, FeedItem } from '../../domain/event.ts';
import { attachmentId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import { mailboxesIn } from '../../mail/mailboxes-in.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { type CompatSocket, followEvents, upgradeRoute } from './events.ts';
import {
  anyCase,
  errorSentence,
  file,
  findSeededMessage,
  headerFields,
  plainStatusOf,
  seededWorkspaceId,
  source,
} from './shared.ts';

// docs/from-others.md: Inbucket's API over the seeded workspace. A mailbox of Inbucket is a recipient here: the part of
// an address before the @, or a whole address.

/** The messages that a mailbox of Inbucket keeps unless it is told otherwise. */
const MOST_LISTED = 500;

/** Writes an error as a sentence, as Go does. */
export function inbucketError(error: ApiError) {
  const body = error.code === 'not_found' ? '404 page not found' : errorSentence(error);
  return { status: plainStatusOf(error), type: 'text/plain', body };
}

const SeenRequest = anyCase(z.looseObject({ seen: z.boolean().nullish() }));

export const inbucketRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/mailbox/:name', async ({ ctx, exchange }) => {
    const name = mailboxNamed(exchange);
    const messages = await messagesOf(ctx, name, exchange);
    const rows = [];
    // The oldest comes first.
    for (const message of messages.toReversed()) rows.push(await headerOf(name, message));
    return inPieces(rows);
  }),

  foreignRoute('DELETE', '/api/v1/mailbox/:name', async ({ ctx, exchange }) => {
    const found = await messagesOf(ctx, mailboxNamed(exchange), exchange, Number.POSITIVE_INFINITY);
    const ids = found.map(({ id }) => id);
    await deleteOfWorkspace(ctx, await seededWorkspaceId(ctx), ids);
    return 'OK';
  }),

  foreignRoute('GET', '/api/v1/mailbox/:name/:id', async ({ ctx, exchange }) =>
    inPieces(await detailsOf(ctx, mailboxNamed(exchange), exchange)),
  ),

  foreignRoute('PATCH', '/api/v1/mailbox/:name/:id', {
    body: SeenRequest,
    bodyIsOptional: true,
    handle: async ({ ctx, body, exchange }) => {
      const { id } = await messageOf(ctx, mailboxNamed(exchange), exchange);
      // Inbucket's client in Go sends no body.
      if (body.seen !== false) await markEach(ctx, [id], { read: true }, { cancelSignal: exchange });
      return 'OK';
    },
  }),

  foreignRoute('DELETE', '/api/v1/mailbox/:name/:id', async ({ ctx, exchange }) => {
    const { id, workspaceId } = await messageOf(ctx, mailboxNamed(exchange), exchange);
    await deleteOfWorkspace(ctx, workspaceId, [id]);
    return 'OK';
  }),

  ...['/api/v1/mailbox/:name/:id/source', '/serve/mailbox/:name/:id/source'].map((path) =>
    foreignRoute('GET', path, async ({ ctx, exchange }) =>
      source(ctx, await messageOf(ctx, mailboxNamed(exchange), exchange)),
    ),
  ),

  foreignRoute('GET', '/serve/mailbox/:name/:id/attach/:number/:file', async ({ ctx, exchange }) => {
    const message = await messageOf(ctx, mailboxNamed(exchange), exchange);
    const { number = '' } = exchange.params;
    if (!/^\d{1,4}$/.test(number)) throw refuse('not_found');
    return file(await readAttachment(ctx, message, attachmentId(message.id, Number(number))));
  }),

  upgradeRoute('/api/v1/monitor/messages'),
  upgradeRoute('/api/v1/monitor/messages/:name'),
  upgradeRoute('/api/v2/monitor/messages'),
  upgradeRoute('/api/v2/monitor/messages/:name'),
];

/** The recipient that a mailbox means: in small letters, and without what follows a plus sign before the @. */
function mailboxNamed({ params }: Exchange): string {
  return nameOf(params['name'] ?? '');
}

function nameOf(text: string): string {
  const name = text.trim().toLowerCase();
  const at = name.lastIndexOf('@');
  const local = at < 0 ? name : name.slice(0, at);
  const base = local.split('+', 1)[0] ?? '';
  if (base === '' || /[\s<>]/.test(name)) throw refuse('invalid_recipient', { message: 'The name is no mailbox.' });
  return at < 0 ? base : base + name.slice(at);
}

function isFor(name: string, { rcptTo }: Message): boolean {
  return rcptTo.some((address) => {
    const at = address.lastIndexOf('@');
    const local = (at < 0 ? address : address.slice(0, at)).toLowerCase().split('+', 1)[0] ?? '';
    return name === (name.includes('@') ? local + address.slice(at).toLowerCase() : local);
  });
}

/** Finds the newest messages of a mailbox by the texts that searches read, so only those that may be meant are seen. */
async function messagesOf(ctx: Context, name: string, exchange: Exchange, most = MOST_LISTED): Promise<Message[]> {
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query: SearchQuery = [{ kind: 'text', field: 'recipient', not: false, text: name.split('@', 1)[0] ?? '' }];
  const messages: Message[] = [];
  for await (const some of findInBatches(ctx, scope, query, exchange)) {
    messages.push(...some.filter((message) => isFor(name, message)));
    if (messages.length >= most) break;
  }
  checkTimePassed(exchange);
  return messages.slice(0, most);
}

/** Finds a message of a mailbox, by its id or by `latest`. Throws `not_found`. */
async function messageOf(ctx: Context, name: string, exchange: Exchange): Promise<Message> {
  const { id = '' } = exchange.params;
  const message = id === 'latest' ? (await messagesOf(ctx, name, exchange, 1))[0] : await findSeededMessage(ctx, id);
  if (message === undefined || !isFor(name, message)) throw refuse('not_found');
  return message;
}

async function headerOf(mailbox: string, message: Message) {
  const [from] = await mailboxesIn(message.from);
  return {
    mailbox,
    id: message.id,
    from: from === undefined ? `<${message.mailFrom}>` : written(from),
    to: (await mailboxesIn(message.to)).map(written),
    subject: message.subject ?? '',
    date: new Date(message.receivedAt).toISOString(),
    'posix-millis': message.receivedAt,
    size: message.sizeBytes,
    seen: message.isRead,
  };
}

function written({ name, address }: { readonly name: string; readonly address: string }): string {
  return name === '' ? `<${address}>` : `${name} <${address}>`;
}

async function detailsOf(ctx: Context, name: string, exchange: Exchange) {
  const message = await messageOf(ctx, name, exchange);
  const mail = await readParsed(ctx, message);
  const attachments = [];
  for (const [position, { filename, contentType }] of mail.attachments.entries()) {
    const { content } = await readAttachment(ctx, message, attachmentId(message.id, position));
    const file = encodeURIComponent(filename ?? '') || 'attachment';
    const link = `http://${exchange.req.headers.host ?? ''}/serve/mailbox/${encodeURIComponent(name)}/${message.id}/attach/${position}/${file}`;
    attachments.push({
      filename: filename ?? '',
      'content-type': mediaTypeOr(contentType, 'application/octet-stream'),
      'download-link': link,
      'view-link': link,
      md5: createHash('md5').update(content).digest('hex'),
    });
  }
  return {
    ...(await headerOf(name, message)),
    body: { text: mail.textBody ?? '', html: mail.htmlBody ?? '' },
    header: headerFields(await readWhole(ctx, message)),
    attachments,
  };
}

const TYPES: ReadonlySet<EventType> = new Set(['message.received', 'message.deleted']);

/** Returns the names of the mailboxes that a message is in: the local parts of its recipients. */
function namesOf({ rcptTo }: Message): string[] {
  const names = rcptTo.map((address) => address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase());
  return [...new Set(names.map((name) => name.split('+', 1)[0] ?? ''))].filter((name) => name !== '');
}

/** The monitors of both versions: of all mailboxes, and of one. Version 1 tells only what is new, as a header alone. */
export const inbucketSockets: readonly CompatSocket[] = ([1, 2] as const).flatMap((version) =>
  ['', '/:name'].map((rest) => ({
    path: `/api/v${version}/monitor/messages${rest}`,
    subscribe: (ctx, sink, after, param) =>
      followEvents(ctx, sink, after, TYPES, (item) => toldOf(item, version, param === '' ? null : param.toLowerCase())),
  })),
) satisfies readonly CompatSocket[];

async function toldOf(item: FeedItem, version: 1 | 2, name: string | null): Promise<readonly unknown[]> {
  if (item.kind === 'message') {
    const { message } = item;
    const names = name === null ? namesOf(message) : isFor(name, message) ? [name] : [];
    const headers = await Promise.all(names.map((one) => headerOf(one, message)));
    return version === 1 ? headers : headers.map((header) => ({ variant: 'message-stored', identifier: null, header }));
  }
  if (version === 1 || item.kind !== 'event' || item.event.type !== 'message.deleted' || name !== null) return [];
  // A deleted message no longer tells its recipients.
  return (item.event.data.ids ?? []).map((id) => ({
    variant: 'message-deleted',
    identifier: { mailbox: '', id },
    header: null,
  }));
}

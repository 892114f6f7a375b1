import { clearWorkspace, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { readAttachment, readParsed } from '../../actions/read-message.ts';
import { countAll } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { refuse } from '../../domain/errors.ts';
import type { EventType } from '../../domain/event.ts';
import { attachmentId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { inPieces } from '../large-json.ts';
import { wholePage } from '../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { type CompatSocket, followEvents } from './events.ts';
import {
  file,
  findSeededMessage,
  headerOf,
  mailRoute,
  pageAt,
  plainText,
  seededWorkspaceId,
  sentencesAs,
  source,
  sourceFile,
} from './shared.ts';

// docs/from-others.md: MailCatcher's API over the seeded workspace.

/** The most messages in the list. MailCatcher lists all of them. */
const MOST_LISTED = 1_000;

/** Writes an error as a sentence. MailCatcher has a page in its place. */
export const mailcatcherError = sentencesAs('text/plain');

export const mailcatcherRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/messages', async ({ ctx, exchange }) => {
    const { items } = await pageAt(ctx, exchange, { start: 0, limit: MOST_LISTED });
    // The oldest comes first.
    return inPieces(items.toReversed().map(summaryOf));
  }),

  foreignRoute('DELETE', '/messages', async ({ ctx }) => clearWorkspace(ctx, await seededWorkspaceId(ctx))),

  mailRoute('DELETE', '/messages/:id', async ({ ctx, found }) => {
    await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
  }),

  foreignRoute('GET', '/messages/:id', async ({ ctx, exchange }) => {
    const [, id = '', form] = /^(\w{1,40})\.(json|html|plain|source|eml)$/.exec(exchange.params['id'] ?? '') ?? [];
    const message = await findSeededMessage(ctx, id);
    if (form === 'source') return source(ctx, message);
    if (form === 'eml') return sourceFile(ctx, message);
    const mail = await readParsed(ctx, message);
    if (form === 'json') return inPieces(detailsOf(message, mail));
    if (form === 'plain') return plainText(mail.textBody ?? missing());
    return mail.htmlBody === null ? missing() : wholePage(ctx, message);
  }),

  mailRoute('GET', '/messages/:id/parts/:cid', async ({ ctx, found, exchange }) => {
    const { attachments } = await readParsed(ctx, found);
    const at = attachments.findIndex((one) => cidOf(one) === exchange.params['cid']);
    if (at < 0) throw refuse('not_found');
    return file(await readAttachment(ctx, found, attachmentId(found.id, at)));
  }),
];

function missing(): never {
  throw refuse('not_found');
}

/** Returns a message as the list has it. The row has all of it, so no mail is read. */
function summaryOf({ id, mailFrom, rcptTo, subject, sizeBytes, receivedAt }: Message) {
  return {
    id,
    sender: `<${mailFrom}>`,
    recipients: rcptTo.map((address) => `<${address}>`),
    subject,
    size: String(sizeBytes),
    created_at: `${new Date(receivedAt).toISOString().slice(0, 19)}+00:00`,
  };
}

function detailsOf(message: Message, mail: ParsedMail) {
  const { htmlBody, textBody, attachments } = mail;
  const { created_at, ...rest } = summaryOf(message);
  return {
    ...rest,
    type: mediaTypeOr(headerOf(mail, 'content-type') || null, 'text/plain'),
    created_at,
    formats: ['source', ...(htmlBody === null ? [] : ['html']), ...(textBody === null ? [] : ['plain'])],
    attachments: attachments
      .filter(({ isInline }) => !isInline)
      .map((one) => ({
        cid: cidOf(one),
        type: mediaTypeOr(one.contentType, 'application/octet-stream'),
        filename: one.filename,
        size: one.sizeBytes,
        href: `/messages/${message.id}/parts/${encodeURIComponent(cidOf(one))}`,
      })),
  };
}

/** Returns the name of a file in a path. A part without a Content-ID has the number of the part. */
function cidOf({ contentId, part }: ParsedMail['attachments'][number]): string {
  return contentId ?? part;
}

const TYPES: ReadonlySet<EventType> = new Set(['message.received', 'message.deleted', 'mailbox.deleted', 'reset']);

/** Tells what is added and removed, at the path of the list. */
export const mailcatcherSocket: CompatSocket = {
  path: '/messages',
  subscribe: (ctx, sink, after) =>
    followEvents(ctx, sink, after, TYPES, async (item, workspaceId) => {
      if (item.kind === 'message') return [{ type: 'add', message: summaryOf(item.message) }];
      if (item.kind !== 'event') return [];
      const { event } = item;
      const ids = event.type === 'message.deleted' ? event.data.ids : null;
      if (ids !== null) return ids.map((id) => ({ type: 'remove', id }));
      return (await isEmpty(ctx, workspaceId)) ? [{ type: 'clear' }] : [];
    }),
};

async function isEmpty(ctx: Context, workspaceId: Message['workspaceId']): Promise<boolean> {
  return (await countAll(ctx, { workspaceId })) === 0;
}

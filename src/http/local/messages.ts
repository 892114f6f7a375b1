import { Readable } from 'node:stream';
import { deleteMessage } from '../../actions/delete-messages.ts';
import { findCodesAndLinks } from '../../actions/find-codes-and-links.ts';
import { readAttachment, readFacts, readParsed, readRaw } from '../../actions/read-message.ts';
import { attachmentDisposition, mediaTypeOr } from '../../domain/content.ts';
import { Download } from '../answer.ts';
import { anyMessage } from '../find.ts';
import { localRoute } from '../route.ts';
import { HARMLESS } from './harmless.ts';
import { FactsResponse, toFactsResponse } from './message-schemas.ts';

// docs/contract.md#mailboxes-and-messages-here: one message, its bytes and what stands beside them.

export const localMessages = [
  localRoute('GET', '/_mailcap/messages/:id', {
    find: anyMessage,
    returns: { 200: FactsResponse },
    handle: async ({ ctx, found }) => {
      const facts = await readFacts(ctx, found);
      const parsed = await readParsed(ctx, found);
      return toFactsResponse(found, facts, parsed, await findCodesAndLinks(ctx, parsed));
    },
  }),

  localRoute('DELETE', '/_mailcap/messages/:id', {
    find: anyMessage,
    returns: { 204: null },
    transact: async ({ ctx, tx, found }) => {
      await deleteMessage(ctx, tx, found);
      return undefined;
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id/raw', {
    find: anyMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) =>
      new Download({ ...HARMLESS, 'Content-Type': 'message/rfc822' }, found.sizeBytes, () => readRaw(ctx, found)),
  }),

  localRoute('GET', '/_mailcap/messages/:id/attachments/:attachmentId', {
    find: anyMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found, exchange }) => {
      const attachment = await readAttachment(ctx, found, exchange.params['attachmentId'] ?? '');
      const headers = {
        ...HARMLESS,
        'Content-Type': mediaTypeOr(attachment.contentType, 'application/octet-stream'),
        'Content-Disposition': attachmentDisposition(attachment.filename),
      };
      return new Download(headers, attachment.content.length, () => Readable.from([attachment.content]));
    },
  }),
];

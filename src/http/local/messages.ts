import { Readable } from 'node:stream';
import { z } from 'zod';
import { deleteMessage } from '../../actions/delete-messages.ts';
import { readCodesAndLinks } from '../../actions/find-codes-and-links.ts';
import { glanceAtMessages } from '../../actions/glance-at-messages.ts';
import { readAttachedMail, readAttachment, readFacts, readParsed, readRaw } from '../../actions/read-message.ts';
import { readVerdicts } from '../../actions/read-verdicts.ts';
import { attachmentDisposition, mediaTypeOr } from '../../domain/content.ts';
import { type MessageId, parseUlid } from '../../domain/ids.ts';
import { Download, HARMLESS } from '../answer.ts';
import { anyMessage } from '../find.ts';
import { inPieces } from '../large-json.ts';
import type { Param } from '../query.ts';
import { localRoute } from '../route.ts';
import { MessageDetailResponse, toMessageDetailResponse } from '../schemas.ts';
import {
  AttachedMailResponse,
  FactsResponse,
  GlanceResponse,
  toAttachedMailResponse,
  toFactsResponse,
} from './message-schemas.ts';

// This module implements docs/api.md#messages-of-all-mailboxes: a message, its bytes and its facts.

/** The most glances in one request, which is more than a screen shows. */
const MAX_GLANCES = 100;

const ids: Param<readonly MessageId[]> = {
  kind: 'text',
  parse: (text) => {
    const given = text.split(',').map((id) => parseUlid<MessageId>(id.trim()));
    const known = given.filter((id) => id !== null);
    return known.length === given.length && known.length <= MAX_GLANCES ? known : null;
  },
  fallback: [],
  code: 'invalid_ids',
  about: `Ids with commas between them, at most ${MAX_GLANCES}`,
};

export const localMessages = [
  // This route comes before that of a message id, which would match `glances`.
  localRoute('GET', '/_mailcap/messages/glances', {
    id: 'glanceAtMessages',
    summary: 'Get the first words and the codes of messages',
    description: 'For lists of messages. Ids of messages that do not exist are left out.',
    query: { ids },
    returns: { 200: z.array(GlanceResponse) },
    handle: async ({ ctx, query }) =>
      (await glanceAtMessages(ctx, query.ids)).map(({ codes, ...glance }) => ({ ...glance, codes: [...codes] })),
  }),

  localRoute('GET', '/_mailcap/messages/:id/content', {
    id: 'getMessageContent',
    summary: 'Get a message with its bodies, headers and attachments',
    find: anyMessage,
    returns: { 200: MessageDetailResponse },
    handle: async ({ ctx, found }) => {
      const facts = await readFacts(ctx, found);
      const parsed = await readParsed(ctx, found);
      return inPieces(toMessageDetailResponse(found, facts, parsed, await readVerdicts(ctx, found, facts, parsed)));
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id', {
    id: 'getMessageFacts',
    summary: 'Get the envelope, TLS, transcript, codes and links of a message',
    description: 'why lists every candidate for the code and for the link, with the decision and its reason.',
    find: anyMessage,
    returns: { 200: FactsResponse },
    handle: async ({ ctx, found }) => {
      const facts = await readFacts(ctx, found);
      const parsed = await readParsed(ctx, found);
      return toFactsResponse(found, facts, parsed, await readCodesAndLinks(ctx, parsed));
    },
  }),

  localRoute('DELETE', '/_mailcap/messages/:id', {
    id: 'deleteMessage',
    summary: 'Delete a message',
    find: anyMessage,
    returns: { 204: null },
    transact: async ({ ctx, tx, found }) => {
      await deleteMessage(ctx, tx, found);
      return undefined;
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id/raw', {
    id: 'getRawMessage',
    summary: 'Get a message’s exact bytes',
    gives: { type: 'message/rfc822' },
    find: anyMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) =>
      new Download({ ...HARMLESS, 'Content-Type': 'message/rfc822' }, found.sizeBytes, () => readRaw(ctx, found)),
  }),

  localRoute('GET', '/_mailcap/messages/:id/attachments/:attachmentId', {
    id: 'getAttachment',
    summary: 'Get an attachment’s exact bytes',
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

  localRoute('GET', '/_mailcap/messages/:id/attachments/:attachmentId/message', {
    id: 'getAttachedMail',
    summary: 'Get an attached mail as a mail of its own',
    description: 'An attachment that is no mail answers 404.',
    find: anyMessage,
    returns: { 200: AttachedMailResponse },
    handle: async ({ ctx, found, exchange }) => {
      const id = exchange.params['attachmentId'] ?? '';
      const attached = await readAttachedMail(ctx, found, id);
      return inPieces(toAttachedMailResponse(id, attached, await readCodesAndLinks(ctx, attached)));
    },
  }),
];

import { z } from 'zod';
import { readAttachment, readParsed, readRaw } from '../../../actions/read-message.ts';
import { renderWhole } from '../../../actions/render-message.ts';
import type { Context } from '../../../context.ts';
import { attachmentId } from '../../../domain/attachment-id.ts';
import { refuse } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import type { Exchange } from '../../exchange.ts';
import { inPieces } from '../../large-json.ts';
import { mailPage } from '../../local/views.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../../route.ts';
import { file, plainText, source } from '../foreign-answer.ts';
import { headerFields } from './header-fields.ts';
import { namedOrLatest } from './latest.ts';
import { mailpitMessage, partPosition } from './message.ts';

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

import { z } from 'zod';
import { PROVIDER_NAMES } from '../../domain/provider.ts';
import { anything } from '../answers.ts';
import { anyMailbox, localRoute } from '../route.ts';

// This module implements docs/text-messages.md#texts-to-the-app.

export const TextRequest = z.object({
  from: anything.meta({
    type: ['string', 'null'],
    description: 'The phone; the first number that the mailbox claims if left out',
  }),
  to: anything.meta({ type: 'string', description: 'A number of the app, with `whatsapp:` before it for WhatsApp' }),
  body: anything.meta({ type: 'string', maxLength: 1_600 }),
  media: anything.meta({
    type: 'array',
    maxItems: 10,
    items: { type: 'string' },
    description: 'URLs of pictures and other files',
  }),
});

export const TextResponse = z.object({
  id: z.string().describe('The id that the provider gave it'),
  provider: z.enum(PROVIDER_NAMES),
  from: z.string(),
  to: z.string(),
  body: z.string(),
});

export const textsOfPhones = [
  localRoute('POST', '/_mailcap/mailboxes/:id/texts', {
    id: 'sendText',
    summary: 'Send a text message to the app, as the phone',
    description:
      'The app gets the request of the provider that has the number. What it answers comes to the mailbox like any other text message.',
    example: { to: '+15005550006', body: 'STOP' },
    resolve: anyMailbox,
    body: TextRequest,
    returns: { 201: TextResponse },
    fails: ['invalid_text', 'number_without_app'],
    handle: async ({ ctx, found, body }) => {
      const { sendPhoneText } = await import('../../providers/inbound/phone-texts.ts');
      return sendPhoneText(ctx, found, body);
    },
  }),
];

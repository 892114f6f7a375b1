import { releaseMessage } from '../../actions/release-message.ts';
import { anyMessage } from '../find.ts';
import { localRoute } from '../route.ts';
import { ReleaseRequest, ReleaseResponse } from './message-schemas.ts';

// This module implements the release of docs/api.md#the-local-api: a captured message is relayed on request.

export const release = [
  localRoute('POST', '/_mailcap/messages/:id/release', {
    id: 'releaseMessage',
    summary: 'Relay a message to the given recipients',
    description:
      'Sends the stored bytes once, from the envelope sender. The answer holds the reply of the relay for each recipient.',
    example: { to: 'ada@elsewhere.example' },
    find: anyMessage,
    body: ReleaseRequest,
    returns: { 200: ReleaseResponse },
    fails: ['invalid_to', 'no_relay'],
    handle: async ({ ctx, found, body, exchange }) => {
      const { relay, from, outcomes } = await releaseMessage(ctx, found, body.to, exchange);
      const recipients = [...outcomes].map(([address, { kind: outcome, reply }]) => ({ address, outcome, reply }));
      return { released: recipients.every(({ outcome }) => outcome === 'accepted'), relay, from, recipients };
    },
  }),
];

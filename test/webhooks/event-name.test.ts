import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventNameOf } from '../../src/webhooks/event-name.ts';

const none = new Map<string, string>();

test.each([
  ['Stripe', none, { type: 'charge.refunded', data: { object: { id: 'ch_1', amount: 5 } } }, 'charge.refunded', 'ch_1'],
  [
    'GitHub',
    new Map([['x-github-event', 'pull_request']]),
    { action: 'opened', pull_request: { title: 'Mend it' }, id: 7 },
    'pull_request.opened',
    'Mend it',
  ],
  ['GitHub without an action', new Map([['x-github-event', 'push']]), { ref: 'main' }, 'push', null],
  ['Shopify', new Map([['x-shopify-topic', 'orders/paid']]), { name: '#1001', id: 9 }, 'orders/paid', '#1001'],
  ['Slack', none, { type: 'event_callback', event: { type: 'message', text: 'hi' } }, 'message', null],
  ['Standard Webhooks', none, { type: 'user.created', data: { id: 'u_1' } }, 'user.created', 'u_1'],
  ['PayPal', none, { event_type: 'PAYMENT.SALE.COMPLETED', resource: { id: 'S1' } }, 'PAYMENT.SALE.COMPLETED', 'S1'],
  ['CloudEvents', new Map([['ce-type', 'com.x.made']]), { id: 'a' }, 'com.x.made', 'a'],
  [
    'a number with more digits than JavaScript has',
    none,
    JSON.parse('{"type":"x","id":12345678901234567890}'),
    'x',
    null,
  ],
  ['no JSON', none, null, null, null],
  ['a list', none, [{ type: 'x' }], null, null],
  ['an empty name', none, { type: '  ' }, null, null],
] as const)('the event of %s is read', (_name, headers, body, event, about) => {
  expect(eventNameOf(headers, body)).toEqual({ event, about });
});

test('any JSON gives short texts or nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      const { event, about } = eventNameOf(none, body);
      expect((event ?? '').length).toBeLessThanOrEqual(121);
      expect((about ?? '').length).toBeLessThanOrEqual(121);
    }),
  );
});

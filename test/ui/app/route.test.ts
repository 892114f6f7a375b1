import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BODY_FORMS,
  COMPARE_TABS,
  HOME,
  MESSAGE_TABS,
  OUTBOUND_PARTS,
  parseRoute,
  printRoute,
  REQUEST_TABS,
  type Route,
  TOOL_PAGES,
  WEBHOOK_FORMS,
} from '../../../ui/web/app/route.ts';
import { anyText } from '../../support/any-text.ts';

const id = fc.stringMatching(/^[0-9A-Z]{1,26}$/);
const text = fc.string({ unit: 'grapheme' });
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });

const attached = orNull(fc.stringMatching(/^[0-9A-Z]{26}(\.\d{1,3}){0,10}$/));

const mail: fc.Arbitrary<Route> = fc
  .record({
    mailboxId: id,
    messageId: orNull(id),
    tab: orNull(fc.constantFrom(...MESSAGE_TABS)),
    part: orNull(fc.constantFrom('mail', '1', '2.1.14')),
    attached,
    query: text,
  })
  .map((route) => {
    const tab = route.messageId === null ? null : route.tab;
    const attached = route.messageId === null ? null : route.attached;
    return { at: 'mail', ...route, tab, part: tab === 'parts' ? route.part : null, attached };
  });
const webhooks: fc.Arbitrary<Route> = fc
  .record({
    webhookId: orNull(id),
    requestId: orNull(id),
    tab: orNull(fc.constantFrom(...REQUEST_TABS)),
    as: orNull(fc.constantFrom(...BODY_FORMS)),
    change: orNull(fc.constantFrom(...WEBHOOK_FORMS)),
    isNew: fc.boolean(),
  })
  .map(({ webhookId, requestId, tab, as, change, isNew }) => {
    const request = webhookId === null ? null : requestId;
    const form = webhookId !== null ? change : isNew ? 'new' : null;
    if (request === null) return { at: 'webhooks', webhookId, requestId: null, tab: null, as: null, form };
    return { at: 'webhooks', webhookId, requestId: request, tab, as, form };
  });
const compare: fc.Arbitrary<Route> = fc
  .record({ leftId: orNull(id), rightId: id, tab: orNull(fc.constantFrom(...COMPARE_TABS)) })
  .map((route) => ({ at: 'compare', ...route, tab: route.leftId === null ? null : route.tab }));
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constant(HOME),
  mail,
  webhooks,
  compare,
  fc.record({
    at: fc.constant('message' as const),
    messageId: id,
    tab: orNull(fc.constantFrom(...MESSAGE_TABS)),
    attached,
  }),
  fc.record({
    at: fc.constant('timeline' as const),
    mailboxId: orNull(id),
    kinds: fc.uniqueArray(fc.constantFrom('mail', 'send')),
    hours: orNull(fc.integer({ min: 1, max: 999_999 })),
  }),
  fc.record({ at: fc.constant('outbound' as const), part: fc.constantFrom(...OUTBOUND_PARTS), id: orNull(id) }),
  fc.record({ at: fc.constant('tools' as const), tool: fc.constantFrom(...TOOL_PAGES) }),
  fc.record({
    at: fc.constant('why' as const),
    mailboxId: id,
    subject: text,
    from: text,
    to: text,
    body: text,
    query: text,
    minutes: orNull(fc.integer({ min: 1, max: 999_999 })),
  }),
  fc.constant<Route>({ at: 'waiting' }),
  fc.record({ at: fc.constant('authenticators' as const), form: orNull(fc.constant('new' as const)) }),
);

test('every route is read back from the address it is written to', () => {
  fc.assert(
    fc.property(routes, (route) => {
      expect(parseRoute(`#${printRoute(route)}`)).toEqual(route);
    }),
  );
});

test('any address gives a route', () => {
  fc.assert(
    fc.property(anyText(), (hash) => {
      expect(typeof printRoute(parseRoute(hash))).toBe('string');
    }),
  );
});

test.each([
  ['', HOME],
  ['#/', HOME],
  ['#/nowhere/at/all', HOME],
  ['#/messages/01ABC', { at: 'message', messageId: '01ABC', tab: null, attached: null }],
  ['#/messages/01ABC?attached=01DEF.0', { at: 'message', messageId: '01ABC', tab: null, attached: '01DEF.0' }],
  ['#/messages/01ABC?attached=../x', { at: 'message', messageId: '01ABC', tab: null, attached: null }],
  [
    '#/mail/01ABC/01DEF/nonsense',
    { at: 'mail', mailboxId: '01ABC', messageId: '01DEF', tab: null, part: null, attached: null, query: '' },
  ],
  ['#/compare/01ABC/01DEF/look', { at: 'compare', leftId: '01ABC', rightId: '01DEF', tab: 'look' }],
  ['#/compare', HOME],
  ['#/tools/nonsense', { at: 'tools', tool: 'use' }],
  ['#/mail/%zz', { at: 'mail', mailboxId: '%zz', messageId: null, tab: null, part: null, attached: null, query: '' }],
])('the address %j is the route %j', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

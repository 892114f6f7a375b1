import { expect, test } from 'vitest';
import { copyPlaceOf } from '../../../ui/web/app/one-send.ts';
import { NO_MARKS, type WebRow } from '../../../ui/web/app/state.ts';

const row = (id: string, mailboxId: string, more: Partial<WebRow> = {}): WebRow => ({
  ...{ id, mailboxId, from: 'shop@x.test', to: 'a@x.test, b@x.test', subject: 'Terms' },
  ...{ receivedAt: 1_000, sizeBytes: 415, attachmentCount: 0, ...NO_MARKS, ...more },
});

test('copies of one mail are those beside each other that came at one moment to different mailboxes', () => {
  const rows = [row('5', 'a', { subject: 'Later' }), row('4', 'c'), row('3', 'b'), row('2', 'a'), row('1', 'a')];
  expect(rows.map((_row, at) => copyPlaceOf(rows, at))).toEqual([
    [1, 1],
    [1, 3],
    [2, 3],
    [3, 3],
    [1, 1],
  ]);
});

test.each([
  ['another moment', { receivedAt: 1_001 }],
  ['another size', { sizeBytes: 416 }],
  ['another subject', { subject: 'Prices' }],
  ['another sender', { from: 'other@x.test' }],
  ['another recipient', { to: 'b@x.test' }],
  ['the same mailbox', { mailboxId: 'b' }],
] as const)('a mail with %s is none', (_name, more) => {
  const rows = [row('2', 'b'), row('1', 'a', more)];
  expect(copyPlaceOf(rows, 0)).toEqual([1, 1]);
});

import { describe, expect, test } from 'vitest';
import { emptyList, type MessageList, toNewest } from '../../../ui/model/message-list.ts';
import {
  folded,
  messageCount,
  oldestOf,
  rowHolding,
  withoutFolds,
  withoutMessages,
} from '../../../ui/web/app/copies.ts';
import { copiesOf, NO_MARKS, type WebRow } from '../../../ui/web/app/state.ts';

/** A row of the mail `copyKey`. */
const row = (id: string, copyKey: string): WebRow => ({
  ...{ id, copyKey, mailboxId: id, from: 'shop@x.test', to: 'a@x.test', subject: copyKey },
  ...{ receivedAt: 1_000, sizeBytes: 415, attachmentCount: 0, ...NO_MARKS },
});

/** A list of these rows, newest first, of which the first `waiting` ones wait above it. */
function listOf(rows: readonly (readonly [id: string, key: string])[], waiting = 0): MessageList<WebRow> {
  const list = { ...emptyList<WebRow>(3), rows: rows.map(([id, key]) => row(id, key)), waiting, following: false };
  return { ...list, selected: list.rows[waiting]?.id ?? null };
}

const shape = ({ rows }: MessageList<WebRow>) =>
  rows.map((one) =>
    copiesOf(one)
      .map(({ id }) => id)
      .join('+'),
  );
const KEYS = new Set(['mail', 'late']);

describe('the copies of one mail', () => {
  const list = listOf([
    ['6', 'other'],
    ['5', 'mail'],
    ['4', 'mail'],
    ['3', 'mail'],
    ['2', 'last'],
  ]);

  test('are one row at the place of the newest, which goes on to the oldest when a page is loaded', () => {
    const one = folded(list, KEYS);
    expect(shape(one)).toEqual(['6', '5+4+3', '2']);
    expect(messageCount(one)).toBe(5);
    expect(rowHolding(one.rows, '3')?.id).toBe('5');
    expect(oldestOf(one)).toBe('2');
    expect(
      oldestOf(
        folded(
          listOf([
            ['5', 'mail'],
            ['4', 'x'],
            ['1', 'mail'],
          ]),
          KEYS,
        ),
      ),
    ).toBe('1');
    expect(folded(one, KEYS)).toBe(one);
  });

  test('stand at their own places after they are unfolded, and fold again', () => {
    const one = folded(list, KEYS);
    expect(shape(withoutFolds(one, KEYS))).toEqual(['6', '5', '4', '3', '2']);
    expect(shape(folded(withoutFolds(one, KEYS), KEYS))).toEqual(shape(one));
    const apart = folded(
      listOf([
        ['9', 'mail'],
        ['7', 'x'],
        ['5', 'mail'],
        ['3', 'y'],
      ]),
      KEYS,
    );
    expect(shape(apart)).toEqual(['9+5', '7', '3']);
    expect(shape(withoutFolds(apart, KEYS))).toEqual(['9', '7', '5', '3']);
  });

  test('a copy that comes later takes the row with it, and the selection', () => {
    const one = folded(
      {
        ...listOf([
          ['9', 'mail'],
          ['8', 'x'],
          ['7', 'mail'],
        ]),
        selected: '7',
      },
      KEYS,
    );
    expect(shape(one)).toEqual(['9+7', '8']);
    expect(one.selected).toBe('9');
  });

  test('a copy that waits above the list moves no row until it is shown', () => {
    const waits = folded(
      listOf(
        [
          ['9', 'mail'],
          ['8', 'x'],
          ['7', 'mail'],
        ],
        1,
      ),
      KEYS,
    );
    expect(shape(waits)).toEqual(['9', '8', '7']);
    expect(shape(folded(toNewest(waits), KEYS))).toEqual(['9+7', '8']);
    // Copies that wait are one new row.
    const two = folded(
      listOf(
        [
          ['9', 'mail'],
          ['8', 'mail'],
          ['7', 'x'],
        ],
        2,
      ),
      KEYS,
    );
    expect([shape(two), two.waiting]).toEqual([['9+8', '7'], 1]);
  });

  test.each([
    ['the newest', ['5'], ['6', '4+3', '2']],
    ['one in the middle', ['4'], ['6', '5+3', '2']],
    ['two of three', ['5', '3'], ['6', '4', '2']],
    ['all of them', ['5', '4', '3'], ['6', '2']],
    ['another mail', ['6'], ['5+4+3', '2']],
  ])('%s is deleted, and the others stay one row', (_what, ids, left) => {
    expect(shape(withoutMessages(folded(list, KEYS), (id) => ids.includes(id)))).toEqual(left);
  });

  test('a message that is told twice is there once', () => {
    const again = { ...folded(list, KEYS) };
    const twice = { ...again, rows: [...again.rows, row('4', 'mail')].sort((a, b) => (a.id < b.id ? 1 : -1)) };
    expect(shape(folded(twice, KEYS))).toEqual(['6', '5+4+3', '2']);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inReplyOrder } from '../../../ui/web/app/reply-order.ts';

const placesOf = (messages: readonly (readonly [id: string, parentId: string | null])[]) =>
  inReplyOrder(messages.map(([id, parentId]) => ({ id, parentId }))).map(({ message, depth }) => [message.id, depth]);

test('answers stand below what they answer, the oldest first', () => {
  expect(
    placesOf([
      ['ask', null],
      ['first', 'ask'],
      ['second', 'ask'],
      ['to first', 'first'],
      ['other', null],
      ['lost', 'gone'],
    ]),
  ).toEqual([
    ['ask', 0],
    ['first', 1],
    ['to first', 2],
    ['second', 1],
    ['other', 0],
    ['lost', 0],
  ]);
});

test('every message of a conversation is placed once, after the one that it answers', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { nil: null }), { maxLength: 40 }), (parents) => {
      const messages = parents.map((parent, at) => ({
        id: `${at}`,
        parentId: parent === null || at === 0 ? null : `${parent % at}`,
      }));
      const placed = inReplyOrder(messages);
      const at = new Map(placed.map(({ message }, index) => [message.id, index]));
      expect(at.size).toBe(messages.length);
      expect(placed).toHaveLength(messages.length);
      for (const { id, parentId } of messages)
        if (parentId !== null) expect(at.get(id)).toBeGreaterThan(at.get(parentId) ?? Number.NaN);
    }),
  );
});

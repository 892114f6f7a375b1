import { expect, test } from 'vitest';
import type { Send, SendRecipient } from '../../src/domain/send.ts';
import { DeliveryQueue, type WaitingRecipient } from '../../src/workers/delivery.ts';

const lane = (address: string) => (address.endsWith('.here') ? 'here' : 'relay');

function aSend(id: string, addresses: readonly string[], workspaceId = 'w'): Send {
  const waiting = { state: 'queued', attempts: 0, nextAttemptAt: null, handedOver: false, reply: null } as const;
  const recipients = addresses.map((address): SendRecipient => ({ address, ...waiting }));
  const times = { createdAt: 0, updatedAt: 0 };
  // The queue only compares ids, so any text is good enough.
  return {
    id,
    workspaceId,
    recipients,
    mailboxId: '',
    messageId: '',
    from: '',
    state: 'queued',
    raw: null,
    ...times,
  } as never;
}

/** Returns all deliveries that are due now, as `send address`. */
function taken(queue: DeliveryQueue, name: 'here' | 'relay' = 'relay'): WaitingRecipient[] {
  return queue.take(name) ?? [];
}

const named = (waiting: readonly WaitingRecipient[]) => waiting.map(({ sendId, address }) => `${sendId} ${address}`);

test('recipients of one send that are due in a lane are attempted together', () => {
  const queue = new DeliveryQueue();
  queue.due(queue.join(aSend('1', ['a@x', 'b@y.here', 'c@x']), lane));
  expect(named(taken(queue))).toEqual(['1 a@x', '1 c@x']);
  expect(named(taken(queue, 'here'))).toEqual(['1 b@y.here']);
  expect(queue.take('relay')).toBeNull();
});

test('a later send to the same recipient waits for the first one, and its other recipients do not', () => {
  const queue = new DeliveryQueue();
  queue.due(queue.join(aSend('1', ['a@x']), lane));
  queue.due(queue.join(aSend('2', ['A@X', 'b@x']), lane));
  queue.due(queue.join(aSend('3', ['a@x']), lane));
  const [first] = taken(queue);
  expect(named(taken(queue))).toEqual(['2 b@x']);
  expect(queue.take('relay')).toBeNull();
  const second = queue.leave(first as WaitingRecipient);
  expect(named(second)).toEqual(['2 A@X']);
  const third = queue.leave(second[0] as WaitingRecipient);
  expect(named(third)).toEqual(['3 a@x']);
  expect(queue.leave(third[0] as WaitingRecipient)).toEqual([]);
});

test('a deferred recipient stays the first of its line, with a new time', () => {
  const queue = new DeliveryQueue();
  queue.due(queue.join(aSend('1', ['a@x']), lane));
  expect(queue.join(aSend('2', ['a@x']), lane)).toEqual([]);
  const [first] = taken(queue);
  const staying = queue.stay(first as WaitingRecipient, 77);
  expect(staying).toMatchObject({ sendId: '1', dueAt: 77 });
  expect(named(queue.leave(staying))).toEqual(['2 a@x']);
});

test('each workspace has its own line', () => {
  const queue = new DeliveryQueue();
  queue.due(queue.join(aSend('1', ['a@x'], 'one'), lane));
  queue.due(queue.join(aSend('2', ['a@x'], 'other'), lane));
  expect([named(taken(queue)), named(taken(queue))]).toEqual([['1 a@x'], ['2 a@x']]);
});

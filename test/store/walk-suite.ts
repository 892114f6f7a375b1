import { expect, test } from 'vitest';
import type { MailboxId, MessageId, WorkspaceId } from '../../src/domain/ids.ts';
import type { Message } from '../../src/domain/message.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aPlace, deliver, NOON } from './rows.ts';

/** Specifies how a Store walks over messages and counts them. */
export function walkSuite(current: () => Store): void {
  test('a walk reads a number of rows in each step, returns those that match in its scope, and ends', async () => {
    const store = current();
    const one = await aPlace(store);
    const two = await aPlace(store);
    const sent: MessageId[] = [];
    for (let i = 0; i < 9; i++)
      sent.unshift((await deliver(store, (i % 3 === 0 ? two : one).mailbox, Buffer.from('x'), NOON + i)).id);
    const walk = async (scope: { mailboxId?: MailboxId; workspaceId?: WorkspaceId }, rows: number, now = NOON + 10) => {
      const steps: string[][] = [];
      let before: MessageId | undefined;
      do {
        const wanted = ({ id }: Message) => id !== sent[1];
        const step = await store.read.messages.walk({ ...scope, before, rows, now: at(now), wanted });
        steps.push(step.messages.map(({ id }) => id));
        before = step.next ?? undefined;
      } while (before !== undefined);
      return steps;
    };
    const own = (owner: 'one' | 'two') =>
      sent.filter((id, at) => id !== sent[1] && ((8 - at) % 3 === 0) === (owner === 'two'));
    expect((await walk({}, 4)).map(({ length }) => length)).toEqual([3, 4, 1]);
    expect((await walk({}, 4)).flat()).toEqual(sent.filter((id) => id !== sent[1]));
    expect((await walk({ mailboxId: two.mailbox.id }, 1)).flat()).toEqual(own('two'));
    expect((await walk({ workspaceId: one.workspace.id }, 3)).flat()).toEqual(own('one'));
    expect(await walk({}, 9)).toHaveLength(1);
    const { retentionDays } = one.mailbox;
    const later = NOON + retentionDays * DAY_MS + 5;
    expect((await walk({}, 2, later)).flat()).toEqual(sent.slice(0, 3).filter((id) => id !== sent[1]));
    expect(await store.read.messages.countUnexpired(one.mailbox.id, at(later))).toBe(2);
    expect(await store.read.messages.countUnexpired(one.mailbox.id, at(NOON + 10))).toBe(6);
    const list = async (rows: number, now = NOON + 10) => {
      const ids: string[] = [];
      const times: number[] = [];
      let before: MessageId | undefined;
      do {
        const step = await store.read.messages.packed({ mailboxId: one.mailbox.id, before, rows, now: at(now) });
        expect(step.marks.length).toBeLessThanOrEqual(rows);
        expect([step.ids.length, step.sizes.length]).toEqual([26 * step.marks.length, step.marks.length]);
        ids.unshift(...(Buffer.from(step.ids).toString('latin1').match(/.{26}/g) ?? []));
        times.unshift(...Array.from(step.times));
        before = step.next ?? undefined;
      } while (before !== undefined);
      return { ids, times };
    };
    const ofOne = sent.filter((_id, at) => (8 - at) % 3 !== 0).reverse();
    const listed = { ids: ofOne, times: [1, 2, 4, 5, 7, 8].map((ms) => NOON + ms) };
    for (const rows of [1, 4, 6, 99]) expect(await list(rows)).toEqual(listed);
    expect((await list(1, later)).ids).toEqual(ofOne.slice(4));
    await store.transaction(async (tx) => {
      await tx.messages.remove(sent[0] as MessageId);
      const step = await tx.messages.walk({ rows: 2, now: at(NOON + 10), wanted: () => true });
      expect(step.messages.map(({ id }) => id)).toEqual(sent.slice(1, 3));
    });
  });
}

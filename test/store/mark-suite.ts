import { expect, test } from 'vitest';
import type { MessageId } from '../../src/domain/ids.ts';
import { changeMarks, type MarkChange } from '../../src/domain/marks.ts';
import type { Message } from '../../src/domain/message.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { MESSAGE_MARK, type Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aMailbox, aPlace, deliver, NOON } from './rows.ts';

/** Specifies how a Store keeps the marks of messages, and counts them. */
export function markSuite(current: () => Store): void {
  const mark = (ids: readonly MessageId[], change: MarkChange, now = NOON) =>
    current().transaction((tx) => tx.messages.mark(ids, at(now), (message) => changeMarks(message, change)));
  const marksOf = (message: Message | null) => message && [message.isRead, message.isStarred, message.tags];

  test('messages are marked in one transaction, which returns those that changed and leaves out all others', async () => {
    const store = current();
    const { mailbox } = await aPlace(store);
    const first = await deliver(store, mailbox, Buffer.from('1'));
    const second = await deliver(store, mailbox, Buffer.from('2'));
    const gone = await deliver(store, mailbox, Buffer.from('3'));
    await store.transaction((tx) => tx.messages.remove(gone.id));
    expect(marksOf(await store.read.messages.get(first.id, at(NOON)))).toEqual([false, false, []]);
    const marked = await mark([first.id, gone.id, first.id], { read: true, addTags: ['spring', 'News'] });
    expect(marked).toEqual([{ ...first, isRead: true, tags: ['News', 'spring'] }]);
    expect(await mark([first.id, second.id], { read: true })).toEqual([{ ...second, isRead: true }]);
    expect(await mark([first.id], { read: true, removeTags: ['NEWS'], starred: true })).toHaveLength(1);
    expect(marksOf(await store.read.messages.get(first.id, at(NOON)))).toEqual([true, true, ['spring']]);
    expect((await store.blobs.read(first.raw)).toString()).toBe('1');
    const page = await store.read.messages.page(mailbox.id, { limit: 9, now: at(NOON) });
    expect(page.map(marksOf)).toEqual([
      [true, false, []],
      [true, true, ['spring']],
    ]);
    const walked = await store.read.messages.walk({ rows: 9, now: at(NOON), wanted: ({ isStarred }) => isStarred });
    expect(walked.messages.map(({ id }) => id)).toEqual([first.id]);
    const packed = await store.read.messages.packed({ mailboxId: mailbox.id, rows: 9, now: at(NOON) });
    expect([...packed.marks]).toEqual([MESSAGE_MARK.read | MESSAGE_MARK.starred, MESSAGE_MARK.read]);
    expect([...packed.tags]).toEqual([[first.id, ['spring']]]);
    expect(Array.from(packed.sizes)).toEqual([first.sizeBytes, second.sizeBytes]);
    expect(await store.read.messages.lastId(mailbox.id)).toBe(gone.id);
  });

  test('a transaction sees its own marks and counts; one that throws leaves none', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const message = await deliver(store, mailbox);
    const mishap = new Error('mishap');
    await expect(
      store.transaction(async (tx) => {
        await tx.messages.mark([message.id], at(NOON), () => ({ isRead: true, isStarred: true, tags: ['a'] }));
        expect(marksOf(await tx.messages.get(message.id, at(NOON)))).toEqual([true, true, ['a']]);
        expect(await tx.messages.countUnread(mailbox.id, at(NOON))).toBe(0);
        expect((await tx.messages.tags(workspace.id, at(NOON))).nameOf('A')).toBe('a');
        expect(await store.read.messages.countUnread(mailbox.id, at(NOON))).toBe(1);
        throw mishap;
      }),
    ).rejects.toBe(mishap);
    expect(marksOf(await store.read.messages.get(message.id, at(NOON)))).toEqual([false, false, []]);
    expect(await store.read.messages.countUnread(mailbox.id, at(NOON))).toBe(1);
    expect((await store.read.messages.tags(workspace.id, at(NOON))).size).toBe(0);
  });

  test('unread messages and tags are counted through marks, removals, expiry and the end of a mailbox', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const other = aMailbox(workspace.id);
    await store.transaction((tx) => tx.mailboxes.insert(other, 9));
    const inFirst: Message[] = [];
    for (let n = 0; n < 4; n++) inFirst.push(await deliver(store, mailbox, Buffer.from('x'), NOON + n * DAY_MS));
    const inOther = await deliver(store, other, Buffer.from('x'), NOON + 4 * DAY_MS);
    const now = NOON + 4 * DAY_MS;
    const counts = async (when = now) => {
      const { countUnread, tags } = store.read.messages;
      const listed = (await tags(workspace.id, at(when))).list();
      const unread = [await countUnread(mailbox.id, at(when)), await countUnread(other.id, at(when))];
      return [...unread, ...listed.map(({ name, count }) => `${name} ${count}`)];
    };
    const ids = inFirst.map(({ id }) => id);
    expect(await counts()).toEqual([4, 1]);
    await mark([...ids, inOther.id], { addTags: ['all'] }, now);
    await mark([...ids.slice(0, 2), inOther.id], { read: true, addTags: ['two'] }, now);
    expect(await counts()).toEqual([2, 0, 'all 5', 'two 3']);
    // The first two messages are past their retention, but still stored.
    const later = NOON + (mailbox.retentionDays + 1) * DAY_MS;
    expect((await counts(later)).slice(0, 2)).toEqual([2, 0]);
    expect((await counts(later + DAY_MS)).slice(0, 2)).toEqual([1, 0]);
    expect(await mark(ids.slice(0, 1), { read: false }, later)).toEqual([]);
    await store.transaction((tx) => tx.messages.removeExpired(mailbox.id, at(later), 9));
    expect(await counts(later)).toEqual([2, 0, 'all 3', 'two 1']);
    await store.transaction((tx) => tx.messages.remove(ids[2] as MessageId));
    expect(await counts()).toEqual([1, 0, 'all 2', 'two 1']);
    await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
    expect(await counts()).toEqual([0, 0, 'all 1', 'two 1']);
    await mark([inOther.id], { tags: ['ALL'] }, now);
    expect(await counts()).toEqual([0, 0, 'ALL 1']);
    await store.transaction((tx) => tx.mailboxes.remove(other.id));
    expect(await counts()).toEqual([0, 0]);
  });

  test('a shifted clock takes the tags of hidden messages from the counts', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const hidden = await deliver(store, mailbox, Buffer.from('x'), NOON);
    const shown = await deliver(store, mailbox, Buffer.from('x'), NOON + 5 * DAY_MS);
    await mark([hidden.id, shown.id], { addTags: ['both'] });
    await mark([hidden.id], { addTags: ['one'] });
    const shifted = { realNow: NOON + 5 * DAY_MS, serverOffsetMs: (mailbox.retentionDays - 2) * DAY_MS };
    const { list } = await store.read.messages.tags(workspace.id, shifted).then((tags) => ({ list: tags.list() }));
    expect(list).toEqual([{ name: 'both', count: 1 }]);
    expect(await store.read.messages.countUnread(mailbox.id, shifted)).toBe(1);
  });

  test('a copy of the row that a transaction read keeps what another one marked meanwhile', async () => {
    const store = current();
    const { mailbox } = await aPlace(store);
    const message = await deliver(store, mailbox);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => mark([message.id], { addTags: [`tag ${n}`] })),
      mark([message.id], { read: true }),
      mark([message.id], { starred: true }),
    ]);
    const found = await store.read.messages.get(message.id, at(NOON));
    expect(marksOf(found)).toEqual([true, true, Array.from({ length: 10 }, (_, n) => `tag ${n}`)]);
  });
}

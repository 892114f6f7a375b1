import { expect, test } from 'vitest';
import type { MessageId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { kindOf, type Message, type MessageKind } from '../../src/domain/message.ts';
import type { Reader, Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aMessage, aPlace, deliver, NOON, ulidAt } from './rows.ts';

/** Specifies how a Store keeps text messages beside emails. */
export function kindSuite(current: () => Store): void {
  const text = async (store: Store, { id: mailboxId, workspaceId }: Mailbox, receivedAt: number): Promise<Message> => {
    const [raw, facts] = [await store.blobs.put(Buffer.from('a text')), await store.blobs.put(Buffer.from('{}'))];
    const id = ulidAt<MessageId>(receivedAt);
    const message = aMessage({ id, kind: 'sms', workspaceId, mailboxId, receivedAt, sizeBytes: 6, raw, facts });
    await store.transaction((tx) => tx.messages.insertOwn(message));
    return message;
  };
  const listed = async ({ messages }: Reader, mailboxId: Mailbox['id'], kind?: MessageKind, before?: MessageId) =>
    (await messages.page(mailboxId, { kind, before, limit: 2, now: at(NOON + 10) })).map(({ id }) => id);
  const walked = async ({ messages }: Reader, mailboxId: Mailbox['id'], kind?: MessageKind) => {
    const ids: MessageId[] = [];
    let looked = 0;
    for (let before: MessageId | undefined; ; ) {
      const wanted = () => {
        looked++;
        return true;
      };
      const step = await messages.walk({ mailboxId, kind, before, rows: 2, now: at(NOON + 10), wanted });
      ids.push(...step.messages.map(({ id }) => id));
      if (step.next === null) return { ids, looked };
      before = step.next;
    }
  };

  test('emails and text messages of a mailbox are listed apart and together, without a look at the others', async () => {
    const store = current();
    const [{ mailbox }, { mailbox: other }] = [await aPlace(store), await aPlace(store)];
    const sent: Message[] = [];
    await text(store, other, NOON - 1);
    for (let i = 0; i < 8; i++) sent.unshift(await (i % 4 === 1 ? text : deliverAt)(store, mailbox, NOON + i));
    const idsOf = (kind?: MessageKind) =>
      sent.filter((one) => kind === undefined || kindOf(one) === kind).map(({ id }) => id);
    const check = async (read: Reader) => {
      for (const kind of ['email', 'sms', undefined] as const) {
        const ids = idsOf(kind);
        expect(await listed(read, mailbox.id, kind)).toEqual(ids.slice(0, 2));
        if (ids[1] !== undefined) expect(await listed(read, mailbox.id, kind, ids[1])).toEqual(ids.slice(2, 4));
        expect(await walked(read, mailbox.id, kind)).toEqual({ ids, looked: ids.length });
      }
      const [first] = await read.messages.page(mailbox.id, { kind: 'sms', limit: 1, now: at(NOON + 10) });
      expect(first?.kind).toBe(idsOf('sms').length > 0 ? 'sms' : undefined);
      expect(await read.messages.countUnexpired(mailbox.id, at(NOON + 10))).toBe(sent.length);
    };
    await check(store.read);
    expect(await store.read.mailboxes.inboundUsed(mailbox.id, NOON)).toBe(6);
    await store.transaction(async (tx) => {
      const [marked] = await tx.messages.mark([idsOf('sms')[0] as MessageId], at(NOON + 10), () => ({
        isRead: true,
        isStarred: true,
        tags: ['a'],
      }));
      expect(marked?.kind).toBe('sms');
      await check(tx);
    });
    await check(store.read);
    const gone = [idsOf('sms')[0], idsOf('email')[1]] as MessageId[];
    for (const id of gone) {
      await store.transaction(async (tx) => {
        await tx.messages.remove(id);
        sent.splice(
          sent.findIndex((one) => one.id === id),
          1,
        );
        await check(tx);
      });
      await check(store.read);
    }
    await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
    sent.length = 0;
    await check(store.read);
    sent.unshift(await text(store, mailbox, NOON + 8));
    sent.unshift(await deliverAt(store, mailbox, NOON + 9));
    await check(store.read);
  });

  test('a phone number is claimed by one mailbox', async () => {
    const store = current();
    const [{ mailbox: one }, { mailbox: two }] = [await aPlace(store), await aPlace(store)];
    const phone = '+12025550188';
    await store.transaction((tx) => tx.mailboxes.setAddresses(one.id, [phone, 'ada@phones.test']));
    expect(await store.read.mailboxes.byAddress(phone)).toMatchObject({ id: one.id });
    expect(await store.read.mailboxes.byAddress('+12025550189')).toBeNull();
    const taken = store.transaction((tx) => tx.mailboxes.setAddresses(two.id, [phone]));
    await expect(taken).rejects.toMatchObject({ code: 'address_taken', extra: { address: phone, mailboxId: one.id } });
  });
}

function deliverAt(store: Store, mailbox: Mailbox, receivedAt: number): Promise<Message> {
  return deliver(store, mailbox, undefined, receivedAt);
}

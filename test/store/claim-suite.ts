import { expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { aMailbox, aPlace } from './rows.ts';

/** Specifies how a Store handles the addresses that mailboxes claim. */
export function claimSuite(current: () => Store): void {
  const claim = (id: Parameters<Store['read']['mailboxes']['addresses']>[0], addresses: readonly string[]) =>
    current().transaction((tx) => tx.mailboxes.setAddresses(id, addresses));

  test('a claimed address leads to its mailbox, the most specific claim first, in any case', async () => {
    const store = current();
    const { mailbox: one } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    await claim(one.id, ['Alice@email.com', '*@acme.test']);
    await claim(other.id, ['alice+b@email.com', 'bob@acme.test']);
    const takers = await Promise.all(
      ['alice@EMAIL.com', 'alice+a@email.com', 'ALICE+B@email.com', 'x@acme.test', 'Bob@acme.test', 'x@email.com'].map(
        async (recipient) => (await store.read.mailboxes.byAddress(recipient))?.id ?? null,
      ),
    );
    expect(takers).toEqual([one.id, one.id, other.id, one.id, other.id, null]);
    expect(await store.read.mailboxes.addresses(one.id)).toEqual(['Alice@email.com', '*@acme.test']);
  });

  test('an address is claimed once over all workspaces: a second claim is address_taken and claims nothing', async () => {
    const store = current();
    const { mailbox: one } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    await claim(one.id, ['alice@email.com']);
    await expect(claim(other.id, ['free@email.com', 'ALICE@email.com'])).rejects.toMatchObject({
      code: 'address_taken',
      extra: { address: 'ALICE@email.com', mailboxId: one.id },
    });
    expect(await store.read.mailboxes.addresses(other.id)).toEqual([]);
    expect(await store.read.mailboxes.byAddress('free@email.com')).toBeNull();
    await claim(one.id, ['bob@email.com', 'alice@email.com']);
    await claim(one.id, []);
    await claim(other.id, ['alice@email.com']);
    expect(await store.read.mailboxes.byAddress('alice@email.com')).toEqual(other);
  });

  test('claims end with their mailbox, its workspace, and a transaction that throws', async () => {
    const store = current();
    const { workspace, mailbox } = await aPlace(store);
    const second = aMailbox(workspace.id);
    await store.transaction((tx) => tx.mailboxes.insert(second, 10));
    await claim(mailbox.id, ['alice@email.com']);
    await claim(second.id, ['bob@email.com']);
    await expect(
      store.transaction(async (tx) => {
        await tx.mailboxes.remove(mailbox.id);
        await tx.mailboxes.setAddresses(second.id, ['alice@email.com']);
        throw new Error('mishap');
      }),
    ).rejects.toThrow('mishap');
    await store.transaction(async (tx) => {
      expect((await tx.mailboxes.byAddress('alice@email.com'))?.id).toBe(mailbox.id);
      expect((await tx.mailboxes.byAddress('bob@email.com'))?.id).toBe(second.id);
      await tx.mailboxes.remove(mailbox.id);
    });
    expect(await store.read.mailboxes.byAddress('alice@email.com')).toBeNull();
    expect(await store.read.mailboxes.addresses(mailbox.id)).toEqual([]);
    await store.transaction((tx) => tx.workspaces.remove(workspace.id));
    expect(await store.read.mailboxes.byAddress('bob@email.com')).toBeNull();
  });
}

import { expect, test } from 'vitest';
import type { IdentityId, SendId, SuppressionId } from '../../src/domain/ids.ts';
import type { Message } from '../../src/domain/message.ts';
import type { SuppressionEntry } from '../../src/domain/outbound.ts';
import { collectionId, keyOfRecord, type ProviderRecord, recordId } from '../../src/domain/provider.ts';
import type { Send, SendRecipient, SendState } from '../../src/domain/send.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { RecordQuery, Store } from '../../src/ports/store.ts';
import { aPlace, deliver, NOON, ulidAt } from './rows.ts';

function aRecipient(state: SendState): SendRecipient {
  return { address: 'a@x.test', state, attempts: 0, nextAttemptAt: null, handedOver: false, reply: null };
}

/** Stores a send of a message that is in its mailbox. */
export async function aSend(store: Store, message: Message, over: Partial<Send> = {}): Promise<Send> {
  const send: Send = {
    id: ulidAt<SendId>(NOON),
    workspaceId: message.workspaceId,
    mailboxId: message.mailboxId,
    messageId: message.id,
    from: 'a@x.test',
    recipients: [aRecipient('queued')],
    state: 'queued',
    raw: message.raw,
    createdAt: NOON,
    updatedAt: NOON,
    ...over,
  };
  await store.transaction((tx) => tx.sends.insert(send));
  return send;
}

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Specifies how a Store handles sending. */
export function outboundSuite(current: () => Store): void {
  test('a recipient is on the suppression list of one workspace once, and on no other', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const { workspace: other } = await aPlace(store);
    const entry: SuppressionEntry = {
      id: ulidAt<SuppressionId>(NOON),
      workspaceId: workspace.id,
      recipient: 'a@x.test',
      reason: 'bounce',
      addedAt: NOON,
    };
    const again = { ...entry, id: ulidAt<SuppressionId>(NOON), reason: 'complaint' } as const;
    expect(await store.transaction((tx) => tx.suppression.insert(entry))).toBe(true);
    expect(await store.transaction((tx) => tx.suppression.insert(again))).toBe(false);
    expect(await store.read.suppression.list(workspace.id)).toEqual([entry]);
    expect(await store.read.suppression.byRecipient(other.id, 'a@x.test')).toBeNull();
    await store.transaction((tx) => tx.suppression.remove(entry.id));
    expect(await store.read.suppression.byRecipient(workspace.id, 'a@x.test')).toBeNull();
  });

  test('emails sent are counted by the UTC day', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    await store.transaction((tx) => tx.workspaces.countOutbound(workspace.id, NOON, 3));
    await store.transaction((tx) => tx.workspaces.countOutbound(workspace.id, NOON, 2));
    expect(await store.read.workspaces.outboundUsed(workspace.id, NOON)).toBe(5);
    expect(await store.read.workspaces.outboundUsed(workspace.id, NOON + DAY_MS)).toBe(0);
  });

  test('sends are listed newest first, and pending ones oldest first; a settled send leaves the queue', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const message = await deliver(store, mailbox);
    const [first, second] = [await aSend(store, message), await aSend(store, message)];
    expect(ids(await store.read.sends.list({ workspaceId: workspace.id, limit: 9 }))).toEqual([second.id, first.id]);
    expect(ids(await store.read.sends.list({ mailboxId: mailbox.id, before: second.id, limit: 9 }))).toEqual([
      first.id,
    ]);
    expect(ids(await store.read.sends.pending(null, 9))).toEqual([first.id, second.id]);
    const recipients = [aRecipient('delivered')];
    const updated = await store.transaction((tx) =>
      tx.sends.update(first.id, { recipients, state: 'delivered', raw: null }),
    );
    expect(updated).toEqual({ ...first, recipients, state: 'delivered', raw: null });
    expect(ids(await store.read.sends.pending(null, 9))).toEqual([second.id]);
    expect(await store.transaction((tx) => tx.sends.removeSettled(NOON + 1, 9))).toBe(1);
    expect(ids(await store.read.sends.list({ limit: 9 }))).toEqual([second.id]);
  });

  test('a send keeps its bytes when its message is deleted, and frees them when it is settled', async () => {
    const store = current();
    const { mailbox } = await aPlace(store);
    const message = await deliver(store, mailbox, Buffer.from('to be sent'));
    const send = await aSend(store, message);
    await store.transaction((tx) => tx.messages.remove(message.id));
    if (send.raw !== null) expect(String(await store.blobs.read(send.raw))).toBe('to be sent');
    await store.transaction((tx) => tx.sends.update(send.id, { raw: null }));
    expect((await store.read.sends.get(send.id))?.raw).toBeNull();
  });

  test('the records of a provider are listed by their keys, and those over the limit go, but none that is due', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const collection = collectionId(workspace.id, 'resend', 'emails');
    const record = (key: string, due: { dueAt?: number } = {}): ProviderRecord => ({
      ...{ id: recordId(collection, key), collection, workspaceId: workspace.id, createdAt: NOON, data: { key } },
      ...{ provider: 'resend', kind: 'emails', ...due },
    });
    const heard: boolean[] = [];
    const off = store.onCommit(({ due }) => heard.push(due));
    await store.transaction(async (tx) => {
      for (const key of ['b', 'c', 'd', 'e']) await tx.providerRecords.put(record(key));
    });
    expect(heard).not.toContain(true);
    await store.transaction((tx) => tx.providerRecords.put(record('a', { dueAt: NOON })));
    await expect.poll(() => heard).toContain(true);
    off();
    const keysOf = async (query: Omit<RecordQuery, 'limit'>, limit = 2) =>
      (await store.read.providerRecords.list(collection, { ...query, limit })).map(keyOfRecord);
    expect(await keysOf({})).toEqual(['e', 'd']);
    expect(await keysOf({ before: recordId(collection, 'd') })).toEqual(['c', 'b']);
    expect(await keysOf({ after: recordId(collection, 'b') })).toEqual(['c', 'd']);
    expect(await store.read.providerRecords.list(collectionId(workspace.id, 'resend', 'events'), { limit: 9 })).toEqual(
      [],
    );
    await store.transaction((tx) => tx.providerRecords.trim(collection, 3, false));
    expect(await keysOf({}, 9)).toEqual(['e', 'd', 'a']);
    expect(await store.read.providerRecords.due()).toEqual([record('a', { dueAt: NOON })]);
    await store.transaction((tx) => tx.providerRecords.trim(collection, 2, true));
    expect(await keysOf({}, 9)).toEqual(['e', 'd']);
    await store.transaction((tx) => tx.providerRecords.remove(recordId(collection, 'e')));
    expect(await store.read.providerRecords.get(recordId(collection, 'e'))).toBeNull();
    await store.transaction((tx) => tx.workspaces.remove(workspace.id));
    expect(await keysOf({}, 9)).toEqual([]);
  });

  test('removing a workspace takes its identities, suppression entries and sends', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const send = await aSend(store, await deliver(store, mailbox));
    const identity = { id: ulidAt<IdentityId>(NOON), workspaceId: workspace.id, domain: 'x.test', createdAt: NOON };
    await store.transaction((tx) => tx.identities.insert(identity));
    expect(await store.read.identities.list(workspace.id)).toEqual([identity]);
    await store.transaction((tx) => tx.workspaces.remove(workspace.id));
    expect(await store.read.identities.get(identity.id)).toBeNull();
    expect(await store.read.sends.get(send.id)).toBeNull();
    expect(await store.read.workspaces.outboundUsed(workspace.id, NOON)).toBe(0);
  });
}

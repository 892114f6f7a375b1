import { expect, test } from 'vitest';
import type { IdentityId, SendId, SuppressionId } from '../../src/domain/ids.ts';
import type { Message } from '../../src/domain/message.ts';
import type { SuppressionEntry } from '../../src/domain/outbound.ts';
import type { Send, SendRecipient, SendState } from '../../src/domain/send.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Store } from '../../src/ports/store.ts';
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

import { expect, test } from 'vitest';
import { feedIdOf, type RecordedEvent } from '../../src/domain/event.ts';
import type { EventId, MailboxId, WorkspaceId } from '../../src/domain/ids.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Commit, FeedQuery, Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aPlace, deliver, NOON, ulidAt } from './rows.ts';
import { aWebhook, capture } from './webhook-suite.ts';

function anEvent(workspaceId: WorkspaceId, mailboxId: MailboxId): RecordedEvent {
  const data = { mailboxId, subdomain: 'box', name: 'Box' };
  return { id: ulidAt<EventId>(NOON), type: 'mailbox.deleted', at: NOON, workspaceId, data };
}

/** Specifies how a Store keeps the events of the feed. */
export function feedSuite(current: () => Store): void {
  const told = async (query: Partial<FeedQuery> = {}) =>
    (await current().read.events.list({ after: null, limit: 100, now: at(NOON), ...query })).map(feedIdOf);

  async function aHistory() {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    const webhook = aWebhook(workspace.id);
    await store.transaction((tx) => tx.webhooks.insert(webhook, 1));
    const first = await deliver(store, mailbox);
    const event = anEvent(workspace.id, mailbox.id);
    await store.transaction((tx) => tx.events.insert(event));
    const request = await capture(store, webhook);
    const second = await deliver(store, other);
    return { mailbox, other, first, event, request, second };
  }

  test('recorded events and new messages come in the order in which they became durable', async () => {
    const { first, event, request, second } = await aHistory();
    expect(await told()).toEqual([first.id, event.id, request.id, second.id]);
    expect(await current().read.events.lastId()).toBe(second.id);
  });

  test('the feed resumes after an id, even if its event is gone', async () => {
    const { first, event, request, second } = await aHistory();
    expect(await told({ after: event.id })).toEqual([request.id, second.id]);
    await current().transaction((tx) => tx.events.trim(0, 100));
    expect(await told({ after: event.id })).toEqual([request.id, second.id]);
    expect(await told()).toEqual([first.id, request.id, second.id]);
  });

  test('the feed is filtered by type and by mailbox', async () => {
    const { mailbox, first, event, request, second } = await aHistory();
    expect(await told({ types: new Set(['webhook.captured', 'mailbox.deleted']) })).toEqual([event.id, request.id]);
    expect(await told({ mailboxId: mailbox.id })).toEqual([first.id, event.id]);
    expect(await told({ types: new Set(['message.received']), limit: 1, after: event.id })).toEqual([second.id]);
    expect(await told({ types: new Set(['message.received']), limit: 1 })).toEqual([first.id]);
  });

  test('the feed is listed newest first, and between two positions in either direction', async () => {
    const { mailbox, first, event, request, second } = await aHistory();
    const [from, to] = [first.id as unknown as EventId, second.id as unknown as EventId];
    expect(await told({ newest: true })).toEqual([second.id, request.id, event.id, first.id]);
    expect(await told({ newest: true, limit: 3 })).toEqual([second.id, request.id, event.id]);
    expect(await told({ newest: true, before: to, limit: 1 })).toEqual([request.id]);
    expect(await told({ newest: true, after: from, before: to })).toEqual([request.id, event.id]);
    expect(await told({ after: from, before: to })).toEqual([event.id, request.id]);
    expect(await told({ newest: true, mailboxId: mailbox.id })).toEqual([event.id, first.id]);
    expect(await told({ newest: true, types: new Set(['message.received']), limit: 1 })).toEqual([second.id]);
    await current().transaction((tx) => tx.events.trim(0, 100));
    expect(await told({ newest: true, before: event.id })).toEqual([first.id]);
    expect(await told({ newest: true, now: at(NOON + 40 * DAY_MS) })).toEqual([]);
  });

  test('a reset concerns every mailbox', async () => {
    const { mailbox, other, second } = await aHistory();
    const reset: RecordedEvent = { id: ulidAt(NOON), type: 'reset', at: NOON, workspaceId: null, data: {} };
    await current().transaction((tx) => tx.events.insert(reset));
    for (const { id: mailboxId } of [mailbox, other]) {
      expect(await told({ mailboxId, after: second.id as unknown as EventId })).toEqual([reset.id]);
    }
  });

  test('the feed leaves out what is past its retention', async () => {
    const { event } = await aHistory();
    expect(await told({ now: at(NOON + 40 * DAY_MS) })).toEqual([event.id]);
  });

  test('an event that is not the newest is refused, because a reader that resumed after it would never get it', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const early = anEvent(workspace.id, mailbox.id);
    const late = anEvent(workspace.id, mailbox.id);
    await store.transaction((tx) => tx.events.insert(late));
    await expect(store.transaction((tx) => tx.events.insert(early))).rejects.toThrow('not the newest');
  });

  test('a commit reports what it changed', async () => {
    const store = current();
    const { mailbox, workspace } = await aPlace(store);
    const heard: Commit[] = [];
    const stop = store.onCommit((commit) => heard.push(commit));
    await store.transaction((tx) => tx.events.insert(anEvent(workspace.id, mailbox.id)));
    stop();
    expect(heard).toMatchObject([{ feed: true, sends: false, webhookIds: new Set() }]);
    // A subscriber of one mailbox is notified of its events.
    expect(heard.map(({ mailboxIds }) => [...mailboxIds])).toEqual([[mailbox.id]]);
  });
}

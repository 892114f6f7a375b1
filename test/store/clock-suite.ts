import { expect, test } from 'vitest';
import type { CapturedRequestId, EventId, MessageId } from '../../src/domain/ids.ts';
import { DAY_MS, type Moment, timeOf } from '../../src/domain/time.ts';
import type { Workspace } from '../../src/domain/workspace.ts';
import type { Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { aMessage, aPlace, deliver, NOON, ulidAt } from './rows.ts';
import { aWebhook, capture } from './webhook-suite.ts';

const HOUR = 3_600_000;
const RETENTION = 3;
/** The offsets that the clock of a test has one after another: it jumps forth, back, and to where it was before. */
const OFFSETS = [0, 30 * DAY_MS, 0, -30 * DAY_MS, 2 * HOUR, 2 * HOUR + 500, 5 * DAY_MS, 0];

/** Specifies how a Store goes by the clock of a workspace. */
export function clockSuite(current: () => Store): void {
  /** Stores rows while the clock of the workspace jumps. Returns them, the oldest first, with their real times. */
  async function history(store: Store) {
    const { workspace, mailbox } = await aPlace(store, { retentionDays: RETENTION });
    const webhook = aWebhook(workspace.id, { retentionDays: RETENTION });
    await store.transaction((tx) => tx.webhooks.insert(webhook, 10));
    const body = await store.blobs.put(Buffer.from('x'));
    const rows: { id: MessageId; receivedAt: number; arrivedAt: number }[] = [];
    const requests: { id: CapturedRequestId; receivedAt: number; arrivedAt: number }[] = [];
    for (const [turn, clockOffsetMs] of OFFSETS.entries()) {
      await store.transaction((tx) => tx.workspaces.update({ ...workspace, clockOffsetMs }));
      for (let i = 0; i < 4; i++) {
        const arrivedAt = NOON + turn * 12 * HOUR + i * HOUR;
        const receivedAt = arrivedAt + clockOffsetMs;
        const id = ulidAt<MessageId>(arrivedAt);
        const facts = { workspaceId: workspace.id, mailboxId: mailbox.id, raw: body, facts: body };
        await store.transaction((tx) => tx.messages.insert(aMessage({ id, receivedAt, ...facts })));
        rows.push({ id, receivedAt, arrivedAt });
        const requestId = ulidAt<CapturedRequestId>(arrivedAt);
        await capture(store, webhook, null, { id: requestId, receivedAt });
        requests.push({ id: requestId, receivedAt, arrivedAt });
      }
    }
    return { workspace, mailbox, webhook, rows, requests };
  }

  /** The moments and clocks at which a test looks. */
  function* looks(workspace: Workspace): Generator<{ now: Moment; clocked: Workspace; time: number }> {
    for (const clockOffsetMs of [...OFFSETS, 33 * DAY_MS, undefined])
      for (const realNow of [NOON + 4 * DAY_MS, NOON + 5.2 * DAY_MS, NOON + 40 * DAY_MS]) {
        const { clockOffsetMs: _none, ...bare } = workspace;
        const clocked: Workspace = clockOffsetMs === undefined ? bare : { ...bare, clockOffsetMs };
        const now = at(realNow, DAY_MS);
        yield { now, clocked, time: timeOf(clocked, now) };
      }
  }

  test('answers have what is within its retention by the clock of the workspace, wherever that clock moved', async () => {
    const store = current();
    const { workspace, mailbox, webhook, rows, requests } = await history(store);
    for (const { now, clocked, time } of looks(workspace)) {
      await store.transaction((tx) => tx.workspaces.update(clocked));
      const isShown = ({ receivedAt }: { receivedAt: number }) => receivedAt > time - RETENTION * DAY_MS;
      const shown = rows.filter(isShown).map(({ id }) => id);
      const { messages } = store.read;
      const pages: string[] = [];
      for (let before: MessageId | undefined; ; ) {
        const page = await messages.page(mailbox.id, { limit: 3, now, before });
        pages.push(...page.map(({ id }) => id));
        before = page.at(-1)?.id;
        if (page.length < 3) break;
      }
      expect(pages).toEqual(shown.toReversed());
      expect(await messages.countUnexpired(mailbox.id, now)).toBe(shown.length);
      expect((await messages.after(mailbox.id, null, 100, now)).map(({ id }) => id)).toEqual(shown);
      const { messages: walked } = await messages.walk({ rows: 100, now, wanted: () => true, mailboxId: mailbox.id });
      expect(walked.map(({ id }) => id)).toEqual(shown.toReversed());
      for (const { id } of rows) expect((await messages.get(id, now)) !== null).toBe(shown.includes(id));
      for (const since of [NOON, NOON + 3 * HOUR, NOON + 30 * DAY_MS, NOON - 29 * DAY_MS]) {
        const found = await messages.page(mailbox.id, { limit: 100, now, since });
        const wanted = rows.filter((row) => isShown(row) && row.receivedAt >= since);
        expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id).toReversed());
      }
      const kept = requests.filter(isShown).map(({ id }) => id);
      expect(await store.read.requests.count(webhook.id, now)).toBe(kept.length);
      const listed: string[] = [];
      for (let page = 1; ; page++) {
        const found = await store.read.requests.page(webhook.id, { page, pageSize: 3, now });
        listed.push(...found.map(({ id }) => id));
        if (found.length < 3) break;
      }
      expect(listed).toEqual(kept.toReversed());
      const feed = await store.read.events.list({ after: null, limit: 1_000, now });
      const ids = feed.map((item): string =>
        item.kind === 'message' ? item.message.id : item.kind === 'request' ? item.request.id : '',
      );
      const ours = new Set<string>([...rows, ...requests].map(({ id }) => id));
      expect(ids.filter((id) => ours.has(id))).toEqual([...shown, ...kept].sort());
    }
  });

  test('hidden rows are erased only when they are past their retention in real time too', async () => {
    const store = current();
    const { workspace, mailbox, webhook, rows, requests } = await history(store);
    let [left, leftRequests] = [rows, requests];
    for (const { now, clocked, time } of [...looks(workspace)].sort((a, b) => a.now.realNow - b.now.realNow)) {
      const isErased = ({ receivedAt, arrivedAt }: { receivedAt: number; arrivedAt: number }) =>
        receivedAt <= time - RETENTION * DAY_MS && arrivedAt <= now.realNow - RETENTION * DAY_MS;
      const erased = await store.transaction(async (tx) => {
        await tx.workspaces.update(clocked);
        const ids: string[] = [];
        for (let some = ['']; some.length > 0; ids.push(...some))
          some = await tx.messages.removeExpired(mailbox.id, now, 3);
        let count = 0;
        for (let some = 1; some > 0; count += some) some = await tx.requests.removeExpired(webhook.id, now, 3);
        return { ids, count };
      });
      expect(erased.ids.sort()).toEqual(left.filter(isErased).map(({ id }) => id));
      expect(erased.count).toBe(leftRequests.filter(isErased).length);
      left = left.filter((row) => !isErased(row));
      leftRequests = leftRequests.filter((row) => !isErased(row));
      expect((await store.read.counts()).messages).toBe(left.length);
    }
    expect(left.length).toBeLessThan(rows.length);
  });

  test('a step of a walk over a mailbox skips what a clock hides', async () => {
    const store = current();
    const { workspace, mailbox, rows } = await history(store);
    await store.transaction((tx) => tx.workspaces.update({ ...workspace, clockOffsetMs: 30 * DAY_MS }));
    const now = at(NOON + 4 * DAY_MS);
    const shown = rows.filter(
      ({ receivedAt }) => receivedAt > timeOf({ clockOffsetMs: 30 * DAY_MS }, now) - 3 * DAY_MS,
    );
    const walk = { mailboxId: mailbox.id, rows: shown.length, now, wanted: () => true };
    const step = await store.read.messages.walk(walk);
    expect(step.messages.map(({ id }) => id)).toEqual(shown.map(({ id }) => id).toReversed());
    expect(step.next).toBeNull();
    const ids: string[] = [];
    for (let before: MessageId | undefined | null; before !== null; ) {
      const some = await store.read.messages.packed({
        mailboxId: mailbox.id,
        before: before ?? undefined,
        rows: 3,
        now,
      });
      ids.unshift(...(Buffer.from(some.ids).toString('latin1').match(/.{26}/g) ?? []));
      before = some.next;
    }
    expect(ids).toEqual(shown.map(({ id }) => id));
  });

  test('the clock of a workspace moves no other workspace, and outlives other changes of it', async () => {
    const store = current();
    const [mine, other] = [await aPlace(store, { retentionDays: 3 }), await aPlace(store, { retentionDays: 3 })];
    const [own, theirs] = [await deliver(store, mine.mailbox), await deliver(store, other.mailbox)];
    await store.transaction((tx) => tx.workspaces.update({ ...mine.workspace, clockOffsetMs: 3 * DAY_MS }));
    expect(await store.read.workspaces.get(mine.workspace.id)).toEqual({
      ...mine.workspace,
      clockOffsetMs: 3 * DAY_MS,
    });
    expect(await store.read.messages.get(own.id, at(NOON))).toBeNull();
    expect(await store.read.messages.get(theirs.id, at(NOON))).toEqual(theirs);
    expect(await store.read.messages.get(theirs.id, at(NOON, 3 * DAY_MS))).toBeNull();
  });

  test('a commit reports that a clock was set', async () => {
    const store = current();
    const { workspace, mailbox } = await aPlace(store);
    const told: boolean[] = [];
    const stop = store.onCommit(({ clocks }) => told.push(clocks));
    await store.transaction(async (tx) => {
      await tx.workspaces.update({ ...workspace, clockOffsetMs: 1 });
      const data = { offsetSeconds: 0.001 };
      const event = {
        id: ulidAt<EventId>(NOON),
        type: 'clock.set',
        at: NOON,
        workspaceId: workspace.id,
        data,
      } as const;
      await tx.events.insert(event);
    });
    await deliver(store, mailbox);
    stop();
    expect(told).toEqual([true, false]);
  });
}

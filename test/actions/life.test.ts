import { describe, expect, test } from 'vitest';
import { receiveMessage } from '../../src/actions/receive-message.ts';
import { reset, seed } from '../../src/actions/seed.ts';
import { sweep } from '../../src/actions/sweep.ts';
import type { Context } from '../../src/context.ts';
import { hashKey } from '../../src/domain/api-key.ts';
import type { GroupId, WorkspaceId } from '../../src/domain/ids.ts';
import type { MailcapOptions } from '../../src/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { at } from '../support/moment.ts';

const DAY_MS = 86_400_000;

async function deliver(ctx: Context, rcptTo: string): Promise<void> {
  const raw = await ctx.store.blobs.put(Buffer.from('Subject: x\r\n\r\n'));
  const facts = {
    source: 'smtp' as const,
    envelope: { mailFrom: '', rcptTo: [rcptTo] },
    helo: null,
    user: null,
    tls: null,
    clientAddress: null,
    clientPort: null,
    transcript: [],
  };
  const scanned = { sizeBytes: 14, attachmentCount: 0, from: null, to: null, cc: null, subject: 'x' };
  await receiveMessage(ctx, { facts, scanned, raw, into: null });
}

const pageOf = ({ ctx, mailboxId }: TestServer) =>
  ctx.store.read.mailboxes
    .inbox()
    .then((inbox) =>
      inbox?.id === mailboxId ? ctx.store.read.messages.page(inbox.id, { limit: 9, now: at(ctx.clock.now()) }) : [],
    );

describe('seed', () => {
  /** Runs two servers one after the other on the same store. */
  async function restarted(first: MailcapOptions, second: MailcapOptions, between = async (_ctx: Context) => {}) {
    const overrides = { store: memoryStore() };
    const before = await startServer({ ...first, overrides });
    await between(before.ctx);
    await before.close();
    const after = await startServer({ ...second, overrides });
    const [workspace] = await overrides.store.read.workspaces.list();
    const keys = await overrides.store.read.keys.list(workspace?.id ?? after.ctx.ids.next<WorkspaceId>(0));
    await after.close();
    return { before, after, workspace, keys, store: overrides.store };
  }

  test('a restart keeps workspace, mailbox and key, and creates nothing', async () => {
    const apiKey = 'svc_live_same';
    const { before, after, keys, store } = await restarted({ apiKey }, { apiKey });
    expect([after.workspaceId, after.mailboxId]).toEqual([before.workspaceId, before.mailboxId]);
    expect(keys).toHaveLength(1);
    expect(await store.read.counts()).toMatchObject({ workspaces: 1, mailboxes: 1 });
  });

  test('another development key replaces the former one', async () => {
    const { keys } = await restarted({ apiKey: 'svc_live_one' }, { apiKey: 'svc_live_two' });
    const active = keys.filter(({ revokedAt }) => revokedAt === null);
    expect(active.map(({ hash }) => hash)).toEqual([hashKey('svc_live_two')]);
  });

  test('a development key that is given again is valid again', async () => {
    const overrides = { store: memoryStore() };
    for (const apiKey of ['svc_live_one', 'svc_live_two', 'svc_live_one']) {
      const server = await startServer({ apiKey, overrides });
      expect((await server.api('/v1/mailboxes')).status).toBe(200);
      await server.close();
    }
  });

  test('a plan set through the local API outlives a restart that does not name one', async () => {
    const downgrade = (ctx: Context) =>
      ctx.store.transaction(async (tx) => {
        for (const workspace of await tx.workspaces.list()) await tx.workspaces.update({ ...workspace, plan: 'free' });
      });
    expect((await restarted({}, {}, downgrade)).workspace?.plan).toBe('free');
    expect((await restarted({}, { plan: 'business' }, downgrade)).workspace?.plan).toBe('business');
  });

  test('running twice on a seeded store changes nothing', async () => {
    await using server = await startServer();
    const again = await seed(server.ctx, server.apiKey);
    expect(again).toEqual({ workspaceId: server.workspaceId, mailboxId: server.mailboxId });
    expect(await server.ctx.store.read.counts()).toMatchObject({ workspaces: 1, mailboxes: 1 });
  });
});

describe('reset: back to the seeded state', () => {
  test('every message, every mailbox but the seeded, workspaces, keys, groups and the clock', async () => {
    await using server = await startServer();
    const { ctx } = server;
    const { store } = ctx;
    const before = await store.read.mailboxes.inbox();
    const mailbox = await server.addMailbox();
    await deliver(ctx, mailbox.address());
    await deliver(ctx, 'a@inbox.mailcap.example.com');
    ctx.clock.setOffsetMs(DAY_MS);
    await store.transaction(async (tx) => {
      const workspace = (await tx.workspaces.list())[0];
      if (workspace === undefined || before === null) throw new Error('nothing was seeded');
      const id = ctx.ids.next<WorkspaceId>(ctx.clock.now());
      await tx.workspaces.insert({ ...workspace, id, seeded: false, name: 'other' });
      await tx.workspaces.update({ ...workspace, plan: 'free', walletMillicents: 1 });
      await tx.mailboxes.update({ ...before, name: 'renamed', retentionDays: 1 });
      await tx.groups.insert({ id: ctx.ids.next<GroupId>(0), workspaceId: workspace.id, name: 'g', createdAt: 0 });
      await tx.settings.setClockOffsetMs(DAY_MS);
    });

    await reset(ctx);

    expect(await store.read.counts()).toEqual({
      workspaces: 1,
      mailboxes: 1,
      messages: 0,
      storedBytes: 0,
      capturedBytes: 0,
    });
    const [workspace] = await store.read.workspaces.list();
    expect(workspace).toMatchObject({ id: server.workspaceId, plan: 'business', walletMillicents: 1_000_000 });
    expect(await store.read.mailboxes.inbox()).toEqual(before);
    expect(await store.read.mailboxes.inboundUsed(before?.id ?? mailbox.id, ctx.clock.now())).toBe(0);
    expect(await store.read.groups.list(mailbox.workspaceId)).toEqual([]);
    expect([await store.read.settings.clockOffsetMs(), ctx.clock.offsetMs()]).toEqual([0, 0]);
  });

  test('the seeded key still works, mail still arrives, and ids still increase', async () => {
    await using server = await startServer();
    await deliver(server.ctx, 'a@inbox.mailcap.example.com');
    const [old] = await pageOf(server);
    await server.reset();
    expect((await server.api('/v1/mailboxes')).status).toBe(200);
    await deliver(server.ctx, 'b@inbox.mailcap.example.com');
    const [fresh, ...others] = await pageOf(server);
    expect(others).toEqual([]);
    expect((fresh?.id ?? '') > (old?.id ?? '')).toBe(true);
  });
});

describe('sweep', () => {
  test('the sweep removes what is past its retention, and nothing else', async () => {
    await using server = await startServer();
    const { ctx } = server;
    const short = await server.addMailbox({ retentionDays: 1 });
    for (let i = 0; i < 3; i++) await deliver(ctx, short.address());
    await deliver(ctx, 'a@inbox.mailcap.example.com');
    expect(await sweep(ctx)).toBe(0);
    ctx.clock.setOffsetMs(DAY_MS + 1);
    // A shifted clock only hides.
    expect(await sweep(ctx)).toBe(0);
    ctx.clock.setOffsetMs(0);
    ctx.clock.follow(DAY_MS + 1);
    expect(await sweep(ctx)).toBe(3);
    expect(await ctx.store.read.counts()).toMatchObject({ messages: 1, storedBytes: 14 });
  });

  test('the sweep takes as many steps as it needs', async () => {
    await using server = await startServer();
    const short = await server.addMailbox({ retentionDays: 1 });
    await Promise.all(Array.from({ length: 1_203 }, () => deliver(server.ctx, short.address())));
    server.ctx.clock.follow(DAY_MS + 1);
    expect(await sweep(server.ctx)).toBe(1_203);
    expect((await server.ctx.store.read.counts()).messages).toBe(0);
  });
});

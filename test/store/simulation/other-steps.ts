import type { MailboxId, WorkspaceId } from '../../../src/domain/ids.ts';
import type { Mailbox } from '../../../src/domain/mailbox.ts';
import { collectionId, type ProviderRecord, recordId } from '../../../src/domain/provider.ts';
import type { ScriptedResponse, Webhook } from '../../../src/domain/webhook.ts';
import { aGroup, aKey, aMailbox, anAuthenticator, aWorkspace } from '../rows.ts';
import { mailboxRemoval, removalOf, webhookRemoval, workspaceRemoval } from './cascade.ts';
import { type Body, Thrown } from './history.ts';
import { mustBe, newMark, one, type Stage, type Step, someBlob, tell } from './stage.ts';
import { bodyOf, RECORD_KINDS } from './world.ts';

const DAY_MS = 86_400_000;

export const openWorkspace: Step = async (stage) => {
  await stage.history.transact(stage.store, (body) => makeWorkspace(body, stage));
};

/** Deletes all workspaces and creates a new one in one transaction. */
export const reset: Step = async (stage) => {
  await stage.history.transact(stage.store, async (body) => {
    for (const { id } of body.model.all('workspaces')) {
      const changes = workspaceRemoval(body.model, id);
      await body.tx.workspaces.remove(id);
      body.change(...changes);
    }
    await tell(body, stage, { type: 'reset', workspaceId: null, data: {} });
    await makeWorkspace(body, stage);
  });
};

export const closeWorkspace: Step = async (stage) => {
  await stage.history.transact(stage.store, async (body) => {
    const workspaces = body.model.all('workspaces');
    const workspace = one(stage.draw, workspaces);
    if (workspace === null || workspaces.length < 2) return;
    const changes = workspaceRemoval(body.model, workspace.id);
    await body.tx.workspaces.remove(workspace.id);
    body.change(...changes);
    await tell(body, stage, { type: 'reset', workspaceId: workspace.id, data: {} });
  });
};

export const changeMailboxes: Step = async (stage) => {
  const { store, history, draw } = stage;
  await history.transact(store, async (body) => {
    const workspace = one(draw, body.model.all('workspaces'));
    if (workspace === null) return;
    const mailbox = one(draw, body.model.all('mailboxes'));
    const kind = draw.int(3);
    if (kind === 0 || mailbox === null) return void (await makeMailbox(body, stage, workspace.id));
    if (kind === 1) {
      const changed = { ...mailbox, name: newMark(stage.world), retentionDays: 1 + draw.int(5) };
      await body.tx.mailboxes.update(changed);
      body.change(['mailboxes', mailbox.id, changed]);
      const addresses = Array.from({ length: changed.retentionDays % 3 }, (_, i) => `${changed.name}@${i}.test`);
      await body.tx.mailboxes.setAddresses(mailbox.id, addresses);
      return body.change(['claims', mailbox.id, addresses.length > 0 ? { id: mailbox.id, addresses } : null]);
    }
    const changes = mailboxRemoval(body.model, mailbox.id);
    await body.tx.mailboxes.remove(mailbox.id);
    body.change(...changes);
    const { id: mailboxId, workspaceId, subdomain, name } = mailbox;
    await tell(body, stage, { type: 'mailbox.deleted', workspaceId, data: { mailboxId, subdomain, name } });
  });
};

export const changeWebhooks: Step = async (stage) => {
  const { store, history, draw } = stage;
  await history.transact(store, async (body) => {
    const webhook = one(draw, body.model.all('webhooks'));
    const workspace = one(draw, body.model.all('workspaces'));
    if (workspace === null) return;
    const kind = draw.int(4);
    if (kind === 0 || webhook === null) return makeWebhook(body, stage, workspace.id);
    if (kind === 1) {
      const responses: ScriptedResponse[] = Array.from({ length: draw.int(3) }, (_, i) => ({
        status: 200 + i,
        headers: {},
        body: newMark(stage.world),
        delayMs: 0,
      }));
      await body.tx.webhooks.setResponses(webhook.id, responses);
      return body.change(['scripts', webhook.id, responses.length > 0 ? { id: webhook.id, responses } : null]);
    }
    if (kind === 2) {
      const changed = { ...webhook, responseBody: newMark(stage.world) };
      await body.tx.webhooks.update(changed);
      return body.change(['webhooks', webhook.id, changed]);
    }
    const changes = webhookRemoval(body.model, webhook.id);
    await body.tx.webhooks.remove(webhook.id);
    body.change(...changes);
  });
};

/** Changes rows that are only written as a whole: keys, groups, authenticators, identities and suppression entries. */
export const changeSmallRows: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  await history.transact(store, async (body) => {
    const workspace = one(draw, body.model.all('workspaces'));
    if (workspace === null) return;
    const workspaceId = workspace.id;
    const { tx, model } = body;
    switch (draw.int(8)) {
      case 0: {
        const key = aKey(workspaceId, { id: world.nextId(), hash: newMark(world) });
        await tx.keys.insert(key, 1_000);
        return body.change(['keys', key.id, key]);
      }
      case 1: {
        const key = one(draw, model.all('keys'));
        if (key === null) return;
        const revoked = { ...key, revokedAt: world.now };
        await tx.keys.update(revoked);
        return body.change(['keys', key.id, revoked]);
      }
      case 2: {
        const group = { ...aGroup(workspaceId), id: world.nextId<ReturnType<typeof aGroup>['id']>() };
        await tx.groups.insert(group);
        body.change(['groups', group.id, group]);
        const mailbox = one(
          draw,
          model.all('mailboxes').filter((other) => other.workspaceId === workspaceId),
        );
        if (mailbox === null) return;
        const grouped: Mailbox = { ...mailbox, groupId: group.id };
        await tx.mailboxes.update(grouped);
        return body.change(['mailboxes', mailbox.id, grouped]);
      }
      case 3: {
        const group = one(draw, model.all('groups'));
        if (group === null) return;
        await tx.groups.remove(group.id);
        body.change(['groups', group.id, null]);
        for (const mailbox of model.all('mailboxes').filter(({ groupId }) => groupId === group.id))
          body.change(['mailboxes', mailbox.id, { ...mailbox, groupId: null }]);
        return;
      }
      case 4: {
        const authenticator = {
          ...anAuthenticator(workspaceId),
          id: world.nextId<ReturnType<typeof anAuthenticator>['id']>(),
        };
        await tx.authenticators.insert(authenticator);
        return body.change(['authenticators', authenticator.id, authenticator]);
      }
      case 5: {
        const doomed = one(draw, model.all('authenticators'));
        if (doomed === null) return;
        await tx.authenticators.remove(doomed.id);
        return body.change(['authenticators', doomed.id, null]);
      }
      case 6: {
        const entry = {
          id: world.nextId(),
          workspaceId,
          recipient: `r${draw.int(3)}@y.test`,
          reason: 'bounce',
          addedAt: world.now,
        } as const;
        const known = model
          .all('suppression')
          .some((other) => other.workspaceId === workspaceId && other.recipient === entry.recipient);
        mustBe('suppression.insert', await tx.suppression.insert({ ...entry, id: world.nextId() }), !known);
        if (!known)
          for (const row of [await tx.suppression.byRecipient(workspaceId, entry.recipient)])
            if (row !== null) body.change(['suppression', row.id, row]);
        const doomed = draw.chance(0.3) ? one(draw, body.model.all('suppression')) : null;
        if (doomed === null) return;
        await tx.suppression.remove(doomed.id);
        return body.change(['suppression', doomed.id, null]);
      }
      default: {
        const identity = {
          id: world.nextId<Parameters<typeof tx.identities.remove>[0]>(),
          workspaceId,
          domain: `${newMark(world)}.test`,
          createdAt: world.now,
        };
        await tx.identities.insert(identity);
        body.change(['identities', identity.id, identity]);
        const doomed = draw.chance(0.5) ? one(draw, model.all('identities')) : null;
        if (doomed === null) return;
        await tx.identities.remove(doomed.id);
        return body.change(['identities', doomed.id, null]);
      }
    }
  });
};

/** Stores what providers keep for an app, removes some of it, and drops the oldest records of a collection. */
export const changeProviderRecords: Step = async ({ store, history, world, draw }) => {
  await history.transact(store, async (body) => {
    const { model, tx } = body;
    const workspace = one(draw, model.all('workspaces'));
    if (workspace === null) return;
    const kind = draw.pick(RECORD_KINDS);
    const collection = collectionId(workspace.id, draw.pick(['resend', 'ses'] as const), kind);
    const own = model.all('providerRecords').filter((record) => record.collection === collection);
    const old = one(draw, own);
    if (old !== null && draw.chance(0.3)) {
      await tx.providerRecords.remove(old.id);
      return body.change(['providerRecords', old.id, null]);
    }
    const record: ProviderRecord = {
      id: old !== null && draw.chance(0.3) ? old.id : recordId(collection, newMark(world)),
      ...{ workspaceId: workspace.id, collection, kind, createdAt: world.now },
      provider: collection.includes(' ses ') ? 'ses' : 'resend',
      ...(draw.chance(0.4) && { dueAt: world.now + draw.int(DAY_MS) }),
      data: { mark: newMark(world) },
    };
    await tx.providerRecords.put(record);
    body.change(['providerRecords', record.id, record]);
    const [keep, evenDue] = [1 + draw.int(4), draw.chance(0.5)];
    await tx.providerRecords.trim(collection, keep, evenDue);
    const all = [...own.filter(({ id }) => id !== record.id), record].sort((a, b) => (a.id < b.id ? -1 : 1));
    const mayGo = all.filter(({ dueAt }) => evenDue || dueAt === undefined);
    body.change(...removalOf('providerRecords', mayGo.slice(0, Math.max(0, all.length - keep))));
  });
};

/** Stores answers for replays. They leave in the order of their arrival. */
export const rememberAnswer: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  await history.transact(store, async (body) => {
    const workspace = one(draw, body.model.all('workspaces'));
    if (workspace === null) return;
    const id = `${workspace.id} POST /x ${draw.int(4)}`;
    world.idempotencyIds.add(id);
    const record = {
      id,
      workspaceId: workspace.id,
      status: 200,
      body: newMark(world),
      headers: {},
      bodyHash: 'x',
      createdAt: world.now,
      storedAt: world.now,
    };
    await body.tx.idempotency.put(record);
    body.change(['idempotency', id, record]);
  });
};

export const forgetAnswers: Step = async ({ store, history, world }) => {
  await history.transact(store, async (body) => {
    // This time is later than all expiry times, however the clock moved.
    const late = world.now + 400 * DAY_MS;
    const doomed = body.model.all('idempotency');
    mustBe('idempotency.removeExpired', await body.tx.idempotency.removeExpired(late, 1_000), doomed.length);
    body.change(...removalOf('idempotency', doomed));
  });
};

export const trimEvents: Step = async ({ store, history, draw }) => {
  await history.transact(store, async (body) => {
    const keep = 1 + draw.int(8);
    const limit = 1 + draw.int(8);
    const events = body.model.all('events');
    const doomed = events.slice(0, Math.max(0, Math.min(limit, events.length - keep)));
    mustBe('events.trim', await body.tx.events.trim(keep, limit), doomed.length);
    body.change(...removalOf('events', doomed));
  });
};

/** Moves the clock, mostly forward and seldom a little back, and stores the setting. */
export const moveClock: Step = async ({ store, history, world, draw }) => {
  world.moveClock(draw.chance(0.2) ? -draw.int(DAY_MS / 4) : draw.int(2 * DAY_MS));
  const value = draw.int(1_000_000);
  await history.transact(store, async ({ tx, change }) => {
    await tx.settings.setClockOffsetMs(value);
    change(['settings', 'clock', { id: 'clock', value }]);
  });
};

/** Writes and then throws. Nothing of it may become visible. */
export const throwInBody: Step = async (stage) => {
  const blob = await someBlob(stage, bodyOf(newMark(stage.world), stage.draw));
  await stage.history.transact(stage.store, async (body) => {
    await makeWorkspace(body, stage);
    for (const { id } of body.model.all('mailboxes').slice(0, 2)) {
      body.change(...mailboxRemoval(body.model, id));
      await body.tx.mailboxes.remove(id);
    }
    throw new Thrown();
  });
  stage.store.blobs.discard([blob.ref]);
};

/** Writes bytes that no row refers to. It releases them, or leaves them as a broken connection does. */
export const abandonBytes: Step = async (stage) => {
  const { store, world, draw } = stage;
  const bytes = bodyOf(newMark(world), draw);
  if (draw.chance(0.3)) return store.blobs.discard([(await someBlob(stage, bytes)).ref]);
  const writer = store.blobs.writer();
  await writer.write(bytes);
  if (draw.chance(0.5)) writer.abort();
};

async function makeWorkspace(body: Body, stage: Stage): Promise<void> {
  const { world, draw } = stage;
  const workspace = aWorkspace({ id: world.nextId(), createdAt: world.now, walletMillicents: draw.int(1_000) });
  await body.tx.workspaces.insert(workspace);
  body.change(['workspaces', workspace.id, workspace]);
  await makeMailbox(body, stage, workspace.id);
  await makeWebhook(body, stage, workspace.id);
}

async function makeMailbox(body: Body, stage: Stage, workspaceId: WorkspaceId): Promise<void> {
  const { world, draw } = stage;
  const id = world.nextId<MailboxId>();
  const subdomain = `box-${id.toLowerCase()}`;
  const mailbox = aMailbox(workspaceId, { id, subdomain, createdAt: world.now, retentionDays: 1 + draw.int(5) });
  await body.tx.mailboxes.insert(mailbox, 1_000);
  body.change(['mailboxes', id, mailbox]);
  const { name } = mailbox;
  await tell(body, stage, { type: 'mailbox.created', workspaceId, data: { mailboxId: id, subdomain, name } });
}

async function makeWebhook(body: Body, stage: Stage, workspaceId: WorkspaceId): Promise<void> {
  const { world } = stage;
  const webhook: Webhook = {
    id: world.nextId(),
    workspaceId,
    name: null,
    key: newMark(world),
    responseStatus: 200,
    responseContentType: null,
    responseBody: '',
    forwardMode: 'off',
    forwardUrl: null,
    retentionDays: 2,
    createdAt: world.now,
  };
  await body.tx.webhooks.insert(webhook, 1_000);
  body.change(['webhooks', webhook.id, webhook]);
}

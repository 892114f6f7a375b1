import { type MessageId, type Ulid, ulidTime } from '../../../src/domain/ids.ts';
import { changeMarks, type MarkChange } from '../../../src/domain/marks.ts';
import { isErasable, type Message, retentionCutoff } from '../../../src/domain/message.ts';
import { at } from '../../support/moment.ts';
import { countedOn, messagesOf, removalOf, requestsOf } from './cascade.ts';
import {
  type Blob,
  insertMessage,
  insertRequest,
  mustBe,
  newMail,
  newMark,
  newSend,
  one,
  type Step,
  someBlob,
  tell,
} from './stage.ts';
import { bodyOf } from './world.ts';

/** Delivers one mail to up to three mailboxes, which share its bytes. */
export const receiveMail: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  const mark = newMark(world);
  const mail = newMail(stage, mark);
  const [raw, facts] = [await mail.raw, await mail.facts];
  await history.transact(store, async (body) => {
    const mailboxes = body.model.all('mailboxes');
    for (let i = mailboxes.length === 0 ? 0 : 1 + draw.int(3); i > 0; i--)
      await insertMessage(body, stage, draw.pick(mailboxes), { mark, raw, facts });
  });
  store.blobs.discard([raw.ref, facts.ref]);
};

/** Stores the sender's own mail and a send that waits for its bytes. */
export const acceptSend: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  const mark = newMark(world);
  const mail = newMail(stage, mark);
  const [raw, facts] = [await mail.raw, await mail.facts];
  await history.transact(store, async (body) => {
    const mailbox = one(draw, body.model.all('mailboxes'));
    if (mailbox === null) return;
    const message = await insertMessage(body, stage, mailbox, { mark, raw, facts, own: true });
    const send = newSend(stage, message, raw);
    await body.tx.sends.insert(send);
    await body.tx.workspaces.countOutbound(mailbox.workspaceId, world.now, 1);
    const used = countedOn(body.model.get('outbound', mailbox.workspaceId)?.used, world.now, 1);
    body.change(
      ['sends', send.id, { ...send, raw: raw.digest }],
      ['outbound', mailbox.workspaceId, { id: mailbox.workspaceId, used }],
    );
  });
  store.blobs.discard([raw.ref, facts.ref]);
};

/** Delivers a send to a local mailbox. The copy shares the bytes, and the send may release them. */
export const deliverCopy: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  const mark = newMark(world);
  const facts = await someBlob(stage, Buffer.from(mark));
  await history.transact(store, async (body) => {
    const known = one(
      draw,
      body.model.all('sends').filter(({ raw }) => raw !== null),
    );
    const mailbox = one(draw, body.model.all('mailboxes'));
    if (known === null || mailbox === null || known.raw === null) return;
    const current = await body.tx.sends.get(known.id);
    if (current?.raw == null) return mustBe('a send that waits', current, known);
    const raw: Blob = { ref: current.raw, digest: known.raw, size: draw.int(1_000) };
    await insertMessage(body, stage, mailbox, { mark, raw, facts });
    const done = known.recipients.map((recipient) => ({ ...recipient, state: 'delivered' as const, attempts: 1 }));
    const fields = { recipients: done, state: 'delivered' as const, updatedAt: world.now };
    const given = draw.chance(0.6) ? { ...fields, raw: null } : fields;
    await body.tx.sends.update(known.id, given);
    body.change(['sends', known.id, { ...known, ...given }]);
    await tell(body, stage, {
      type: 'send.updated',
      workspaceId: known.workspaceId,
      data: {
        sendId: known.id,
        mailboxId: known.mailboxId,
        messageId: known.messageId,
        state: 'delivered',
        recipients: [],
      },
    });
  });
  store.blobs.discard([facts.ref]);
};

export const removeMessage: Step = async (stage) => {
  const { store, history, draw } = stage;
  await history.transact(store, async (body) => {
    for (let i = draw.int(3); i >= 0; i--) {
      const message = one(draw, body.model.all('messages'));
      if (message === null) return;
      mustBe('messages.remove', await body.tx.messages.remove(message.id), true);
      body.change(['messages', message.id, null]);
      const data = {
        mailboxId: message.mailboxId,
        ids: [message.id],
        upTo: null,
        count: 1,
        reason: 'deleted' as const,
      };
      await tell(body, stage, { type: 'message.deleted', workspaceId: message.workspaceId, data });
    }
  });
};

const NO_MESSAGE = '01JD5Z3V8W0123456789ABCDEF' as MessageId; // no row has this id
const TAGS = ['News', 'spring', 'a b'];

/** Marks some messages, among them perhaps one that is not durable yet, and one that is not there. */
export const markMessages: Step = async (stage) => {
  const { store, history, draw } = stage;
  await history.transact(store, async (body) => {
    const chosen = new Map<MessageId, Message>();
    for (let i = draw.int(6); i >= 0; i--) {
      const message = one(draw, body.model.all('messages'));
      if (message !== null) chosen.set(message.id, message);
    }
    const change: MarkChange = {
      ...(draw.chance(0.7) && { read: draw.chance(0.6) }),
      ...(draw.chance(0.3) && { starred: draw.chance(0.5) }),
      ...(draw.chance(0.3) && { addTags: [draw.pick(TAGS)] }),
      ...(draw.chance(0.2) && { removeTags: [draw.pick(TAGS)] }),
    };
    const marked = await body.tx.messages.mark([...chosen.keys(), NO_MESSAGE], at(0), (row) =>
      changeMarks(row, change),
    );
    const expected = [...chosen.values()].flatMap((row) => {
      const marks = changeMarks(row, change);
      return marks === null ? [] : [{ ...row, ...marks }];
    });
    const ids = expected.map(({ id }) => id);
    mustBe(
      'messages.mark',
      marked.map(({ id }) => id),
      ids,
    );
    for (const row of expected) body.change(['messages', row.id, row]);
    const [first] = expected;
    if (first === undefined) return;
    const messages = expected.map(({ id, isRead: read, isStarred: starred, tags }) => ({ id, read, starred, tags }));
    const data = { mailboxId: first.mailboxId, messages };
    await tell(body, stage, { type: 'message.updated', workspaceId: first.workspaceId, data });
  });
};

export const clearMailbox: Step = async (stage) => {
  const { store, history, draw } = stage;
  await history.transact(store, async (body) => {
    const mailbox = one(draw, body.model.all('mailboxes'));
    if (mailbox === null) return;
    const doomed = messagesOf(body.model, mailbox.id);
    mustBe('messages.removeAll', await body.tx.messages.removeAll(mailbox.id), doomed.length);
    body.change(...removalOf('messages', doomed));
    const data = { mailboxId: mailbox.id, ids: null, upTo: null, count: doomed.length, reason: 'cleared' as const };
    await tell(body, stage, { type: 'message.deleted', workspaceId: mailbox.workspaceId, data });
  });
};

/** Deletes everything that is past its retention. */
export const expire: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  await history.transact(store, async (body) => {
    for (const { id, retentionDays } of body.model.all('mailboxes')) {
      const limit = 1 + draw.int(10);
      const doomed = firstExpired(messagesOf(body.model, id), retentionDays, world.now, limit);
      mustBe(
        'messages.removeExpired',
        await body.tx.messages.removeExpired(id, at(world.now), limit),
        doomed.map((row) => row.id),
      );
      body.change(...removalOf('messages', doomed));
    }
    for (const { id, retentionDays } of body.model.all('webhooks')) {
      const limit = 1 + draw.int(10);
      const doomed = firstExpired(requestsOf(body.model, id), retentionDays, world.now, limit);
      mustBe('requests.removeExpired', await body.tx.requests.removeExpired(id, at(world.now), limit), doomed.length);
      body.change(...removalOf('requests', doomed));
    }
    const settled = body.model
      .all('sends')
      .filter(
        (send) => send.createdAt < world.now - 86_400_000 && !send.recipients.some(({ state }) => state === 'queued'),
      );
    mustBe('sends.removeSettled', await body.tx.sends.removeSettled(world.now - 86_400_000, 1_000), settled.length);
    body.change(...removalOf('sends', settled));
  });
};

/** Captures a request: its headers, its body, and the scripted answer. */
export const capture: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  const headers = await someBlob(stage, Buffer.from(JSON.stringify([['x-mark', newMark(world)]])));
  const content = draw.chance(0.8) ? await someBlob(stage, bodyOf(newMark(world), draw)) : null;
  await history.transact(store, async (body) => {
    const webhook = one(draw, body.model.all('webhooks'));
    if (webhook === null) return;
    await insertRequest(body, stage, webhook, { headers, content });
    const [next = null, ...rest] = body.model.get('scripts', webhook.id)?.responses ?? [];
    mustBe('webhooks.takeResponse', await body.tx.webhooks.takeResponse(webhook.id), next);
    body.change(['scripts', webhook.id, rest.length > 0 ? { id: webhook.id, responses: rest } : null]);
  });
  store.blobs.discard(content === null ? [headers.ref] : [headers.ref, content.ref]);
};

/** Records the result of an attempt to forward a captured request. */
export const forward: Step = async (stage) => {
  const { store, history, world, draw } = stage;
  const answer = draw.chance(0.7) ? await someBlob(stage, bodyOf(newMark(world), draw)) : null;
  await history.transact(store, async (body) => {
    const request = one(draw, body.model.all('requests'));
    if (request === null) return;
    const fields = {
      forwardStatus: draw.pick(['pending', 'delivered', 'failed'] as const),
      forwardAttempts: request.forwardAttempts + 1,
      forwardedAt: world.now,
      forwardHttpStatus: 200,
    };
    await body.tx.requests.update(request.id, { ...fields, ...(answer && { forwardResponse: answer.ref }) });
    body.change(['requests', request.id, { ...request, ...fields, ...(answer && { forwardResponse: answer.digest }) }]);
    const { forwardStatus, forwardHttpStatus, forwardAttempts } = fields;
    await tell(body, stage, {
      type: 'webhook.forwarded',
      workspaceId: request.workspaceId,
      data: { webhookId: request.webhookId, requestId: request.id, forwardStatus, forwardHttpStatus, forwardAttempts },
    });
  });
  if (answer !== null) store.blobs.discard([answer.ref]);
};

export const clearRequests: Step = async (stage) => {
  await stage.history.transact(stage.store, async (body) => {
    const webhook = one(stage.draw, body.model.all('webhooks'));
    if (webhook === null) return;
    const doomed = requestsOf(body.model, webhook.id);
    mustBe('requests.removeAll', await body.tx.requests.removeAll(webhook.id), doomed.length);
    body.change(...removalOf('requests', doomed));
  });
};

function firstExpired<Row extends { readonly id: string; readonly receivedAt: number }>(
  rows: readonly Row[],
  days: number,
  now: number,
  limit: number,
): Row[] {
  const cutoff = retentionCutoff(days, now);
  const expiry = { shown: cutoff, real: cutoff };
  // The clock of the world may go back. An id never does, so a row may have arrived later than it says.
  const end = rows.findIndex(({ id, receivedAt }) => !isErasable(receivedAt, ulidTime(id as Ulid), expiry));
  return rows.slice(0, Math.min(end < 0 ? rows.length : end, limit));
}

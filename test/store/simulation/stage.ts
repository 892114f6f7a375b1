import type { CapturedRequest } from '../../../src/domain/captured-request.ts';
import type { RecordedEvent } from '../../../src/domain/event.ts';
import type { MessageId } from '../../../src/domain/ids.ts';
import type { Mailbox } from '../../../src/domain/mailbox.ts';
import { UNMARKED } from '../../../src/domain/marks.ts';
import type { BlobRef, Message } from '../../../src/domain/message.ts';
import type { Send } from '../../../src/domain/send.ts';
import type { Webhook } from '../../../src/domain/webhook.ts';
import type { Store } from '../../../src/ports/store.ts';
import { insertionOf } from './cascade.ts';
import type { Draw } from './draw.ts';
import { type Body, Broken, type History } from './history.ts';
import { digest } from './model.ts';
import { bodyOf, putBlob, type World, writeBlob } from './world.ts';

/** The arguments of a step: the store, its history, and the world. */
export interface Stage {
  readonly store: Store;
  readonly history: History;
  readonly world: World;
  /** The step's own generator, so that its draws do not depend on concurrent steps. */
  readonly draw: Draw;
}

export type Step = (stage: Stage) => Promise<void>;

/** A blob: its reference in the store and its digest in the model. */
export interface Blob {
  readonly ref: BlobRef;
  readonly digest: BlobRef;
  readonly size: number;
}

/** Stores bytes in one of the two possible ways. */
export async function someBlob({ store, draw }: Stage, bytes: Buffer): Promise<Blob> {
  const ref = draw.chance(0.4) ? await writeBlob(store, bytes, draw) : await putBlob(store, bytes);
  return { ref, digest: digest(bytes), size: bytes.length };
}

/** Returns a random element, or null if the list is empty. */
export function one<T>(draw: Draw, list: readonly T[]): T | null {
  return list.length === 0 ? null : draw.pick(list);
}

/** Throws {@link Broken} if a call returned something else than the model expects. */
export function mustBe(what: string, found: unknown, expected: unknown): void {
  const [is, must] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== must) throw new Broken(`${what} answered ${is} and must answer ${must}`);
}

export function newMark(world: World): string {
  return `mark-${world.nextId().toLowerCase()}`;
}

export function newMail(stage: Stage, mark: string): { raw: Promise<Blob>; facts: Promise<Blob> } {
  const raw = someBlob(stage, bodyOf(mark, stage.draw));
  const facts = raw.then(() => someBlob(stage, Buffer.from(JSON.stringify({ source: 'smtp', mark }))));
  // If the disk refuses both, the caller learns it from `raw` first. This handler prevents an unhandled rejection of
  // `facts`.
  facts.catch(() => {});
  return { raw, facts };
}

/** Inserts a message, which came from outside unless it is the sender's own. */
export async function insertMessage(
  body: Body,
  { world }: Stage,
  mailbox: Mailbox,
  { mark, raw, facts, own = false }: { mark: string; raw: Blob; facts: Blob; own?: boolean },
): Promise<Message> {
  const id = world.nextId<MessageId>();
  // A third are text messages. It takes no draw, so that the recorded seeds keep their histories.
  const isText = !own && id.charCodeAt(id.length - 1) % 3 === 0;
  const message: Message = {
    id,
    ...(isText && { kind: 'sms' as const }),
    workspaceId: mailbox.workspaceId,
    mailboxId: mailbox.id,
    receivedAt: world.now,
    sizeBytes: raw.size,
    attachmentCount: 0,
    from: 'a@x.test',
    to: null,
    cc: null,
    subject: `<${mark}>`,
    mailFrom: 'a@x.test',
    rcptTo: [`b@${mailbox.subdomain}.test`],
    raw: raw.ref,
    facts: facts.ref,
    ...UNMARKED,
  };
  const isCounted = !own && !isText;
  if (!isCounted) await body.tx.messages.insertOwn(message);
  else await body.tx.messages.insert(message);
  body.change(...insertionOf(body.model, { ...message, raw: raw.digest, facts: facts.digest }, isCounted ? 1 : 0));
  return message;
}

/** Records an event as the newest of the feed. */
export async function tell(
  body: Body,
  { world }: Stage,
  event: Pick<RecordedEvent, 'type' | 'data' | 'workspaceId'>,
): Promise<void> {
  // The type and the data come from one object literal.
  const recorded = { id: world.nextId(), at: world.now, ...event } as RecordedEvent;
  await body.tx.events.insert(recorded);
  body.change(['events', recorded.id, recorded]);
}

export async function insertRequest(
  body: Body,
  { world, draw }: Stage,
  webhook: Webhook,
  { headers, content }: { headers: Blob; content: Blob | null },
): Promise<void> {
  const pending = draw.chance(0.5);
  const request: CapturedRequest = {
    id: world.nextId(),
    workspaceId: webhook.workspaceId,
    webhookId: webhook.id,
    receivedAt: world.now,
    method: 'POST',
    path: '/x',
    query: null,
    contentType: 'text/plain',
    sizeBytes: content?.size ?? 0,
    headerBytes: 0,
    sourceIp: '127.0.0.1',
    responseStatus: 200,
    forwardStatus: pending ? 'pending' : 'none',
    forwardAttempts: 0,
    forwardedAt: null,
    forwardHttpStatus: null,
    forwardError: null,
    forwardResponse: null,
    nextForwardAt: pending ? world.now : null,
    headers: headers.ref,
    body: content?.ref ?? null,
  };
  await body.tx.requests.insert(request);
  body.change(
    ['requests', request.id, { ...request, headers: headers.digest, body: content?.digest ?? null }],
    ['captured', webhook.id, { id: webhook.id, lastRequestAt: request.receivedAt }],
  );
}

export function newSend(stage: Stage, message: Message, raw: Blob): Send {
  const { world, draw } = stage;
  return {
    id: world.nextId(),
    workspaceId: message.workspaceId,
    mailboxId: message.mailboxId,
    messageId: message.id,
    from: 'me@x.test',
    recipients: Array.from({ length: 1 + draw.int(2) }, (_, i) => ({
      address: `r${i}@y.test`,
      state: 'queued' as const,
      attempts: 0,
      nextAttemptAt: world.now,
      handedOver: false,
      reply: null,
    })),
    state: 'queued',
    raw: raw.ref,
    createdAt: world.now,
    updatedAt: world.now,
  };
}

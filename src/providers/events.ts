import { type TriedWebhook, tryWebhook } from '../actions/outgoing-webhooks.ts';
import { timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../domain/errors.ts';
import { keyOfRecord, type ProviderRecord } from '../domain/provider.ts';
import type { Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import type { EmailEvent, OutgoingEvent } from './door.ts';
import { getRecord, listRecords, putRecord, type RecordScope, removeRecord, whileKept } from './records.ts';

// The events of emails on their way to the webhooks that the app registered with the provider's API. They are records,
// so they survive a restart. The provider's retries follow the clock of the workspace.

/** A request that is tried until the app takes it. */
export interface TriedRequest {
  readonly id: string;
  /** The number of the next try, from 1. */
  readonly number: number;
}

/** The data of a record of an event. */
interface EventData extends OutgoingEvent, TriedRequest {
  /** The key of the webhook. Null for a URL that the request of the email named. */
  readonly webhook: string | null;
}

/** The most retries of an event. The signature scheme's service may make fewer. */
const MOST_RETRIES = 40;
/** The webhooks of a workspace that get the events of a provider, at most. */
const MOST_WEBHOOKS = 50;

/**
 * Puts events on their way to each webhook of the app that wants them, and to the URLs that requests named. Returns the
 * number of requests that will be made.
 */
export async function queueEvents(scope: RecordScope, tx: Tx, events: readonly EmailEvent[]): Promise<number> {
  const { ctx, door, workspaceId } = scope;
  const webhooks = await listRecords(scope, tx, 'webhooks', { limit: MOST_WEBHOOKS });
  if (webhooks.length === 0 && door.callbacksFor === undefined && door.publish === undefined) return 0;
  const now = await timeIn(ctx, tx, workspaceId);
  let requests = 0;
  const queue = async (outgoing: OutgoingEvent, about: string, webhook: string | null): Promise<void> => {
    await queueEvent(scope, tx, { ...outgoing, about }, webhook);
    requests++;
  };
  for (const event of events) {
    for (const webhook of webhooks)
      for (const outgoing of door.eventsFor?.(event, webhook, now) ?? [])
        await queue(outgoing, event.record.id, keyOfRecord(webhook));
    for (const outgoing of door.callbacksFor?.(event) ?? []) await queue(outgoing, event.record.id, null);
    requests += (await door.publish?.(scope, tx, event, now)) ?? 0;
  }
  return requests;
}

/** Puts a request on its way. `webhook` is the key of the webhook that wants it; without the webhook it is dropped. */
export async function queueEvent(
  scope: RecordScope,
  tx: Tx,
  outgoing: OutgoingEvent,
  webhook: string | null,
): Promise<void> {
  const { ctx, workspaceId } = scope;
  const key = ctx.ids.next(realTime(ctx.clock));
  const data: EventData = { ...outgoing, id: `msg_${key}`, number: 1, webhook };
  await putRecord(scope, tx, 'events', key, { ...data, dueAt: await timeIn(ctx, tx, workspaceId) });
}

/** Makes the next try to send an event. Records when the one after it is due, or removes the event. */
export async function sendEvent(scope: RecordScope, record: ProviderRecord, signal: AbortSignal): Promise<void> {
  const { ctx, door } = scope;
  const data = record.data as unknown as EventData; // `queueEvents` alone writes these records
  const reader = await ctx.store.readNow();
  const webhook = data.webhook === null ? null : await getRecord(scope, reader, 'webhooks', data.webhook);
  // The app removed the webhook meanwhile, so nobody waits for the event.
  if (webhook === null && data.webhook !== null)
    return ctx.store.transaction((tx) => removeRecord(scope, tx, 'events', keyOfRecord(record)));
  const now = await timeIn(ctx, reader, record.workspaceId);
  const event = webhook === null ? data : (door.sign?.(data, webhook, now) ?? data);
  await tryEvent(scope, record, data, event, signal);
}

/**
 * Makes the next try to send a request. Records when the one after it is due, or removes the record. One that can't be
 * sent, such as one with a body of over 10 MiB, is dropped.
 */
export async function tryEvent(
  scope: RecordScope,
  record: ProviderRecord,
  data: TriedRequest,
  event: OutgoingEvent,
  signal: AbortSignal,
): Promise<void> {
  const { ctx, door } = scope;
  const { status, error, delayMs: pause } = await tryOutgoing(ctx, data, event, signal);
  if (signal.aborted) return;
  const [first, last] = event.ends ?? [0, -1];
  const delayMs = status !== null && status >= first && status <= last ? null : pause;
  if (delayMs === null && (status === null || status >= 300))
    ctx.log.warn('an event did not reach the app', { provider: door.name, tries: data.number, status, error });
  await whileKept(scope, record, async (tx, before) => {
    if (delayMs === null) return tx.providerRecords.remove(record.id);
    const dueAt = (await timeIn(ctx, tx, record.workspaceId)) + delayMs;
    await putRecord(scope, tx, before.kind, keyOfRecord(before), { ...before.data, number: data.number + 1, dueAt });
  });
}

/** Makes one try to send a request. One that can't be sent has an error and no further try. */
export async function tryOutgoing(
  ctx: Context,
  { id, number }: TriedRequest,
  event: OutgoingEvent,
  signal: AbortSignal,
): Promise<TriedWebhook> {
  const { url, authorization } = withoutCredentials(event.url);
  const spec = {
    ...{ event: null, scheme: event.scheme ?? 'none', secret: event.secret ?? null, set: [], id, method: event.method },
    headers: authorization === null ? event.headers : [...event.headers, ['Authorization', authorization] as const],
    body: Buffer.from(event.body),
    retries: MOST_RETRIES,
    ...(event.delays !== undefined && { delays: event.delays }),
  };
  return tryWebhook(ctx, url, spec, number, signal).catch((cause: unknown) => {
    if (!(cause instanceof ApiError)) throw cause;
    const reply = { headers: {}, beginning: new Uint8Array() };
    return { status: null, error: cause.message, delayMs: null, reply };
  });
}

/** Takes a user name and a password out of a URL: they are sent as Basic, as providers do. */
function withoutCredentials(text: string): { readonly url: string; readonly authorization: string | null } {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, authorization: null };
  url.username = '';
  url.password = '';
  const pair = `${decodedOr(username)}:${decodedOr(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

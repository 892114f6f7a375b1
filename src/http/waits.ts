import { z } from 'zod';
import { timeIn } from '../actions/time.ts';
import { awaitMessages } from '../actions/waits.ts';
import type { Context } from '../context.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import { parseFilter } from '../domain/message.ts';
import { writeTime } from '../domain/time.ts';
import type { CancelSignal, HeldWait, WaitNote } from '../ports/waiting.ts';
import { answerWriter, nullable, time } from './answers.ts';
import { checkTimePassed, type Exchange } from './exchange.ts';
import { localRoute, mailboxInScope, route, textParam, timeParam, whole } from './route.ts';
import { MessageSummaryResponse, toMessageSummaryResponse } from './schemas.ts';

// A wait of the cloud API, and the list of all awaits that are held.

/** The default `since` of an await: this many milliseconds before the request. */
export const SINCE_MS = 5_000;

/** The conditions on the summary of a message, as parameters. */
export const SUMMARY_PARAMS = {
  subject: textParam('Text in the subject; case is ignored'),
  from: textParam('Text in the From header or the envelope sender; case is ignored'),
  to: textParam('Text in To, Cc or an envelope recipient; case is ignored'),
};

/** The time in which a wait looks, as parameters. */
export const WAIT_PARAMS = {
  since: timeParam(
    'invalid_since',
    'Only messages received at or after this time; default: five seconds before the request',
  ),
  timeout: whole(1, 60, 30, 'invalid_timeout', 'Seconds to wait'),
};

export const awaitMessage = route('GET', '/v1/mailboxes/:mailboxId/messages/await', {
  id: 'awaitMessage',
  summary: 'Wait for a message',
  description:
    'Holds the request until a message matches every given filter, and returns the newest match. 204: none came in time.',
  resolve: mailboxInScope,
  query: { ...SUMMARY_PARAMS, ...WAIT_PARAMS },
  returns: { 200: MessageSummaryResponse, 204: null },
  handle: async ({ ctx, key, read, found, query, exchange }) => {
    const timeoutMs = query.timeout * 1_000;
    const since = query.since ?? (await timeIn(ctx, read, found.workspaceId)) - SINCE_MS;
    const { id: mailboxId, workspaceId } = found;
    const { subject, from, to } = query;
    const filters = { subject, from, to, since: writeTime(since) };
    const cancelSignal = untilRevoked(ctx, key, exchange);
    const messages = await holdAwait(
      ctx,
      { kind: 'message', workspaceId, mailboxId, webhookId: null, note: readWaitNote(exchange) },
      { filters, timeoutMs },
      () =>
        awaitMessages(ctx, found, {
          kind: 'email',
          filter: parseFilter(query),
          count: 1,
          since,
          timeoutMs,
          cancelSignal,
        }),
    );
    if ((await ctx.store.read.keys.get(key.id))?.revokedAt !== null) throw refuse('unauthorized');
    if (messages === null) checkTimePassed(exchange);
    return messages?.map(toMessageSummaryResponse)[0];
  },
});

/** Ends a wait when its key is revoked, even if the wait began before. */
function untilRevoked({ waiters, store }: Context, { id }: ApiKey, exchange: CancelSignal): CancelSignal {
  return {
    get isCancelled() {
      return exchange.isCancelled;
    },
    onCancel: (act) => {
      const calledOff = exchange.onCancel(act);
      const heard = waiters.onRevoked(id, act);
      let isOver = false;
      // The key may have been revoked after it was checked and before this listener was added.
      const look = async () => {
        const key = await store.read.keys.get(id);
        if (!isOver && key?.revokedAt !== null) act();
      };
      // An error is ignored: a store that can't be read reports all keys once it can be read again.
      look().catch(() => {});
      return () => {
        isOver = true;
        calledOff();
        heard();
      };
    },
  };
}

// The client decides about filters that the server can't evaluate, such as patterns. It tells the server what it waits
// for and which messages it refused (docs/api.md#messages-of-all-mailboxes).

const MAX_CHARACTERS = 8_000;

const text = z.string().max(1_000);
const WaitNoteHeader = z.object({
  call: text,
  since: time,
  filters: z.record(z.string().max(50), text),
  asked: z.object({ subject: text, from: text, to: text, body: text }).partial(),
  undecided: z.array(text).max(20),
  refused: z.array(z.object({ id: text, reason: text })).max(20),
});

/** Reads the note of a wait from the header `Mailcap-Wait`. Null if there is none, or none that can be read. */
function readWaitNote({ req }: Exchange): WaitNote | null {
  const given = req.headers['mailcap-wait'];
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS) return null;
  try {
    const { success, data } = WaitNoteHeader.safeParse(JSON.parse(decodeURIComponent(given)));
    return success ? (data as WaitNote) : null;
  } catch {
    // The note is only shown to people. A wait works without it.
    return null;
  }
}

// The awaits that are held now (docs/api.md#messages-of-all-mailboxes).

export const WaitResponse = z.object({
  kind: z.enum(['message', 'request']),
  workspaceId: z.string(),
  mailboxId: nullable,
  webhookId: nullable,
  filters: z.record(z.string(), z.string()).describe('The given filters, and since or after'),
  note: z
    .object({
      call: z.string(),
      since: time,
      filters: z.record(z.string(), z.string()),
      asked: z.object({ subject: z.string(), from: z.string(), to: z.string(), body: z.string() }).partial(),
      undecided: z.array(z.string()),
      refused: z.array(z.object({ id: z.string(), reason: z.string() })),
    })
    .nullable()
    .describe('The wait as the client tells it, with the messages that it refused; null if it tells nothing'),
  heldSince: time,
  until: time,
});

const toWaitResponse = answerWriter(WaitResponse);

export const waits = [
  localRoute('GET', '/_mailcap/waits', {
    id: 'listWaits',
    summary: 'List the awaits held now',
    returns: { 200: z.array(WaitResponse) },
    handle: async ({ ctx }) => {
      const ofOthers = (await ctx.cluster.awaitsOfOthers()).flatMap(({ waits }) => waits);
      const all = [...ctx.waits.list(), ...ofOthers];
      return all.sort((one, other) => one.heldSince - other.heldSince).map(toWaitResponse);
    },
  }),
];

/** Holds an await on the list while `wait` runs. Empty or undefined `filters` are left out. */
export async function holdAwait<T>(
  ctx: Context,
  about: Omit<HeldWait, 'filters' | 'note' | 'heldSince' | 'until'> & Partial<Pick<HeldWait, 'note'>>,
  {
    filters,
    timeoutMs,
  }: { readonly filters: Readonly<Record<string, string | undefined>>; readonly timeoutMs: number },
  wait: () => Promise<T>,
): Promise<T> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const heldSince = await timeIn(ctx, ctx.store.read, about.workspaceId);
  const release = ctx.waits.hold({
    note: null,
    ...about,
    filters: Object.fromEntries(given),
    heldSince,
    until: heldSince + timeoutMs,
  });
  try {
    return await wait();
  } finally {
    release();
  }
}

import { z } from 'zod';
import { awaitMessage } from '../../actions/await-message.ts';
import { readFactsInScope } from '../../actions/read-facts-in-scope.ts';
import { readParsed } from '../../actions/read-message.ts';
import { readVerdicts } from '../../actions/read-verdicts.ts';
import { timeIn } from '../../actions/workspace-time.ts';
import type { Context } from '../../context.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { refuse } from '../../domain/errors.ts';
import type { MessageId } from '../../domain/ids.ts';
import { parseFilter } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import { momentNow } from '../../ports/clock.ts';
import type { Ending } from '../../ports/ending.ts';
import { checkTimePassed } from '../admit.ts';
import { mailboxInScope, messageInScope } from '../find.ts';
import { inPieces } from '../large-json.ts';
import { holdAwait } from '../local/waits.ts';
import { textParam, timeParam, ulid, whole } from '../query.ts';
import { route } from '../route.ts';
import {
  MessageDetailResponse,
  MessageSummaryResponse,
  toMessageDetailResponse,
  toMessageSummaryResponse,
} from '../schemas.ts';
import { readWaitNote } from '../wait-note.ts';

// docs/api.md#messages

/** Ends a wait when its key is revoked, even if the wait began before. */
function untilRevoked({ waiters, store }: Context, { id }: ApiKey, exchange: Ending): Ending {
  return {
    get ended() {
      return exchange.ended;
    },
    onEnd: (act) => {
      const calledOff = exchange.onEnd(act);
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

/** The default `since` of an await: this many milliseconds before the request. */
const SINCE_MS = 5_000;

export const messageRoutes = [
  route('GET', '/v1/mailboxes/:mailboxId/messages', {
    id: 'listMessages',
    summary: 'List messages, newest first',
    description:
      'Returns summaries without bodies. For the next page, before is the id of the last message of this page.',
    find: mailboxInScope,
    query: {
      limit: whole(1, 200, 50, 'invalid_limit', 'The most messages to return'),
      before: ulid<MessageId>('invalid_before', 'Only messages older than this one, which need not exist'),
    },
    returns: { 200: z.array(MessageSummaryResponse) },
    handle: async ({ ctx, read, found, query }) => {
      const page = await read.messages.page(found.id, { ...query, now: momentNow(ctx.clock) });
      return inPieces(page.map(toMessageSummaryResponse));
    },
  }),

  route('GET', '/v1/mailboxes/:mailboxId/messages/await', {
    id: 'awaitMessage',
    summary: 'Wait for a message',
    description:
      'Holds the request until a message matches every given filter, and returns the newest match. 204: none came in time.',
    find: mailboxInScope,
    query: {
      subject: textParam('Text in the subject; case is ignored'),
      from: textParam('Text in the From header or the envelope sender; case is ignored'),
      to: textParam('Text in To, Cc or an envelope recipient; case is ignored'),
      since: timeParam(
        'invalid_since',
        'Only messages received at or after this time; default: five seconds before the request',
      ),
      timeout: whole(1, 60, 30, 'invalid_timeout', 'Seconds to wait'),
    },
    returns: { 200: MessageSummaryResponse, 204: null },
    handle: async ({ ctx, key, read, found, query, exchange }) => {
      const timeoutMs = query.timeout * 1_000;
      const since = query.since ?? (await timeIn(ctx, read, found.workspaceId)) - SINCE_MS;
      const { id: mailboxId, workspaceId } = found;
      const { subject, from, to } = query;
      const filters = { subject, from, to, since: writeTime(since) };
      const ending = untilRevoked(ctx, key, exchange);
      const message = await holdAwait(
        ctx,
        { kind: 'message', workspaceId, mailboxId, webhookId: null, note: readWaitNote(exchange) },
        { filters, timeoutMs },
        () => awaitMessage(ctx, found, { filter: parseFilter(query), since, timeoutMs, ending }),
      );
      if ((await ctx.store.read.keys.get(key.id))?.revokedAt !== null) throw refuse('unauthorized');
      if (message === null) checkTimePassed(exchange);
      return message === null ? undefined : toMessageSummaryResponse(message);
    },
  }),

  route('GET', '/v1/mailboxes/:mailboxId/messages/:id', {
    id: 'getMessage',
    summary: 'Get a message with its bodies, headers and attachments',
    find: messageInScope,
    returns: { 200: MessageDetailResponse },
    handle: async ({ ctx, key, found }) => {
      const facts = await readFactsInScope(ctx, key, found);
      const parsed = await readParsed(ctx, found);
      return inPieces(toMessageDetailResponse(found, facts, parsed, await readVerdicts(ctx, found, facts, parsed)));
    },
  }),
];

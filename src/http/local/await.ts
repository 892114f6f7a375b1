import { z } from 'zod';
import { awaitMatching } from '../../actions/await-matching.ts';
import { readCodesAndLinks } from '../../actions/find-codes-and-links.ts';
import { type WholeFilter, wholeMatcher } from '../../actions/match-whole-message.ts';
import { readFacts, readParsed } from '../../actions/read-message.ts';
import { readVerdicts } from '../../actions/read-verdicts.ts';
import { timeIn } from '../../actions/workspace-time.ts';
import type { Context } from '../../context.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import type { Message } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import { checkTimePassed } from '../admit.ts';
import type { Exchange } from '../exchange.ts';
import { anyMailbox } from '../find.ts';
import { inPieces } from '../large-json.ts';
import { type Param, readTexts, timeParam, whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { toMessageDetailResponse } from '../schemas.ts';
import { toFoundResponse, WholeMessageResponse } from './message-schemas.ts';
import { holdAwait } from './waits.ts';
import { CONDITION_PARAMS, givenConditions, toWholeFilter } from './whole-filter.ts';

// This module implements docs/awaiting-mail.md, for suites without our client. One request returns the whole
// message.

/** The default of `since`: this many milliseconds before the request, like in the cloud API. */
const SINCE_MS = 5_000;
const MAX_COUNT = 100;

const COUNT = whole(1, MAX_COUNT, 1, 'invalid_count');
/** The parameter `count`; undefined if it is not given, then the answer is a single message. */
const count: Param<number | undefined> = {
  kind: 'whole',
  parse: COUNT.parse,
  fallback: undefined,
  code: COUNT.code,
  min: 1,
  max: MAX_COUNT,
  about: 'The number of messages to wait for. If it is given, the answer is a list in the order of receipt',
};

export const localAwait = [
  localRoute('GET', '/_mailcap/mailboxes/:id/await', {
    id: 'awaitWholeMessage',
    summary: 'Wait for a message, and get it with its codes and links',
    description:
      'Holds the request until a message matches every given filter, and returns the newest match; with count, it returns a list of that many. 204: they did not come in time.',
    find: anyMailbox,
    query: {
      ...CONDITION_PARAMS,
      count,
      since: timeParam(
        'invalid_since',
        'Only messages received at or after this time; default: five seconds before the request',
      ),
      timeout: whole(1, 60, 30, 'invalid_timeout', 'Seconds to wait'),
    },
    returns: { 200: z.union([WholeMessageResponse, z.array(WholeMessageResponse)]), 204: null },
    handle: async ({ ctx, found, query, exchange }) => {
      const since = query.since ?? (await timeIn(ctx, ctx.store.read, found.workspaceId)) - SINCE_MS;
      const { count: wanted, timeout } = query;
      const asked: Asked = { filter: toWholeFilter(query), count: wanted, timeout, since };
      const messages = await holdAwait(
        ctx,
        { kind: 'message', workspaceId: found.workspaceId, mailboxId: found.id, webhookId: null },
        {
          filters: {
            ...givenConditions(exchange.query),
            ...readTexts(['count'], exchange.query),
            since: writeTime(since),
          },
          timeoutMs: query.timeout * 1_000,
        },
        () => awaitAsked(ctx, found, asked, exchange),
      );
      if (messages === null) checkTimePassed(exchange);
      const [first, ...others] = messages ?? [];
      if (first === undefined) return undefined;
      if (query.count === undefined) return inPieces(await wholeMessage(ctx, first));
      return inPieces(await Promise.all([first, ...others].map((message) => wholeMessage(ctx, message))));
    },
  }),
];

interface Asked {
  readonly filter: WholeFilter;
  readonly count: number | undefined;
  readonly since: number;
  readonly timeout: number;
}

function awaitAsked(ctx: Context, mailbox: Mailbox, asked: Asked, ending: Exchange): Promise<Message[] | null> {
  const { filter, count: wanted = 1, since, timeout } = asked;
  const { matches } = wholeMatcher(ctx, filter);
  return awaitMatching(ctx, mailbox, { matches, count: wanted, since, timeoutMs: timeout * 1_000, ending });
}

async function wholeMessage(ctx: Context, message: Message): Promise<z.infer<typeof WholeMessageResponse>> {
  const facts = await readFacts(ctx, message);
  const parsed = await readParsed(ctx, message);
  const verdicts = await readVerdicts(ctx, message, facts, parsed);
  return {
    ...toMessageDetailResponse(message, facts, parsed, verdicts),
    mailboxId: message.mailboxId,
    workspaceId: message.workspaceId,
    ...toFoundResponse(await readCodesAndLinks(ctx, parsed)),
  };
}

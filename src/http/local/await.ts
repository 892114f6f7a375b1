import { z } from 'zod';
import { markEach } from '../../actions/mark-messages.ts';
import { type HeaderFilter, type WholeFilter, wholeMatcher } from '../../actions/match-message.ts';
import { readCodesAndLinks, readFacts, readParsed, readVerdicts } from '../../actions/read-message.ts';
import { parseSearch } from '../../actions/search-messages.ts';
import { timeIn } from '../../actions/time.ts';
import { awaitMessages } from '../../actions/waits.ts';
import type { Context } from '../../context.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import { CONDITIONS, type ConditionName, kindOf, type Message, parseFilter } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import { LINK_KINDS, type LinkKind } from '../../extract/link-kinds.ts';
import type { CancelSignal } from '../../ports/waiting.ts';
import type { AnswerOf } from '../answers.ts';
import { checkTimePassed } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import {
  anyMailbox,
  flag,
  localRoute,
  type Param,
  type QuerySpec,
  readTexts,
  searchText,
  textParam,
  whole,
} from '../route.ts';
import { toMessageDetailResponse } from '../schemas.ts';
import { holdAwait, SINCE_MS, SUMMARY_PARAMS, WAIT_PARAMS } from '../waits.ts';
import { toMarks } from './marks.ts';
import { toFoundResponse, WholeMessageResponse } from './messages.ts';
import { KIND_PARAM, kindMeant } from './search.ts';

// The conditions of a wait as query parameters. The await and the diagnosis that explains it take the same ones.

interface Conditions {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly header: HeaderFilter | null;
  readonly code: boolean;
  readonly link: LinkKind | 'any' | null;
  readonly query: string;
}

const code = flag('invalid_code', '1: only messages that hold a code');

const link: Param<LinkKind | 'any' | null> = {
  kind: 'text',
  parse: (given) => (given === 'any' ? given : (LINK_KINDS.find((kind) => kind === given.toLowerCase()) ?? null)),
  fallback: null,
  code: 'invalid_link',
  texts: [...LINK_KINDS, 'any'],
  about: `Only messages that hold a link of this kind: ${LINK_KINDS.join(', ')}; any`,
};

const header: Param<HeaderFilter | null> = {
  kind: 'text',
  parse: parseHeader,
  fallback: null,
  code: 'invalid_header',
  about:
    'A header field and a text in its value, as in X-Campaign: spring; case is ignored. A name alone: the field exists',
};

export const CONDITION_PARAMS: QuerySpec<Conditions> = {
  ...SUMMARY_PARAMS,
  body: textParam('Text in the visible body; case is ignored'),
  header,
  code,
  link,
  query: searchText('Search words, as in GET /_mailcap/messages'),
};

export async function toWholeFilter(ctx: Context, given: Conditions, mailbox: Mailbox): Promise<WholeFilter> {
  const { body, header, code, link } = given;
  const query = await parseSearch(ctx, given.query, mailbox.workspaceId);
  return { summary: parseFilter(given), body, header, code, link, query };
}

/** Returns the conditions of a request's query as they were given, without empty ones. */
export function givenConditions(query: string): Partial<Record<ConditionName, string>> {
  return Object.fromEntries(Object.entries(readTexts(CONDITIONS, query)).filter(([, text]) => text !== ''));
}

function parseHeader(given: string): HeaderFilter | null {
  const colon = given.indexOf(':');
  const name = (colon < 0 ? given : given.slice(0, colon)).trim().toLowerCase();
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) return null;
  return { name, part: colon < 0 ? '' : given.slice(colon + 1).trim() };
}

// This module implements docs/awaiting-mail.md, for suites without our client. One request returns the whole
// message.

/** The parameter `count`; undefined if it is not given, then the answer is a single message. */
const count: Param<number | undefined> = {
  ...whole(1, 100, 1, 'invalid_count'),
  fallback: undefined,
  about: 'The number of messages to wait for. If it is given, the answer is a list in the order of receipt',
};

export const localAwait = [
  localRoute('GET', '/_mailcap/mailboxes/:id/await', {
    id: 'awaitWholeMessage',
    summary: 'Wait for a message, and get it with its codes and links',
    description:
      'Holds the request until a message matches every given filter, and returns the newest match; with count, it returns a list of that many. 204: they did not come in time.',
    resolve: anyMailbox,
    query: {
      ...CONDITION_PARAMS,
      kind: KIND_PARAM,
      count,
      ...WAIT_PARAMS,
      markRead: flag('invalid_mark_read', '1: mark the messages that it returns as read'),
    },
    returns: { 200: z.union([WholeMessageResponse, z.array(WholeMessageResponse)]), 204: null },
    handle: async ({ ctx, found, query, exchange }) => {
      const since = query.since ?? (await timeIn(ctx, ctx.store.read, found.workspaceId)) - SINCE_MS;
      const timeoutMs = query.timeout * 1_000;
      const filter = await toWholeFilter(ctx, query, found);
      const { matches } = wholeMatcher(ctx, filter);
      const messages = await holdAwait(
        ctx,
        { kind: 'message', workspaceId: found.workspaceId, mailboxId: found.id, webhookId: null },
        {
          filters: {
            ...givenConditions(exchange.query),
            ...readTexts(['kind', 'count'], exchange.query),
            since: writeTime(since),
          },
          timeoutMs,
        },
        () =>
          awaitMessages(ctx, found, {
            kind: kindMeant(query.kind),
            filter: filter.summary,
            matches,
            count: query.count ?? 1,
            since,
            timeoutMs,
            cancelSignal: exchange,
          }),
      );
      if (messages === null) checkTimePassed(exchange);
      const [first, ...others] = await taken(ctx, messages ?? [], query.markRead, exchange);
      if (first === undefined) return undefined;
      if (query.count === undefined) return inPieces(await wholeMessage(ctx, first));
      return inPieces(await Promise.all([first, ...others].map((message) => wholeMessage(ctx, message))));
    },
  }),
];

/** Marks the messages that a wait returns as read, if it asks for that. */
async function taken(
  ctx: Context,
  messages: readonly Message[],
  markRead: boolean,
  cancelSignal: CancelSignal,
): Promise<readonly Message[]> {
  if (!markRead) return messages;
  const ids = messages.map(({ id }) => id);
  await markEach(ctx, ids, { read: true }, { cancelSignal });
  return messages.map((message) => ({ ...message, isRead: true }));
}

async function wholeMessage(ctx: Context, message: Message): Promise<AnswerOf<typeof WholeMessageResponse>> {
  const facts = await readFacts(ctx, message);
  const parsed = await readParsed(ctx, message);
  const verdicts = await readVerdicts(ctx, message, facts, parsed);
  return {
    ...toMessageDetailResponse(message, facts, parsed, verdicts),
    id: message.id,
    kind: kindOf(message),
    ...toMarks(message),
    mailboxId: message.mailboxId,
    workspaceId: message.workspaceId,
    ...toFoundResponse(await readCodesAndLinks(ctx, parsed)),
  };
}

import { z } from 'zod';
import { type Diagnosis, diagnoseMailbox, type FirstItems } from '../../actions/diagnose-mailbox.ts';
import { sendMatching } from '../../actions/send-matching.ts';
import { offsetIn, timeIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import { CONDITIONS, cutText, kindOf, type Message } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import type { SmtpConnection } from '../../ports/storage.ts';
import type { AnswerOf } from '../answers.ts';
import { anyMailbox, localRoute, timeParam, whole } from '../route.ts';
import { CONDITION_PARAMS, givenConditions, toWholeFilter } from './await.ts';
import { MarkedSummaryResponse, toMarkedSummary } from './marks.ts';
import { DiagnosisResponse, SmtpSessionResponse } from './schemas.ts';

const WINDOW_MS = 5 * 60_000;

// This module implements docs/troubleshooting.md#why-no-mail-came: the reasons why nothing matched.

export const diagnosis = [
  localRoute('GET', '/_mailcap/mailboxes/:id/diagnosis', {
    id: 'diagnoseMailbox',
    summary: 'Get why no message matched',
    description:
      'Lists the messages and the filters that refused them, messages in other mailboxes, SMTP refusals, and the last connection.',
    resolve: anyMailbox,
    query: {
      ...CONDITION_PARAMS,
      since: timeParam('invalid_since', 'The start of the time to look at; default: five minutes before the request'),
    },
    returns: { 200: DiagnosisResponse },
    handle: async ({ ctx, found, query, exchange }) => {
      const since = query.since ?? (await timeIn(ctx, ctx.store.read, found.workspaceId)) - WINDOW_MS;
      const filter = await toWholeFilter(ctx, query, found);
      const given = givenConditions(exchange.query);
      const filters = Object.fromEntries(CONDITIONS.map((name) => [name, given[name] ?? null])) as Response['filters'];
      return toDiagnosisResponse(
        ctx,
        found,
        filters,
        await diagnoseMailbox(ctx, found, { filter, since, cancelSignal: exchange }),
      );
    },
  }),

  localRoute('POST', '/_mailcap/mailboxes/:id/matching-message', {
    id: 'sendMatchingMessage',
    summary: 'Send a mail that meets the conditions of a wait',
    description:
      'Composes a mail that meets all conditions, and stores it as if it came by SMTP. It is refused if no mail that arrives now can meet one of them.',
    resolve: anyMailbox,
    query: CONDITION_PARAMS,
    returns: { 201: MarkedSummaryResponse },
    fails: ['no_matching_mail', 'payload_too_large', 'daily_inbound_limit_reached', 'storage_limit_reached'],
    handle: async ({ ctx, found, query, exchange }) => {
      const filter = await toWholeFilter(ctx, query, found);
      return toMarkedSummary(await sendMatching(ctx, found, filter, exchange.client));
    },
  }),
];

type Response = AnswerOf<typeof DiagnosisResponse>;

function toDiagnosisResponse(
  { config }: Context,
  mailbox: Mailbox,
  filters: Response['filters'],
  { since, until, offsetMs, messages, elsewhere, refusals, lastConnection }: Diagnosis,
): Response {
  return {
    mailboxId: mailbox.id,
    address: `*@${mailbox.subdomain}.${config.mailDomain}`,
    since: writeTime(since),
    until: writeTime(until),
    filters,
    messages: part(messages, ({ message, refusedBy }) => ({
      ...toSeen(message),
      refusedBy: refusedBy.map(({ filter, wanted, saw, sawLeftOut }) => ({
        filter,
        // Each search word is a condition of its own.
        wanted: filter === 'query' ? wanted : (filters[filter] ?? wanted),
        saw,
        sawLeftOut,
      })),
    })),
    elsewhere: part(elsewhere, (one) => ({
      ...toSeen(one.message),
      mailboxId: one.mailbox.id,
      subdomain: one.mailbox.subdomain,
      matches: one.matches,
    })),
    refusals: part(refusals, ({ at, concerns, ...refusal }) => ({
      at: writeTime(at + offsetMs),
      ...refusal,
      mailboxId: concerns?.id ?? null,
    })),
    lastConnection: lastConnection === null ? null : toConnection(lastConnection, offsetMs),
  };
}

function part<Item, Written>({ items, leftOut, exact }: FirstItems<Item>, write: (item: Item) => Written) {
  return { items: items.map(write), leftOut, exact };
}

function toSeen(message: Message) {
  const { id, receivedAt, from, to, subject } = message;
  const texts = { from: cut(from), to: cut(to), subject: cut(subject) };
  return { id, kind: kindOf(message), receivedAt: writeTime(receivedAt), ...texts };
}

function toConnection(
  { openedAt, closedAt, concerns, transcript: _transcript, ...rest }: SmtpConnection,
  offsetMs: number,
): NonNullable<Response['lastConnection']> {
  return {
    openedAt: writeTime(openedAt + offsetMs),
    closedAt: closedAt === null ? null : writeTime(closedAt + offsetMs),
    ...rest,
    mailboxId: concerns?.id ?? null,
  };
}

function cut(text: string | null): string | null {
  return text === null ? null : cutText(text);
}

// This module implements docs/api.md#the-local-api: the last SMTP sessions, refused ones included.

export const smtpSessions = [
  localRoute('GET', '/_mailcap/smtp/sessions', {
    id: 'listSmtpSessions',
    summary: 'List the last SMTP sessions with their transcripts, including refused ones',
    query: { limit: whole(1, 200, 50, 'invalid_limit', 'The most sessions to return') },
    returns: { 200: z.array(SmtpSessionResponse) },
    handle: async ({ ctx, query }) => {
      const last = (await ctx.journal.connections()).slice(0, query.limit);
      return Promise.all(last.map((connection) => toSession(ctx, connection)));
    },
  }),
];

/** Converts a connection to its answer, with times of the workspace that it concerns. */
async function toSession(ctx: Context, connection: SmtpConnection): Promise<AnswerOf<typeof SmtpSessionResponse>> {
  const workspaceId = connection.concerns?.workspaceId ?? null;
  const offsetMs = await offsetIn(ctx, ctx.store.read, workspaceId);
  return { ...toConnection(connection, offsetMs), workspaceId, transcript: connection.transcript.lines() };
}

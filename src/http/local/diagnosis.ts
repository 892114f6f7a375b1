import type { z } from 'zod';
import { type Diagnosis, diagnoseMailbox, type FirstItems } from '../../actions/diagnose-mailbox.ts';
import type { Context } from '../../context.ts';
import { cutText } from '../../domain/diagnosis.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import { type Message, parseFilter } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import type { SmtpConnection } from '../../ports/smtp-journal.ts';
import { anyMailbox } from '../find.ts';
import { textParam, timeParam } from '../query.ts';
import { localRoute } from '../route.ts';
import { DiagnosisResponse } from './schemas.ts';

const WINDOW_MS = 5 * 60_000;

// This module implements docs/contract.md#diagnosis: the reasons why nothing matched.

export const diagnosis = [
  localRoute('GET', '/_mailcap/mailboxes/:id/diagnosis', {
    id: 'diagnoseMailbox',
    summary: 'Get why no message matched',
    description:
      'Lists the messages and the filters that refused them, messages in other mailboxes, SMTP refusals, and the last connection.',
    find: anyMailbox,
    query: { subject: textParam(), from: textParam(), to: textParam(), since: timeParam('invalid_since') },
    returns: { 200: DiagnosisResponse },
    handle: async ({ ctx, found, query, exchange }) => {
      const since = query.since ?? ctx.clock.now() - WINDOW_MS;
      const filter = parseFilter(query);
      const filters = { subject: query.subject || null, from: query.from || null, to: query.to || null };
      return toDiagnosisResponse(
        ctx,
        found,
        filters,
        await diagnoseMailbox(ctx, found, { filter, since, ending: exchange }),
      );
    },
  }),
];

type Response = z.infer<typeof DiagnosisResponse>;

function toDiagnosisResponse(
  { config }: Context,
  mailbox: Mailbox,
  filters: Response['filters'],
  { since, until, messages, elsewhere, refusals, lastConnection }: Diagnosis,
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
        wanted: filters[filter] ?? wanted,
        saw: [...saw],
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
      at: writeTime(at),
      ...refusal,
      mailboxId: concerns?.id ?? null,
    })),
    lastConnection: lastConnection === null ? null : toConnection(lastConnection),
  };
}

function part<Item, Written>({ items, leftOut, exact }: FirstItems<Item>, write: (item: Item) => Written) {
  return { items: items.map(write), leftOut, exact };
}

function toSeen({ id, receivedAt, from, to, subject }: Message) {
  const texts = { from: cut(from), to: cut(to), subject: cut(subject) };
  return { id, receivedAt: writeTime(receivedAt), ...texts };
}

function toConnection({
  openedAt,
  closedAt,
  concerns,
  transcript: _transcript,
  ...rest
}: SmtpConnection): Response['lastConnection'] {
  return {
    openedAt: writeTime(openedAt),
    closedAt: closedAt === null ? null : writeTime(closedAt),
    ...rest,
    mailboxId: concerns?.id ?? null,
  };
}

function cut(text: string | null): string | null {
  return text === null ? null : cutText(text);
}

import { z } from 'zod';
import { writeTime } from '../../domain/time.ts';
import type { SmtpConnection } from '../../ports/smtp-journal.ts';
import { whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { SmtpSessionResponse } from './schemas.ts';

// This module implements docs/contract.md#local-api: the last SMTP sessions, refused ones included.

export const smtpSessions = [
  localRoute('GET', '/_mailcap/smtp/sessions', {
    id: 'listSmtpSessions',
    summary: 'List the last SMTP sessions with their transcripts, including refused ones',
    query: { limit: whole(1, 200, 50, 'invalid_limit', 'The most sessions to return') },
    returns: { 200: z.array(SmtpSessionResponse) },
    handle: async ({ ctx, query }) => (await ctx.journal.connections()).slice(0, query.limit).map(toSession),
  }),
];

function toSession({
  openedAt,
  closedAt,
  concerns,
  transcript,
  ...rest
}: SmtpConnection): z.infer<typeof SmtpSessionResponse> {
  return {
    openedAt: writeTime(openedAt),
    closedAt: closedAt === null ? null : writeTime(closedAt),
    ...rest,
    mailboxId: concerns?.id ?? null,
    workspaceId: concerns?.workspaceId ?? null,
    transcript: [...transcript.lines()],
  };
}

import { z } from 'zod';
import { offsetIn } from '../../actions/workspace-time.ts';
import type { Context } from '../../context.ts';
import { writeTime } from '../../domain/time.ts';
import type { SmtpConnection } from '../../ports/smtp-journal.ts';
import { whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { SmtpSessionResponse } from './schemas.ts';

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
async function toSession(
  ctx: Context,
  { openedAt, closedAt, concerns, transcript, ...rest }: SmtpConnection,
): Promise<z.infer<typeof SmtpSessionResponse>> {
  const offsetMs = await offsetIn(ctx, ctx.store.read, concerns?.workspaceId ?? null);
  return {
    openedAt: writeTime(openedAt + offsetMs),
    closedAt: closedAt === null ? null : writeTime(closedAt + offsetMs),
    ...rest,
    mailboxId: concerns?.id ?? null,
    workspaceId: concerns?.workspaceId ?? null,
    transcript: [...transcript.lines()],
  };
}

import { discardDraft, draftEmail, sendEmail } from '../actions/sends.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { SuppressionEntry } from '../domain/outbound.ts';
import type { Anyone, DescribedSpec } from './route.ts';
import { SendRequest, SendResponse, toSendResponse } from './schemas.ts';

// Both APIs send and lift suppressions by the same rules. They differ in whom they let do it, which `find` decides.

/** The error codes of a send, in the order of the rules. */
const REFUSALS: readonly ErrorCode[] = [
  'invalid_body',
  'outbound_disabled',
  'invalid_from_domain',
  'recipients_not_allowed',
  'suppressed_recipients',
  'daily_outbound_limit_reached',
  'storage_limit_reached',
  'insufficient_funds',
];

type Draft = Awaited<ReturnType<typeof draftEmail>>;

/** The body, the answers and the action of a route that sends from the mailbox it finds. */
export const SENDING = {
  body: SendRequest,
  bodyLimit: 10 * 1024 * 1024,
  returns: { 202: SendResponse },
  fails: REFUSALS,
  prepare: ({ ctx, found, body }) => draftEmail(ctx, found.workspaceId, body),
  discard: discardDraft,
  transact: async ({ ctx, tx, found, prepared }) => toSendResponse(await sendEmail(ctx, tx, found, prepared)),
} satisfies DescribedSpec<Anyone, Mailbox, undefined, SendRequest, SendResponse, Draft>;

/** The action of a route that removes the entry it finds from the suppression list. */
export const LIFTING = {
  transact: async ({ tx, found }) => tx.suppression.remove(found.id),
} satisfies DescribedSpec<Anyone, SuppressionEntry, undefined, undefined, undefined>;

import type { Client } from '../client/index.ts';
import type { ToolCall } from './desk.ts';
import type { MailboxMeant } from './find-mailbox.ts';
import { type DiagnosisResult, diagnosisResult } from './results/diagnosis.ts';

/** The filters of a wait or of a diagnosis. */
export interface DiagnosisFilter {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Adds the address that names the mailbox to the filters, unless they have a recipient. */
export function filterFor(mailbox: MailboxMeant, { subject, from, to }: DiagnosisFilter): DiagnosisFilter {
  return { subject, from, to: to ?? mailbox.to ?? undefined };
}

/**
 * Explains why nothing matched since a time, or in the last five minutes. The cloud has no local API, so the reason
 * then says that it is not known.
 */
export async function diagnose(
  { desk, signal }: ToolCall,
  client: Client,
  mailbox: MailboxMeant,
  filter: DiagnosisFilter,
  since?: Date,
): Promise<DiagnosisResult> {
  if (!(await client.hasLocalApi()))
    return { reason: 'This server has no local API, so it can’t tell why.', content: '' };
  const diagnosis = await client.local.diagnose(mailbox.id, { ...filter, since }, { signal });
  return diagnosisResult(diagnosis, desk.fenceId(), (id) => desk.returned.has(id));
}

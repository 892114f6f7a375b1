import type {
  AwaitMessageQuery,
  Checks,
  Client,
  LinkKind,
  MailboxResponse,
  MessageDetailResponse,
  MessageSummaryResponse,
} from '../../client/index.ts';
import { createFenceId } from '../../mcp/fence-id.ts';
import { checksResult, diagnosisResult, type Extract, listResult, messageResult } from '../../mcp/results.ts';
import { randomBytes } from '../clock.ts';
import { printJson } from '../output.ts';

// This module prints the output of `--agent`: one line of JSON, like the answers of the tools of `mailcap mcp`, with
// all untrusted text inside a fence.

/** The largest length of a message's text, in characters. A command has no second call to read the rest. */
const MAX_CHARACTERS = 4_000;

export function printMessageForAgent(message: MessageDetailResponse, extract: Extract = 'none', kind?: LinkKind): void {
  printJson(messageResult(message, { fenceId: fenceId(), extract, kind, maxChars: MAX_CHARACTERS }));
}

export function printListForAgent(messages: readonly MessageSummaryResponse[], more: boolean): void {
  printJson(listResult(messages, more, fenceId()));
}

export function printChecksForAgent(checks: Checks): void {
  printJson(checksResult(checks, fenceId()));
}

/** Prints the reason why a wait found nothing. */
export async function printMissForAgent(
  client: Client,
  { id }: MailboxResponse,
  filter: Pick<AwaitMessageQuery, 'subject' | 'from' | 'to'>,
  since: string | null,
): Promise<void> {
  const query = { ...filter, ...(since === null ? {} : { since }) };
  const diagnosis = (await client.hasLocalApi()) ? await client.local.diagnoseMailbox(id, query) : null;
  const told = diagnosis === null ? { reason: '', content: '' } : diagnosisResult(diagnosis, fenceId(), () => false);
  printJson({ found: false, ...told });
}

function fenceId(): string {
  return createFenceId({ bytes: randomBytes });
}

import { ownClock } from '../client/clock.ts';
import type { Client } from '../client/index.ts';
import { LONGEST_AWAIT_SECONDS } from '../client/transport/transport.ts';
import type { MailboxMeant } from './find.ts';
import { type DiagnosisResult, diagnosisResult } from './results.ts';
import type { RememberedIds, ToolCall, ToolContext } from './tool-context.ts';

/** The time that a wait looks back, in milliseconds. An agent thinks between a click and the wait for its mail. */
export const LOOK_BACK_MS = 120_000;

export interface ArrivedItem {
  readonly id: string;
  readonly receivedAt: string;
}

/** Sends one await to the server. It returns the newest item that came at or after `since`, or null after `seconds`. */
export type Ask<Item> = (since: Date, seconds: number) => Promise<Item | null>;

/**
 * Waits for the newest item that no earlier wait returned, from two minutes ago on. Returns null after `seconds`.
 * `now` is the server's time in milliseconds.
 */
export async function waitForNew<Item extends ArrivedItem>(
  { toolContext: { returned, steady } }: ToolCall,
  now: number,
  seconds: number,
  ask: Ask<Item>,
): Promise<Item | null> {
  const endsAt = steady() + seconds * 1_000;
  let since = now - LOOK_BACK_MS;
  for (;;) {
    const left = Math.ceil((endsAt - steady()) / 1_000);
    const item = await ask(new Date(since), Math.min(LONGEST_AWAIT_SECONDS, Math.max(1, left)));
    if (item === null || !returned.has(item.id)) {
      if (item !== null) returned.add(item.id);
      return item;
    }
    if (left <= 0) return null;
    // Another one may have come in the same millisecond. If the answer is the same again, there is none.
    const at = Date.parse(item.receivedAt);
    since = since === at ? at + 1 : at;
  }
}

/**
 * Waits for the oldest request to a webhook that no earlier wait returned: from two minutes ago on, or any of a webhook
 * that an agent made here. Returns its id, or after `seconds` the reason why there is none.
 */
export async function waitForNewRequest(
  { toolContext, signal }: ToolCall,
  client: Client,
  webhookId: string,
  seconds: number,
): Promise<{ readonly id: string } | { readonly reason: string }> {
  const { returned, made, steady } = toolContext;
  const from = made.has(webhookId)
    ? Number.NEGATIVE_INFINITY
    : (await serverNow(client, toolContext, signal)) - LOOK_BACK_MS;
  const endsAt = steady() + seconds * 1_000;
  for (;;) {
    const listed = (await client.listWebhookRequests(webhookId, { pageSize: 200 }, { signal })).items ?? [];
    const next = listed.findLast(({ id, receivedAt }) => !returned.has(id) && Date.parse(receivedAt) >= from);
    if (next !== undefined) {
      returned.add(next.id);
      return next;
    }
    const [newest] = listed;
    const left = Math.ceil((endsAt - steady()) / 1_000);
    if (left <= 0) return { reason: reasonFor(newest, returned) };
    const query = {
      ...(newest === undefined ? {} : { after: newest.id }),
      timeout: Math.min(LONGEST_AWAIT_SECONDS, left),
    };
    await client.local.awaitRequest(webhookId, query, { signal });
  }
}

function reasonFor(newest: ArrivedItem | undefined, returned: RememberedIds): string {
  if (newest === undefined) return 'No request has come to this URL: does the app call it?';
  const why = returned.has(newest.id) ? 'a wait returned it' : 'this wait does not look back that far';
  return `The last request came at ${newest.receivedAt}, and ${why}.`;
}

/** Returns the time in the client's workspace in milliseconds, which a test may have shifted. */
export async function serverNow(client: Client, toolContext: ToolContext, signal: AbortSignal): Promise<number> {
  return (await client.hasLocalApi()) ? Date.parse((await ownClock(client, { signal })).now) : toolContext.now();
}

/** The filters of a wait or of a diagnosis. */
interface DiagnosisFilter {
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
  { toolContext, signal }: ToolCall,
  client: Client,
  mailbox: MailboxMeant,
  filter: DiagnosisFilter,
  since?: Date,
): Promise<DiagnosisResult> {
  if (!(await client.hasLocalApi()))
    return { reason: 'This server has no local API, so it can’t tell why.', content: '' };
  const diagnosis = await client.local.diagnoseMailbox(mailbox.id, { ...filter, since }, { signal });
  return diagnosisResult(diagnosis, toolContext.fenceId(), (id) => toolContext.returned.has(id));
}

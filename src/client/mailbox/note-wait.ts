import { writeTextFilter } from '../options/text-match.ts';
import type { Deadline } from '../transport/deadline.ts';
import { type WaitNote, writeWaitNote } from '../waiting/wait-note.ts';
import { isWholeAddress } from './address.ts';
import type { Arrivals, ServerFilter } from './arrivals.ts';
import type { MessageFilter } from './message-filter.ts';
import type { MailboxParts } from './parts.ts';
import { type Load, reasonAgainst } from './reason-against.ts';

/** The number of newest messages whose refusal is told. */
const MOST = 20;

/**
 * Describes a wait for a local server, which shows it among the waiting tests: the filters, and the reasons why the
 * client refused what came. Null if the server has no local API.
 */
export async function noteWait(
  { api, recipients }: MailboxParts,
  arrivals: Arrivals,
  filter: MessageFilter,
  { subject, from, to }: ServerFilter,
  call: string,
  load: Load,
  { signal }: Deadline,
): Promise<string | null> {
  try {
    if (!(await api.hasLocalApi())) return null;
    const refused: WaitNote['refused'][number][] = [];
    for (const arrival of arrivals.entries().slice(-MOST)) {
      const isFor = await recipients.isFor(arrival, { signal });
      const reason = isFor
        ? await reasonAgainst(arrivals, filter, arrival, load, { signal })
        : 'it is to another address of the mailbox';
      if (reason !== null) refused.push({ id: arrival.id, reason });
    }
    const body = typeof filter.body === 'string' && filter.body !== '' ? filter.body : undefined;
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return writeWaitNote({
      call,
      since: new Date(arrivals.startedAt),
      filters: Object.fromEntries(given.map(([name, value]) => [name, written(value)])),
      asked: { subject, from, to, body },
      undecided: given.filter(([name, value]) => isUndecided(name, value)).map(([name]) => name),
      refused,
    });
  } catch {
    // The note is only shown to people. It must not fail the wait.
    return null;
  }
}

function written(value: unknown): string {
  return typeof value === 'string' || value instanceof RegExp ? writeTextFilter(value) : 'a function';
}

/** Tells whether only the client can evaluate a filter. */
export function isUndecided(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'string') return true;
  return (name === 'from' || name === 'to') && isWholeAddress(value);
}

import type { HeldWait } from '../app/api.ts';

/** The query of the diagnosis that explains a pending await. */
export function diagnosisOf({ filters, note, heldSince }: HeldWait): Readonly<Record<string, string>> {
  // The wait of a client may have begun before the await that it holds now.
  const since = note?.since ?? filters['since'] ?? heldSince;
  const asked = note === null ? filters : { ...filters, ...note.asked };
  const { count: _count, after: _after, ...conditions } = asked as Record<string, string>;
  return { ...conditions, since };
}

/** Returns the filters of a pending await by their names, as the client wrote them. */
export function filtersOf({ filters, note }: HeldWait): [name: string, text: string][] {
  return Object.entries(note?.filters ?? filters).filter(([name]) => name !== 'since' && name !== 'after');
}

/** The reasons of the client for each message that it refused, by the id of the message. */
export type ClientReasons = ReadonlyMap<string, string>;

export function reasonsOf({ note }: HeldWait): ClientReasons {
  return new Map((note?.refused ?? []).map(({ id, reason }) => [id, reason]));
}

/** The messages of a diagnosis that match, by the server's filters and by those that only the client can evaluate. */
export function matchingOf<Seen extends { readonly id: string; readonly refusedBy: readonly unknown[] }>(
  messages: readonly Seen[],
  reasons: ClientReasons,
): Seen[] {
  return messages.filter(({ id, refusedBy }) => refusedBy.length === 0 && !reasons.has(id));
}

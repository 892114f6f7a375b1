// How long a connection may be silent. What bounds it is the room: while there is plenty, a client has the five minutes of
// RFC 5321 4.5.3.2.7; the more connections are open, the sooner a silent one makes place for another.

/** Up to this part of the room nobody is hurried. */
const CALM_PART = 1 / 4;
const SHORTEST_MS = 1_000;
/** Within a transaction a sender may have to think. */
const SHORTEST_IN_TRANSACTION_MS = 10_000;

/** Only who has said nothing for this long gives way to a newcomer: a client that is just being answered does not. */
const GIVES_WAY_MS = 100;

export interface Room {
  /** Connections that are let in at once. */
  readonly connections: number;
  /** How long one may be idle while there is plenty of room, milliseconds. */
  readonly idleMs: number;
}

/**
 * How long a connection may be idle while `open` of them are there, milliseconds: from `idleMs` down to one second, or to ten
 * within a transaction.
 */
export function idleAllowanceMs(open: number, { connections, idleMs }: Room, inTransaction = false): number {
  const calm = connections * CALM_PART;
  if (open <= calm) return idleMs;
  const left = Math.max(0, connections - open) / (connections - calm);
  const shortest = inTransaction ? SHORTEST_IN_TRANSACTION_MS : SHORTEST_MS;
  return Math.min(idleMs, Math.max(shortest, idleMs * left ** 3));
}

/** Whether nobody is hurried: {@link idleAllowanceMs} is the whole `idleMs`. */
export function isCalm(open: number, { connections }: Room): boolean {
  return open <= connections * CALM_PART;
}

/** What is known of a connection that might give way. */
export interface Idler {
  /** Milliseconds since either side said something; 0 while the client waits for an answer. */
  readonly idleMs: number;
  readonly inTransaction: boolean;
}

/** Which of them makes place for a newcomer where no room is left: who is idle longest, outside a transaction first; null where all are at work. */
export function whoGivesWay<T extends Idler>(idlers: Iterable<T>): T | null {
  let outside: T | null = null;
  let within: T | null = null;
  for (const one of idlers) {
    if (one.inTransaction) {
      if (one.idleMs >= Math.max(SHORTEST_IN_TRANSACTION_MS, within?.idleMs ?? 0)) within = one;
    } else if (one.idleMs >= Math.max(GIVES_WAY_MS, outside?.idleMs ?? 0)) outside = one;
  }
  return outside ?? within;
}

// The idle timeout of a connection. While there is plenty of room, a client has the five minutes of RFC 5321 4.5.3.2.7.
// The more connections are open, the sooner a silent one must give way.

/** The share of the room up to which no timeout is shortened. */
const CALM_PART = 1 / 4;
const SHORTEST_MS = 1_000;
/** The shortest timeout within a transaction, where a client may need time. */
const SHORTEST_IN_TRANSACTION_MS = 10_000;

/**
 * The idle time in milliseconds before a connection gives way to a new one. It protects a client that is just being
 * answered.
 */
const GIVES_WAY_MS = 100;

export interface ConnectionRoom {
  /** The largest number of connections. */
  readonly connections: number;
  /** The idle timeout in milliseconds while there is plenty of room. */
  readonly idleMs: number;
}

/**
 * Returns the idle timeout in milliseconds while `open` connections exist. It falls from `idleMs` to one second, or to
 * ten within a transaction.
 */
export function idleAllowanceMs(open: number, { connections, idleMs }: ConnectionRoom, inTransaction = false): number {
  const calm = connections * CALM_PART;
  if (open <= calm) return idleMs;
  const left = Math.max(0, connections - open) / (connections - calm);
  const shortest = inTransaction ? SHORTEST_IN_TRANSACTION_MS : SHORTEST_MS;
  return Math.min(idleMs, Math.max(shortest, idleMs * left ** 3));
}

/** Tells whether {@link idleAllowanceMs} is the full `idleMs`. */
export function isCalm(open: number, { connections }: ConnectionRoom): boolean {
  return open <= connections * CALM_PART;
}

/** The facts about a connection that may have to give way. */
export interface Idler {
  /** The milliseconds since either side last wrote. 0 while the client waits for an answer. */
  readonly idleMs: number;
  readonly inTransaction: boolean;
}

/**
 * Chooses the connection that gives way to a new one: the most idle one, first among those outside a transaction.
 * Returns null if all are active.
 */
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

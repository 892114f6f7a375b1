// The idle timeout of a connection. While there is plenty of room, a client has the five minutes of RFC 5321 4.5.3.2.7.
// The more connections are open, the sooner a silent one must give way. Once all room is taken, a slow one does, too.

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

/** The least rate of a message in bytes per second that keeps its place in a full server. */
const LEAST_RATE = 10_000;
/** How late in milliseconds a client has to be to give way, so that many round trips and a pause make nobody late. */
const LATE_MS = 3_000;

/**
 * Returns how late a client is: the time that it took so far beyond what its bytes take at the least rate.
 *
 * @param takenMs the milliseconds in which the server waited for the client and could not send it away as idle
 * @param bytes the bytes of the message that arrived in that time
 */
export function lateMs(takenMs: number, bytes: number): number {
  return takenMs - (bytes / LEAST_RATE) * 1_000;
}

/** Tells whether a client that is silent for so long and is outside a transaction may give way to a new one. */
export function mayGoAsIdle(idleMs: number, inTransaction: boolean): boolean {
  return !inTransaction && idleMs >= GIVES_WAY_MS;
}

/** The facts about a connection that may have to give way. */
export interface Idler {
  /** The milliseconds since either side last wrote. 0 while the client waits for an answer. */
  readonly idleMs: number;
  readonly inTransaction: boolean;
  /** How late the client is: {@link lateMs}. 0 while the client waits for an answer. */
  readonly lateMs: number;
}

/**
 * Chooses the connection that gives way to a new one: the most idle one outside a transaction, or else the one that is
 * most late. Returns null if all are active.
 */
export function whoGivesWay<T extends Idler>(idlers: Iterable<T>): T | null {
  let idlest: T | null = null;
  let latest: T | null = null;
  for (const one of idlers) {
    if (mayGoAsIdle(one.idleMs, one.inTransaction)) {
      if (idlest === null || one.idleMs > idlest.idleMs) idlest = one;
    } else if (one.lateMs >= Math.max(LATE_MS, latest?.lateMs ?? 0)) latest = one;
  }
  return idlest ?? latest;
}

/**
 * Lists the connections that exceed their idle time while `open` exist, the most idle first: each that closes gives the
 * others more time.
 */
export function whoIsTooIdle<T extends Idler>(idlers: Iterable<T>, open: number, room: ConnectionRoom): T[] {
  const silent = [...idlers].map((one) => ({ one, idleMs: one.idleMs })).sort((a, b) => b.idleMs - a.idleMs);
  const tooIdle: T[] = [];
  for (const { one, idleMs } of silent) {
    if (idleMs >= idleAllowanceMs(open - tooIdle.length, room, one.inTransaction)) tooIdle.push(one);
  }
  return tooIdle;
}

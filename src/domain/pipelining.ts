// HTTP/1.1 lets a client send requests before it has read the answers to earlier ones (RFC 9112 section 9.3.2), and
// each of them takes memory until its answer has left. So their number has a bound for a connection and for the server.

/** The most requests of one connection that may be under way at once. */
export const MOST_IN_CONNECTION = 32;

/** The most requests of all connections that may be under way behind an earlier one of the same connection. */
export const MOST_BEHIND = 4_096;

/**
 * Tells whether a connection may start one more request.
 *
 * @param underWay the requests of the connection whose answers have not left yet
 * @param behindInAll the requests of all connections that are under way behind an earlier one of the same connection
 */
export function mayStart(underWay: number, behindInAll: number): boolean {
  return underWay === 0 || (underWay < MOST_IN_CONNECTION && behindInAll < MOST_BEHIND);
}

// HTTP/1.1 lets a client send requests before it has read the answers to earlier ones (RFC 9112 section 9.3.2), and
// each of them takes memory until its answer has left. So their number has a bound for a connection and for the server.

/** The most requests of one connection that may be under way at once. */
export const MOST_IN_CONNECTION = 32;

/** The most requests of all connections that may be under way behind an earlier one of the same connection. */
export const MOST_BEHIND = 4_096;

/** The most bytes of answers of a connection that may wait for its client behind which one more request is started. */
export const MOST_UNSENT = 64 * 1024;

/**
 * Tells whether a connection may start one more request.
 *
 * @param underWay the requests of the connection whose answers have not left yet
 * @param behindInAll the requests of all connections that are under way behind an earlier one of the same connection
 * @param unsentBytes the bytes of answers that the client of the connection has not taken yet
 */
export function mayStart(underWay: number, behindInAll: number, unsentBytes: number): boolean {
  if (underWay === 0) return true;
  return underWay < MOST_IN_CONNECTION && behindInAll < MOST_BEHIND && unsentBytes < MOST_UNSENT;
}

/** The most bytes of requests that all connections may hold back before they are parsed. */
const MOST_HELD = 64 * 1024 * 1024;
/** The bytes that a connection may hold back in any case, because a client that sends one request at a time needs them. */
const ALWAYS_HELD = 4 * 1024;

/**
 * Tells whether a connection may hold back bytes of requests.
 *
 * @param bytes what it holds back
 * @param heldInAll what all connections hold back, with these bytes
 */
export function mayHold(bytes: number, heldInAll: number): boolean {
  return bytes <= ALWAYS_HELD || heldInAll <= MOST_HELD;
}

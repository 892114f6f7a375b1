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

// The bytes of a connection may hold many pipelined requests. Node's parser starts all of those in a chunk at once, so
// they are given to it one by one: a head is one piece, and so is what a chunk holds of a body.

const HEAD_END = '\r\n\r\n';

/**
 * Returns the length of the first piece of `bytes`, at the end of which the parser has begun one more request at most.
 * A chunked body ends with an empty line, as a head does, so its pieces need no knowledge of chunks.
 *
 * @param before the last three bytes before these that belong to no body of known length, as latin1
 * @param bodyLeft the bytes that are left of a body of known length
 */
export function pieceLength(before: string, bytes: Buffer, bodyLeft: number): number {
  if (bodyLeft > 0) return Math.min(bodyLeft, bytes.length);
  const across = before === '' ? -1 : (before + bytes.toString('latin1', 0, HEAD_END.length - 1)).indexOf(HEAD_END);
  if (across >= 0) return across + HEAD_END.length - before.length;
  const end = bytes.indexOf(HEAD_END);
  return end < 0 ? bytes.length : end + HEAD_END.length;
}

/** Returns the `before` of {@link pieceLength} for the bytes that follow this piece. */
export function endOf(before: string, piece: Buffer): string {
  const end = (before + piece.toString('latin1', Math.max(0, piece.length - 3))).slice(-3);
  return end.includes('\r') || end.includes('\n') ? end : '';
}

/** Tells whether bytes hold at most one head. */
export function hasOneHead(bytes: Buffer): boolean {
  const end = bytes.indexOf(HEAD_END);
  return end < 0 || bytes.indexOf(HEAD_END, end + HEAD_END.length) < 0;
}

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

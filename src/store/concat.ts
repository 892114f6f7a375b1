import { setImmediate } from 'node:timers/promises';

/** The number of bytes that are copied in one tick of the event loop. It takes about three milliseconds. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Reads a stream to its end and returns its bytes. A single piece is returned without a copy. */
export async function wholeOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : concatPieces(pieces);
}

/**
 * Joins the pieces of a blob. A large blob is copied in several ticks of the event loop. The result is always a copy.
 */
export async function concatPieces(pieces: readonly Buffer[]): Promise<Buffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= STEP_BYTES) return Buffer.concat(pieces, length);
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    at += piece.copy(whole, at);
    copied += piece.length;
    if (copied < STEP_BYTES) continue;
    copied = 0;
    await setImmediate();
  }
  return whole;
}

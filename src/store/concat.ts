import { setImmediate } from 'node:timers/promises';

/** The bytes that are copied in one turn of the event loop, in about three milliseconds. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Reads a stream to its end. A single piece is returned as it is. */
export async function wholeOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : concatPieces(pieces);
}

/** Joins the pieces of a blob. A large one is copied in several turns of the event loop. The result is never a piece. */
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

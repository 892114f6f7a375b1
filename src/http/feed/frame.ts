/**
 * The first byte of a final text frame (RFC 6455 section 5.2). A server does not mask, so all subscribers can share one
 * frame.
 */
const TEXT = 0x81;
/** The bytes of `[`, `,` and `]`. */
const OPENING = 0x5b;
const COMMA = 0x2c;
const CLOSING = 0x5d;

/** Returns a text as a WebSocket frame of a server. */
export function textFrame(text: string): Buffer {
  const [frame, head] = emptyFrame(Buffer.byteLength(text));
  frame.write(text, head);
  return frame;
}

/** Returns JSON texts, at least one, as a WebSocket frame of a server: a list of them. */
export function listFrame(items: readonly Buffer[]): Buffer {
  const size = items.reduce((sum, { length }) => sum + length + 1, 1);
  const [frame, head] = emptyFrame(size);
  let at = head;
  for (const item of items) {
    frame[at] = at === head ? OPENING : COMMA;
    item.copy(frame, at + 1);
    at += 1 + item.length;
  }
  frame[at] = CLOSING;
  return frame;
}

/** Returns a text frame of a size without its text, and the position of the text in it. */
function emptyFrame(size: number): [frame: Buffer, head: number] {
  const head = size < 126 ? 2 : size < 0x1_0000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = TEXT;
  if (head === 2) {
    frame[1] = size;
  } else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(size), 2);
  }
  return [frame, head];
}

import { setImmediate } from 'node:timers/promises';

// A body of JSON from outside may be large: most of it are files in base64. Parsing takes the time of its values, not of its
// bytes, so their number and their depth are bounded first, in pieces, while the event loop serves others.

/** The deepest nesting. Functions that call themselves for each level have room for it. */
const DEEPEST = 64;
/** The objects and lists of a body, at most. */
const MOST_NESTED = 100_000;
/** The fields of all objects, at most. Each name of its own takes microseconds. */
const MOST_FIELDS = 50_000;
/** The values that follow another, at most. The SDK for Python sends the bytes of a file as a list of numbers. */
const MOST_VALUES = 2_000_000;
/** The bytes that are looked at in one turn of the event loop. */
const STEP_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Tells whether a text that may be JSON is nested no deeper, and has no more values, than a mail needs. */
export async function isModestJson(bytes: Buffer): Promise<boolean> {
  let [depth, nested, fields, values, lastTurn] = [0, 0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
      if (at === -1) return true; // It is no JSON: the parser says so.
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST || ++nested > MOST_NESTED) return false;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x3a) {
      if (++fields > MOST_FIELDS) return false;
    } else if (byte === 0x2c && ++values > MOST_VALUES) return false;
    if (at - lastTurn > STEP_BYTES) {
      lastTurn = at;
      await setImmediate();
    }
  }
  return true;
}

/** Returns where the text that begins at a quote ends. -1 if it does not. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (bytes[before] === BACKSLASH) before--;
    // The quote is part of the text if an odd number of backslashes stands before it.
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}

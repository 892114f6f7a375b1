import { parentPort } from 'node:worker_threads';

// Measures patterns on growing texts in a thread, which the test ends if a pattern hangs.

/** The lengths of the texts. A short one tells a pattern with exponential time. */
const LENGTHS = [60, 600, 6_000];
/** A text that is read as often as it is long takes longer. */
const QUICK_MS = 1.5;
/** How much longer a text of four times the length may take: linear is 4, quadratic is 16. */
const MOST_GROWTH = 8;
const TRIES = 5;

parentPort.on('message', (patterns) => {
  for (const { name, source, flags, inputs } of patterns) {
    parentPort.postMessage({ name });
    const pattern = new RegExp(source, flags);
    const slow = inputs.find((input) => LENGTHS.some((length) => isSlow(pattern, input, length)));
    if (slow !== undefined) parentPort.postMessage({ name, slow });
  }
  parentPort.postMessage({ done: true });
});

function isSlow(pattern, input, length) {
  const text = textOf(input, length);
  if (timeOf(pattern, text, 1) < QUICK_MS) return false;
  const shorter = textOf(input, length / 4);
  // Other programs lengthen some of the times, so the shortest ones are compared.
  for (let tries = 1; tries <= TRIES; tries++) {
    const time = timeOf(pattern, text, tries);
    if (time < QUICK_MS || time < MOST_GROWTH * timeOf(pattern, shorter, tries)) return false;
  }
  return true;
}

/** Returns the shortest of several times. */
function timeOf(pattern, text, tries) {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < tries; n++) {
    pattern.lastIndex = 0;
    const start = performance.now();
    if (pattern.global) text.replace(pattern, '');
    else pattern.exec(text);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function textOf({ before, pump, follower, tail }, length) {
  const times = Math.ceil(length / (pump.length + follower.length));
  return `${before}${pump.repeat(times)}${follower.repeat(times)}${tail}`;
}

/**
 * The shortest time in milliseconds between two replaced addresses. Each letter of a search makes one, and Safari throws
 * at a hundred in ten seconds.
 */
const REPLACE_MS = 300;

let waiting: string | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

/** Writes a fragment to the address. With `replace`, it adds no entry to the history, and may be written a moment later. */
export function writeAddress(hash: string, replace: boolean): void {
  if (replace) waiting = hash;
  // The entry that is left behind keeps its own last address.
  if (!replace || timer === null) writeWaiting();
  if (!replace && hash !== location.hash) history.pushState(null, '', hash);
}

/** Forgets an address that waits, because the browser went to another entry of its history. */
export function forgetAddress(): void {
  waiting = null;
}

function writeWaiting(): void {
  const hash = waiting;
  waiting = null;
  timer = null;
  if (hash === null) return;
  timer = setTimeout(writeWaiting, REPLACE_MS);
  if (hash !== location.hash) history.replaceState(null, '', hash);
}

import type { Machine, ShellClock } from '../app/ports.ts';

/** The functions of the browser in which the page runs. */
export const browserMachine: Machine = {
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  },
  isNarrow: () => matchMedia('(max-width: 719px)').matches,
  save(name, content) {
    const url = URL.createObjectURL(content);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  },
  kept: (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      // This browser does not allow storage.
      return null;
    }
  },
  keep: (name, text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // Storage is not allowed. The value lasts only until the page is closed.
    }
  },
  onKept: (act) => {
    addEventListener('storage', ({ key }) => {
      if (key !== null) act(key);
    });
  },
  notify(title, body, act) {
    if (typeof Notification === 'undefined' || Notification.permission !== 'granted' || !document.hidden) return;
    const note = new Notification(title, { body, tag: 'mailcap' });
    note.onclick = () => {
      focus();
      act();
      note.close();
    };
  },
};

export const browserClock: ShellClock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Copies a text by selecting it. Pages without TLS, except on loopback, have no clipboard API. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  document.body.append(field);
  field.select();
  // This call is deprecated, but it is the only one that works without TLS on another host than loopback.
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

/**
 * The shortest time in milliseconds between two replaced addresses. Each letter of a search makes one, and Safari throws
 * at a hundred in ten seconds.
 */
const REPLACE_MS = 300;

let waiting: string | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

/**
 * Writes a fragment to the address. With `replace`, it adds no entry to the history, and is written a moment later: the
 * request for what the address names begins before, because the browser takes its time to write one.
 */
export function writeAddress(hash: string, replace: boolean): void {
  if (replace) {
    waiting = hash;
    timer ??= setTimeout(writeWaiting);
    return;
  }
  // The entry that is left behind keeps its own last address.
  writeWaiting();
  if (hash !== location.hash) history.pushState(null, '', hash);
}

/** Forgets an address that waits, because the browser went to another entry of its history. */
export function forgetAddress(): void {
  waiting = null;
}

function writeWaiting(): void {
  const hash = waiting;
  forgetAddress();
  if (timer !== null) clearTimeout(timer);
  timer = hash === null ? null : setTimeout(writeWaiting, REPLACE_MS);
  if (hash !== null && hash !== location.hash) history.replaceState(null, '', hash);
}

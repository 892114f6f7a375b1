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

import type { Clock, Machine } from '../../shell/ports.ts';

/** The browser the page runs in. */
export const browserMachine: Machine = {
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  },
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
      // A browser that keeps nothing.
      return null;
    }
  },
  keep: (name, text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // It is kept for as long as the page is open, and no longer.
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

export const browserClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** For a page that is not served securely, where there is no clipboard. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  document.body.append(field);
  field.select();
  // Deprecated, and the only way there is off loopback without TLS.
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

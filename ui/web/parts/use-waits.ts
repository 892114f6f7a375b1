import { useEffect, useState } from 'react';
import type { HeldWait } from '../app/api.ts';
import type { WebShell } from '../app/web-shell.ts';
import { useShell } from '../use-shell.ts';

// Loads the pending awaits once for all components that show them. It polls while the page is visible, because the feed
// does not report them.

const EVERY_MS = 2_000;

let waits: readonly HeldWait[] = [];
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

export function useWaits(): readonly HeldWait[] {
  const shell = useShell();
  const [shown, setShown] = useState(waits);
  useEffect(() => {
    const listener = () => setShown(waits);
    listeners.add(listener);
    listener();
    if (timer === null) {
      void look(shell);
      timer = setInterval(() => void look(shell), EVERY_MS);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  }, [shell]);
  return shown;
}

async function look(shell: WebShell): Promise<void> {
  if (document.hidden) return;
  const now = await shell.api.listWaits().catch((error): HeldWait[] => {
    // A browser does not tell that the feed was refused for its token. This request does.
    shell.explain(error);
    return [];
  });
  if (JSON.stringify(now) === JSON.stringify(waits)) return;
  waits = now;
  for (const listener of listeners) listener();
}

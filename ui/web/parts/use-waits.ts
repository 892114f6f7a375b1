import { useEffect, useState } from 'react';
import type { HeldWait, ShellApi } from '../app/api.ts';
import { useShell } from '../use-shell.ts';

// Loads the pending awaits once for all components that show them. It polls while the page is visible, because the feed
// does not report them.

const EVERY_MS = 2_000;

let waits: readonly HeldWait[] = [];
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

export function useWaits(): readonly HeldWait[] {
  const { api } = useShell();
  const [shown, setShown] = useState(waits);
  useEffect(() => {
    const listener = () => setShown(waits);
    listeners.add(listener);
    listener();
    if (timer === null) {
      void look(api);
      timer = setInterval(() => void look(api), EVERY_MS);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  }, [api]);
  return shown;
}

async function look(api: ShellApi): Promise<void> {
  if (document.hidden) return;
  const now = await api.listWaits().catch((): HeldWait[] => []);
  if (now.length === 0 && waits.length === 0) return;
  if (JSON.stringify(now) === JSON.stringify(waits)) return;
  waits = now;
  for (const listener of listeners) listener();
}

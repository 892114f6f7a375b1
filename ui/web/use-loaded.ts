import { useCallback, useEffect, useRef, useState } from 'react';
import type { InboxCommand, WebCommand } from '../model/keys.ts';
import type { FeedEvent } from './app/ports.ts';
import { onCommand } from './on-command.ts';
import { SLOW_MS, useShell, useView } from './use-shell.ts';

// Hooks of the pages that are loaded after the list.

export interface LoadState<T> {
  readonly value: T | null;
  readonly failure: string | null;
  /** True if loading takes noticeably long. */
  readonly slow: boolean;
  readonly reload: () => void;
  readonly set: (value: T) => void;
}

/**
 * Loads data for a view. It loads again if `key` changes, after a reset or a reconnect, and after each event for which
 * `anew` returns true. The signal tells that nobody waits for the answer anymore: a browser has six connections to a
 * server, and requests that wait long would keep all others waiting.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  anew: (event: FeedEvent) => boolean = () => false,
): LoadState<T> {
  const shell = useShell();
  const generation = useView(({ generation }) => generation);
  const live = useView(({ connection }) => connection.state === 'live');
  const [state, setState] = useState<{ key: string; value: T | null; failure: string | null }>({
    key,
    value: null,
    failure: null,
  });
  const [slow, setSlow] = useState(false);
  const latest = useRef({ load, anew, call: new AbortController() });
  latest.current.load = load;
  latest.current.anew = anew;

  const reload = useCallback(() => {
    latest.current.call.abort();
    const call = new AbortController();
    latest.current.call = call;
    const { signal } = call;
    setSlow(false);
    const late = setTimeout(() => signal.aborted || setSlow(true), SLOW_MS);
    latest.current
      .load(signal)
      .then(
        (value) => signal.aborted || setState({ key, value, failure: null }),
        (error: unknown) =>
          signal.aborted ||
          setState((before) => ({
            key,
            value: before.key === key ? before.value : null,
            failure: shell.explain(error),
          })),
      )
      .finally(() => {
        clearTimeout(late);
        if (!signal.aborted) setSlow(false);
      });
  }, [key, shell]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a reset and a reconnect load the data again
  useEffect(() => {
    reload();
    return () => latest.current.call.abort();
  }, [reload, generation, live]);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | null = null;
    const off = shell.server.onEvents((events) => {
      if (later !== null || !events.some((event) => latest.current.anew(event))) return;
      later = setTimeout(() => {
        later = null;
        reload();
      }, 120);
    });
    return () => {
      off();
      if (later !== null) clearTimeout(later);
    };
  }, [shell, reload]);

  const mine = state.key === key;
  return {
    value: mine ? state.value : null,
    failure: mine ? state.failure : null,
    slow: slow && (!mine || state.value === null),
    reload,
    set: (value) => setState({ key, value, failure: null }),
  };
}

/** Returns the time of the server's clock, updated every `everyMs` while the component is shown. */
export function useNow(everyMs: number): number {
  const shell = useShell();
  const [now, setNow] = useState(() => shell.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(shell.now()), everyMs);
    return () => clearInterval(timer);
  }, [shell, everyMs]);
  return now;
}

/** Names what the page shows in the title of the tab, while the component is shown. */
export function useTitle(name: string): void {
  const shell = useShell();
  useEffect(() => {
    shell.entitle(name);
    return () => shell.entitle(null);
  }, [shell, name]);
}

/** Handles commands while the component is shown. It always calls the latest `act`. */
export function useCommands(act: (command: InboxCommand | WebCommand) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => onCommand((command) => latest.current(command)), []);
}

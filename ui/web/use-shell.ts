import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Command, WebCommand } from '../model/keys.ts';
import type { Route } from '../model/route.ts';
import { printRoute } from '../model/route.ts';
import type { FeedEvent } from '../shell/ports.ts';
import type { WebState } from '../shell/state.ts';
import type { WebShell } from '../shell/web-shell.ts';
import { onCommand } from './on-command.ts';

export const ShellContext = createContext<WebShell | null>(null);

export function useShell(): WebShell {
  const shell = useContext(ShellContext);
  if (shell === null) throw new Error('no shell');
  return shell;
}

/** A part of the state; who asks is drawn anew where that part changes. */
export function useView<T>(select: (state: WebState) => T): T {
  const { state } = useShell();
  return useSyncExternalStore(state.subscribe, () => select(state.value));
}

/** An address for a link. */
export function href(route: Route): string {
  return `#${printRoute(route)}`;
}

export interface Loaded<T> {
  readonly value: T | null;
  readonly failure: string | null;
  /** It takes long enough for somebody to wonder. */
  readonly slow: boolean;
  readonly reload: () => void;
  readonly set: (value: T) => void;
}

/** Nothing turns before this. */
const SLOW_MS = 300;

/** What is loaded for a view: anew where `key` changes, after a reset, and where `anew` says so of an event. */
export function useLoaded<T>(
  key: string,
  load: () => Promise<T>,
  anew: (event: FeedEvent) => boolean = () => false,
): Loaded<T> {
  const shell = useShell();
  const generation = useView(({ generation }) => generation);
  const live = useView(({ connection }) => connection.state === 'live');
  const [state, setState] = useState<{ key: string; value: T | null; failure: string | null }>({
    key,
    value: null,
    failure: null,
  });
  const [slow, setSlow] = useState(false);
  const latest = useRef({ load, anew, turn: 0 });
  latest.current.load = load;
  latest.current.anew = anew;

  const reload = useCallback(() => {
    const turn = ++latest.current.turn;
    const late = setTimeout(() => setSlow(true), SLOW_MS);
    latest.current
      .load()
      .then(
        (value) => turn === latest.current.turn && setState({ key, value, failure: null }),
        (error: unknown) =>
          turn === latest.current.turn &&
          setState((before) => ({
            key,
            value: before.key === key ? before.value : null,
            failure: shell.explain(error),
          })),
      )
      .finally(() => {
        clearTimeout(late);
        setSlow(false);
      });
  }, [key, shell]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a reset and a server that is back load anew
  useEffect(reload, [reload, generation, live]);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | null = null;
    const off = shell.onEvents((events) => {
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

/** Now by the server's clock, told every so often while it is looked at. */
export function useNow(everyMs: number): number {
  const shell = useShell();
  const [now, setNow] = useState(() => shell.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(shell.now()), everyMs);
    return () => clearInterval(timer);
  }, [shell, everyMs]);
  return now;
}

/** Listens for commands of keys while it is shown; what it does is always as it was last drawn. */
export function useCommands(act: (command: Command | WebCommand) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => onCommand((command) => latest.current(command)), []);
}

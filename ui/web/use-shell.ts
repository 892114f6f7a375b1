import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import type { Route } from './app/route.ts';
import { messageRoute, printRoute } from './app/route.ts';
import type { WebState } from './app/state.ts';
import type { WebShell } from './app/web-shell.ts';

export const ShellContext = createContext<WebShell | null>(null);

export function useShell(): WebShell {
  const shell = useContext(ShellContext);
  if (shell === null) throw new Error('no shell');
  return shell;
}

/** Returns a part of the state. The component renders again when that part changes. */
export function useView<T>(select: (state: WebState) => T): T {
  const { state } = useShell();
  return useSyncExternalStore(state.subscribe, () => select(state.value));
}

/** Returns the address of a route for a link. */
export function href(route: Route): string {
  return `#${printRoute(route)}`;
}

/** The delay before a placeholder appears. */
export const SLOW_MS = 300;

/** Tells whether a media query applies now. */
export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  const listen = useCallback(
    (act: () => void) => {
      list.addEventListener('change', act);
      return () => list.removeEventListener('change', act);
    },
    [list],
  );
  return useSyncExternalStore(listen, () => list.matches);
}

/** The width from which lists without an open item are tables over the whole page. */
export const WIDE = '(min-width: 1280px)';

/** Returns the permanent address of a message, or of a mail attached to it. */
export function permanentAddress(messageId: string, attached: string | null = null): string {
  return `${location.origin}/#${printRoute(messageRoute(messageId, attached))}`;
}

import { type FunctionComponent, useEffect, useState } from 'react';
import { loadCode, loadStyle } from '../machine/load-code.ts';
import { useShell, useView } from '../use-shell.ts';
import { Failed, SlowSkeleton } from './controls.tsx';
import { addIcons } from './Icon.tsx';

async function loadIcons(): Promise<void> {
  addIcons((await import('./more-icons.ts')).MORE_ICONS);
}

/**
 * Returns a component whose code and styles are loaded when it is first shown. Until then it shows placeholders
 * after a short moment, unless it is `quiet`. `fetchCode` loads them before. If loading fails, it shows the failure, and loads them again when the server is back.
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  { quiet = false }: { readonly quiet?: boolean } = {},
): FunctionComponent<Props> & { readonly fetchCode: () => Promise<void> } {
  let Loaded: FunctionComponent<Props> | null = null;
  const fetchCode = async () => {
    Loaded ??= (await loadCode(() => Promise.all([load(), loadStyle('views'), loadIcons()])))[0];
  };
  return Object.assign(Later, { fetchCode });

  function Later(props: Props) {
    const shell = useShell();
    const live = useView(({ connection }) => connection.state === 'live');
    const [turn, setTurn] = useState(0);
    const [failure, setFailure] = useState<string | null>(null);
    // The code may arrive between this render and its effect, which then must render again.
    const Shown = Loaded;
    // biome-ignore lint/correctness/useExhaustiveDependencies: a reconnect and a retry load the code again
    useEffect(() => {
      if (Shown !== null) return;
      let isMounted = true;
      fetchCode().then(
        () => isMounted && setTurn(turn + 1),
        (error: unknown) => isMounted && setFailure(shell.explain(error)),
      );
      return () => {
        isMounted = false;
      };
    }, [shell, live, turn]);
    if (Shown !== null) return <Shown {...props} />;
    if (failure === null) return quiet ? null : <SlowSkeleton />;
    // A server of another version has other file names, so only a new page can load its code.
    return <Failed reason={failure} onRetry={() => (live ? location.reload() : setTurn(turn + 1))} />;
  }
}

import { useEffect } from 'react';
import type { StoredAuthenticator } from '../app/api.ts';
import { useLoaded, useNow } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { CopyButton } from './view-controls.tsx';

/** Shows the current code of an authenticator with its remaining seconds. `onCode` is called with each new code. */
export function RunningCode({
  authenticator: { id, period },
  onCode = () => {},
}: {
  readonly authenticator: StoredAuthenticator;
  readonly onCode?: (code: string) => void;
}) {
  const shell = useShell();
  const now = useNow(500);
  const { value, failure, reload } = useLoaded(`code ${id}`, () => shell.api.getCode(id));
  const left = value === null ? 0 : Math.ceil((Date.parse(value.expiresAt) - now) / 1_000);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an expired code is requested again
  useEffect(() => {
    if (value !== null && left <= 0) reload();
  }, [left <= 0]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onCode` must run only when the code changes
  useEffect(() => {
    if (value !== null) onCode(value.code);
  }, [value?.code]);
  if (failure !== null && value === null) return <p className="error">{failure}</p>;
  const shown = value?.code ?? '······';
  return (
    <div className="code-field">
      <output className="code" aria-label="Code">
        {shown.slice(0, shown.length / 2)}
        {'\u2009'}
        {shown.slice(shown.length / 2)}
      </output>
      <progress max={period} value={Math.max(0, left)} aria-label="Seconds left" />
      <span className="faint seconds">{Math.max(0, left)} s</span>
      {value !== null && <CopyButton text={value.code} what="the current code" look="main" />}
    </div>
  );
}

import { useShell, useView } from '../use-shell.ts';

/** A button that shows the messages that wait above the list. */
export function Fresh() {
  const shell = useShell();
  const waiting = useView(({ mail }) => mail?.list.waiting ?? 0);
  if (waiting === 0) return null;
  return (
    <button type="button" className="fresh" title="Show the new messages (g)" onClick={() => shell.mail.toNewest()}>
      {waiting.toLocaleString('en-US')} new
    </button>
  );
}

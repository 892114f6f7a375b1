import { useShell, useView } from '../use-shell.ts';
import { later } from './later.tsx';

const Dialogs = later(() => import('./Dialogs.tsx').then(({ Dialogs }) => Dialogs), { quiet: true });

/** Shows the open dialog or panel, and the notice. */
export function Overlays() {
  const shell = useShell();
  const overlay = useView(({ overlay }) => overlay);
  const notice = useView(({ notice }) => notice);
  return (
    <>
      {overlay !== null && <Dialogs overlay={overlay} onClose={() => shell.show(null)} />}
      <div className="notices" role="status" aria-live="polite">
        {notice !== null && (
          <p className={`notice ${notice.tone}`}>
            {notice.text}
            {notice.action !== undefined && (
              <button type="button" onClick={notice.action.run}>
                {notice.action.label}
              </button>
            )}
          </p>
        )}
      </div>
    </>
  );
}

import { useShell, useView } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Dialog, DialogHead } from './Dialog.tsx';
import { later } from './later.tsx';
import { Mailboxes } from './Mailboxes.tsx';

const Help = later(() => import('./Help.tsx').then(({ Help }) => Help));
const CommandPalette = later(() => import('./Palette.tsx').then(({ CommandPalette }) => CommandPalette));
const More = later(() => import('./More.tsx').then(({ More }) => More));
const AsTest = later(() => import('../mail/AsTest.tsx').then(({ AsTest }) => AsTest));
const Release = later(() => import('../mail/Release.tsx').then(({ ReleaseForm }) => ReleaseForm));

/** Shows the open dialog or panel, and the notice. */
export function Overlays() {
  const shell = useShell();
  const overlay = useView(({ overlay }) => overlay);
  const notice = useView(({ notice }) => notice);
  const close = () => shell.show(null);
  return (
    <>
      {overlay?.kind === 'help' && (
        <Dialog label="Keys" onClose={close} className="help">
          <DialogHead title="Keys" onClose={close} />
          <Help />
        </Dialog>
      )}
      {overlay?.kind === 'palette' && <CommandPalette typed={overlay.typed} place={overlay.place} onClose={close} />}
      {overlay?.kind === 'mailboxes' && (
        <Dialog label="Mailboxes" onClose={close} className="sheet">
          <DialogHead title="Mailboxes" onClose={close} />
          <Mailboxes onPick={close} />
        </Dialog>
      )}
      {overlay?.kind === 'more' && (
        <Dialog label="More" onClose={close} className="sheet">
          <DialogHead title="More" onClose={close} />
          <More onPick={close} />
        </Dialog>
      )}
      {overlay?.kind === 'as-test' && (
        <Dialog label="Copy as test" onClose={close} className="as-test">
          <DialogHead title="Copy as test" onClose={close} />
          <AsTest />
        </Dialog>
      )}
      {overlay?.kind === 'release' && (
        <Dialog label="Release" onClose={close}>
          <DialogHead title="Send through the relay" onClose={close} />
          <Release messageId={overlay.messageId} to={overlay.to} onClose={close} />
        </Dialog>
      )}
      {overlay?.kind === 'confirm' && (
        <Dialog label={overlay.question} onClose={close} className="confirm">
          <h2>{overlay.question}</h2>
          <p>{overlay.detail}</p>
          <div className="dialog-actions">
            <Button onClick={close}>Cancel</Button>
            <Button look="danger" data-first onClick={overlay.act}>
              {overlay.yes}
            </Button>
          </div>
        </Dialog>
      )}
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

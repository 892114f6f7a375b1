import type { WebOverlay } from '../app/state.ts';
import { AsTest } from '../mail/AsTest.tsx';
import { MailboxForm } from '../mail/MailboxForm.tsx';
import { ReleaseForm } from '../mail/Release.tsx';
import { TellApp } from '../mail/TellApp.tsx';
import { useShell } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Dialog } from './Dialog.tsx';
import { Help } from './Help.tsx';
import { Mailboxes } from './Mailboxes.tsx';
import { More } from './More.tsx';
import { CommandPalette } from './Palette.tsx';

/** Shows the open dialog. */
export function Dialogs({ overlay, onClose }: { readonly overlay: WebOverlay; readonly onClose: () => void }) {
  const shell = useShell();
  return (
    <>
      {overlay.kind === 'help' && (
        <Dialog label="Keys" onClose={onClose} className="help">
          <Help />
        </Dialog>
      )}
      {overlay.kind === 'palette' && <CommandPalette typed={overlay.typed} place={overlay.place} onClose={onClose} />}
      {overlay.kind === 'mailboxes' && (
        <Dialog
          label="Mailboxes"
          onClose={onClose}
          className="sheet"
          actions={
            <Button look="quiet" icon="plus" onClick={() => shell.show({ kind: 'mailbox', id: null })}>
              New mailbox
            </Button>
          }
        >
          <Mailboxes onPick={onClose} />
        </Dialog>
      )}
      {overlay.kind === 'more' && (
        <Dialog label="More" onClose={onClose} className="sheet">
          <More onPick={onClose} />
        </Dialog>
      )}
      {overlay.kind === 'mailbox' && (
        <Dialog label={overlay.id === null ? 'New mailbox' : 'Settings of the mailbox'} onClose={onClose}>
          <MailboxForm id={overlay.id} onClose={onClose} />
        </Dialog>
      )}
      {overlay.kind === 'as-test' && (
        <Dialog label="Copy as test" onClose={onClose} className="as-test">
          <AsTest />
        </Dialog>
      )}
      {overlay.kind === 'release' && (
        <Dialog label="Send through the relay" onClose={onClose}>
          <ReleaseForm messageId={overlay.messageId} to={overlay.to} onClose={onClose} />
        </Dialog>
      )}
      {overlay.kind === 'tell-app' && (
        <Dialog label="Tell the app what the reader did" onClose={onClose}>
          <TellApp onClose={onClose} />
        </Dialog>
      )}
      {overlay.kind === 'confirm' && (
        <Dialog label={overlay.question} onClose={onClose} className="confirm" isBare>
          <h2>{overlay.question}</h2>
          <p>{overlay.detail}</p>
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="danger"
              data-first
              onClick={() => {
                onClose();
                overlay.act();
              }}
            >
              {overlay.yes}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

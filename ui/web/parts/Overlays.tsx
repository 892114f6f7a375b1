import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { asTest, TEST_KINDS, type TestKind } from '../../model/as-test.ts';
import { nameOf, type Place, WEB_KEYS } from '../../model/keys.ts';
import { Release } from '../mail/Release.tsx';
import { useShell, useView } from '../use-shell.ts';
import { Button, CopyButton } from './controls.tsx';
import { Dialog, DialogHead } from './Dialog.tsx';
import { Palette } from './Palette.tsx';
import { Mailboxes } from './Sidebar.tsx';

/** Shows the open dialog or panel, and the notice. */
export function Overlays() {
  const shell = useShell();
  const overlay = useView(({ overlay }) => overlay);
  const notice = useView(({ notice }) => notice);
  const close = () => shell.show(null);
  return (
    <>
      {overlay?.kind === 'help' && <Help onClose={close} />}
      {overlay?.kind === 'palette' && <Palette onClose={close} />}
      {overlay?.kind === 'mailboxes' && (
        <Dialog label="Mailboxes" onClose={close} className="sheet">
          <DialogHead title="Mailboxes" onClose={close} />
          <Mailboxes onPick={close} />
        </Dialog>
      )}
      {overlay?.kind === 'as-test' && <AsTest onClose={close} />}
      {overlay?.kind === 'release' && <Release messageId={overlay.messageId} to={overlay.to} onClose={close} />}
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
        {notice !== null && <p className={`notice ${notice.tone}`}>{notice.text}</p>}
      </div>
    </>
  );
}

const PLACES: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  { title: 'Everywhere', places: ['page'] },
  { title: 'The list', places: ['messages'] },
  { title: 'A message', places: ['message'] },
  { title: 'Webhooks', places: ['requests', 'request'] },
];

/** The help dialog with all keys of the key table. */
function Help({ onClose }: { readonly onClose: () => void }) {
  const told = new Set<unknown>();
  return (
    <Dialog label="Keys" onClose={onClose} className="help">
      <DialogHead title="Keys" onClose={onClose} />
      <div className="help-groups">
        {PLACES.map(({ title, places }) => {
          const rows = WEB_KEYS.filter(
            (row) => !told.has(row) && row.keys.length > 0 && places.some((place) => row.in.includes(place)),
          );
          for (const row of rows) told.add(row);
          return (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {rows.map(({ keys, help }) => (
                  <div key={help + keys.join()}>
                    <dt>
                      {keys
                        .filter((key) => !key.startsWith('meta-'))
                        .map((key) => (
                          <kbd key={key}>
                            {nameOf(key)
                              .replace('ctrl-', 'ctrl ')
                              .replace('shift-down', 'shift ↓')
                              .replace('shift-up', 'shift ↑')}
                          </kbd>
                        ))}
                    </dt>
                    <dd>{help}</dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}

/** The dialog with a test snippet for the open message. */
function AsTest({ onClose }: { readonly onClose: () => void }) {
  const open = useView(({ open }) => open);
  const url = useView(({ info }) => info?.url ?? '');
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const [kind, setKind] = useState<TestKind>('Playwright');
  if (!open?.facts || !open.content) return null;
  const { facts, content } = open;
  const link = facts.links.find(({ kind: found }) => found !== 'other' && found !== 'unsubscribe');
  const text = asTest(
    {
      subject: harmlessLine(content.subject ?? '', 120),
      mailboxId: facts.mailboxId,
      subdomain: mailboxes.find(({ id }) => id === facts.mailboxId)?.subdomain ?? 'inbox',
      code: facts.codes.length > 0,
      linkKind: link?.kind ?? null,
    },
    kind,
    url,
  );
  return (
    <Dialog label="Copy as test" onClose={onClose} className="as-test">
      <DialogHead title="Copy as test" onClose={onClose} />
      <div className="switch words">
        {TEST_KINDS.map((one) => (
          <Button key={one} aria-pressed={one === kind} onClick={() => setKind(one)}>
            {one}
          </Button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <div className="dialog-actions">
        <CopyButton text={text} what={`the ${kind} lines`} look="main" />
      </div>
    </Dialog>
  );
}

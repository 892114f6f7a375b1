import { useEffect, useRef, useState } from 'react';
import { attachmentFileName } from '../../../src/text/file-name.ts';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { holdsMail, namelessAs } from '../../../src/text/mail-type.ts';
import { saidCount, saidSize } from '../../../src/text/said.ts';
import type { MessageContent } from '../app/api.ts';
import { listBeside } from '../app/state.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useShell } from '../use-shell.ts';
import { AttachmentPreview } from './AttachmentPreview.tsx';
import { previewKind } from './attachment-kinds.ts';
import { saveAttached } from './save-messages.ts';
import { useSubjects } from './use-subjects.ts';

type Attachment = MessageContent['attachments'][number];

const PREVIEW_BYTES = 8_000_000;
/** The number of attachments shown before the reader asks for more. Each picture among them is loaded. */
const SHOWN = 100;

/** The number of attachments that stand below the text of a mail. The tab has all. */
const BELOW = 6;

interface Attached {
  readonly messageId: string;
  readonly attachments: readonly Attachment[];
}

/** Shows the first attachments below the text of a mail. */
export function AttachmentsBelow({ messageId, attachments, onAll }: Attached & { readonly onAll: () => void }) {
  const more = attachments.length - BELOW;
  return (
    <section className="attachments-below" aria-label="Attachments">
      <h2>{saidCount(attachments.length, 'attachment')}</h2>
      <List messageId={messageId} attachments={attachments.slice(0, BELOW)} />
      {more > 0 && (
        <p className="cut-off">
          <Button onClick={onAll}>{more} more</Button>
        </p>
      )}
    </section>
  );
}

export function Attachments({ messageId, attachments }: Attached) {
  const [room, setRoom] = useState(SHOWN);
  return (
    <>
      <List messageId={messageId} attachments={attachments.slice(0, room)} />
      {attachments.length > room && (
        <p className="cut-off">
          <Button onClick={() => setRoom(room + SHOWN)}>{attachments.length - room} more</Button>
        </p>
      )}
    </>
  );
}

function List({ messageId, attachments }: Attached) {
  const subjects = useSubjects(messageId, attachments);
  return (
    <ul className="attachments">
      {attachments.map((attachment) => (
        <One
          key={attachment.id}
          messageId={messageId}
          attachment={attachment}
          subject={subjects.get(attachment.id) ?? null}
        />
      ))}
    </ul>
  );
}

function One({
  messageId,
  attachment,
  subject,
}: {
  readonly messageId: string;
  readonly attachment: Attachment;
  /** The subject of an attached mail without a file name. */
  readonly subject: string | null;
}) {
  const shell = useShell();
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  const { id, filename, contentType, sizeBytes, isInline, virusScanStatus } = attachment;
  const type = (contentType ?? '').toLowerCase();
  const kind = virusScanStatus === 2 || sizeBytes > PREVIEW_BYTES ? null : previewKind(type, filename ?? '');
  const isPicture = kind === 'picture';
  const [isShown, setShown] = useState(false);
  const preview = useRef<HTMLDivElement>(null);
  // A preview opens below its button, where the window may end.
  const reveal = () => preview.current?.scrollIntoView({ block: 'nearest' });
  const brokenPicture = () => {
    setUrl(null);
    setBroken(true);
  };
  useEffect(() => {
    if (!isPicture) return;
    let made: string | null = null;
    let over = false;
    shell.api.getAttachment(messageId, id).then(
      (bytes) => {
        if (over) return;
        made = URL.createObjectURL(new Blob([bytes], { type }));
        setUrl(made);
      },
      () => {},
    );
    return () => {
      over = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [isPicture, id, messageId, shell, type]);
  const name = harmlessLine(filename ?? subject ?? '', 160) || namelessAs(type);
  const isMail = holdsMail(type);
  const open = () => {
    const { route } = shell.state.value;
    if (route.at !== 'mail') return;
    // The button goes with this list, and the focus stays in the pane.
    document.getElementById('message')?.focus({ preventScroll: true });
    const mailboxId = listBeside(shell.state.value, shell.state.value.open?.facts?.mailboxId ?? '');
    shell.go({ ...route, mailboxId, messageId, tab: null, part: null, attached: id });
  };
  const save = () => {
    if (subject !== null) return saveAttached(shell, messageId, id, subject);
    return shell.attempt(async () => {
      const bytes = await shell.api.getAttachment(messageId, id);
      // Attachments are only saved and never opened in the page, whatever their type.
      shell.machine.save(attachmentFileName(filename ?? ''), new Blob([bytes], { type: 'application/octet-stream' }));
    });
  };
  const openPdf = () =>
    shell.attempt(async () => {
      const bytes = await shell.api.getAttachment(messageId, id);
      // Another file under the name of a PDF must not become a page of this server.
      if (new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)).indexOf('%PDF-') < 0)
        throw new Error('the file is no PDF, whatever its type says.');
      const pdf = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
      window.open(pdf, '_blank');
      setTimeout(() => URL.revokeObjectURL(pdf), 60_000);
    });
  return (
    <li>
      <div className="preview">
        {url === null ? (
          <Icon name={isPicture ? 'image' : isMail ? 'mail' : 'file'} size={24} />
        ) : (
          <img src={url} alt={`Preview of ${name}`} onError={brokenPicture} />
        )}
      </div>
      <div className="about">
        <strong className="clamped">{name}</strong>
        <span className="faint">
          {[harmlessLine(contentType ?? 'no type', 80), saidSize(sizeBytes), isInline ? 'inline' : null]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {virusScanStatus === 2 && <span className="bad-text">The scanner found a virus in this file</span>}
      </div>
      {kind === 'pdf' && (
        <Button icon="external" onClick={() => void openPdf()} aria-label={`Open ${name}`}>
          Open
        </Button>
      )}
      {kind !== null && kind !== 'pdf' && (
        <Button
          icon="eye"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
          aria-label={isShown ? `Hide ${name}` : `Preview ${name}`}
        >
          {isShown ? 'Hide' : 'Preview'}
        </Button>
      )}
      {isMail && (
        <Button icon="open" onClick={open} aria-label={`Open ${name}`}>
          Open
        </Button>
      )}
      <IconButton icon="download" label={`Download ${name}`} onClick={() => void save()} />
      {isShown && (
        <div ref={preview} className="preview-large">
          {kind === 'picture' && isBroken ? (
            <p className="faint">The file can't be shown: it is no picture of its type, or it is damaged.</p>
          ) : kind === 'picture' ? (
            url !== null && <img src={url} alt={name} onLoad={reveal} />
          ) : kind !== null && kind !== 'pdf' ? (
            <AttachmentPreview messageId={messageId} id={id} kind={kind} onShown={reveal} />
          ) : null}
        </div>
      )}
    </li>
  );
}

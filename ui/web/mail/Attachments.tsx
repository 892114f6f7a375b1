import { useEffect, useState } from 'react';
import { attachmentFileName } from '../../../src/text/file-name.ts';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { holdsMail } from '../../../src/text/mail-type.ts';
import { saidSize } from '../../../src/text/said.ts';
import type { MessageContent } from '../app/api.ts';
import { listBeside } from '../app/state.ts';
import { Button } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useShell } from '../use-shell.ts';

type Attachment = MessageContent['attachments'][number];

/** Types that a browser shows as a picture without any risk. Even an SVG in an `img` element runs no script. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon)$/;
const PREVIEW_BYTES = 8_000_000;
/** The number of attachments shown before the reader asks for more. Each picture among them is loaded. */
const SHOWN = 100;

export function Attachments({
  messageId,
  attachments,
}: {
  readonly messageId: string;
  readonly attachments: readonly Attachment[];
}) {
  const [room, setRoom] = useState(SHOWN);
  return (
    <>
      <ul className="attachments">
        {attachments.slice(0, room).map((attachment) => (
          <One key={attachment.id} messageId={messageId} attachment={attachment} />
        ))}
      </ul>
      {attachments.length > room && (
        <p className="cut-off">
          <Button onClick={() => setRoom(room + SHOWN)}>{attachments.length - room} more</Button>
        </p>
      )}
    </>
  );
}

function One({ messageId, attachment }: { readonly messageId: string; readonly attachment: Attachment }) {
  const shell = useShell();
  const [url, setUrl] = useState<string | null>(null);
  const { id, filename, contentType, sizeBytes, isInline, virusScanStatus } = attachment;
  const type = (contentType ?? '').toLowerCase();
  const isPicture = PICTURES.test(type) && sizeBytes <= PREVIEW_BYTES && virusScanStatus !== 2;
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
  const name = harmlessLine(filename ?? '', 160) || 'unnamed';
  const isMail = holdsMail(type);
  const open = () => {
    const { route } = shell.state.value;
    if (route.at !== 'mail') return;
    // The button goes with this list, and the focus stays in the pane.
    document.getElementById('message')?.focus({ preventScroll: true });
    const mailboxId = listBeside(shell.state.value, shell.state.value.open?.facts?.mailboxId ?? '');
    shell.go({ ...route, mailboxId, messageId, tab: null, part: null, attached: id });
  };
  const save = () =>
    shell.attempt(async () => {
      const bytes = await shell.api.getAttachment(messageId, id);
      // Attachments are only saved and never opened in the page, whatever their type.
      shell.machine.save(attachmentFileName(filename ?? ''), new Blob([bytes], { type: 'application/octet-stream' }));
    });
  return (
    <li>
      <div className="preview">
        {url === null ? (
          <Icon name={isPicture ? 'image' : isMail ? 'mail' : 'file'} size={24} />
        ) : (
          <img src={url} alt={`Preview of ${name}`} onError={() => setUrl(null)} />
        )}
      </div>
      <div className="about">
        <strong>{name}</strong>
        <span className="faint">
          {[harmlessLine(contentType ?? 'no type', 80), saidSize(sizeBytes), isInline ? 'inline' : null]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {virusScanStatus === 2 && <span className="bad-text">The scanner found a virus in this file</span>}
      </div>
      {isMail && (
        <Button icon="open" onClick={open} aria-label={`Open ${name}`}>
          Open
        </Button>
      )}
      <Button icon="download" onClick={() => void save()} aria-label={`Download ${name}`}>
        Download
      </Button>
    </li>
  );
}

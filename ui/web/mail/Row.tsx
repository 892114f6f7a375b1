import { memo } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidTime } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import type { MessagePreview } from '../app/api.ts';
import { isRead, type MarksByMailbox } from '../app/read-marks.ts';
import type { WebRow } from '../app/state.ts';
import { Icon } from '../parts/Icon.tsx';
import { useShell } from '../use-shell.ts';

interface RowProps {
  readonly row: WebRow;
  readonly preview: MessagePreview | null;
  readonly marks: MarksByMailbox;
  readonly isOpen: boolean;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly position: number;
  /** The number of all rows, or -1 if not all are loaded. */
  readonly count: number;
  readonly onPoint: (row: WebRow, how: 'open' | 'toggle' | 'range') => void;
}

/** One row of the message list. */
export const MessageRow = memo(DrawnRow);

function DrawnRow({ row, preview, marks, isOpen, isAt, isChosen, position, count, onPoint }: RowProps) {
  const read = isRead(marks, row.mailboxId, row.id);
  const classes = ['row', read ? '' : 'unread', isOpen ? 'open' : '', isAt ? 'at' : '', isChosen ? 'chosen' : ''];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      className={classes.filter(Boolean).join(' ')}
      id={`row-${row.id}`}
      role="option"
      aria-selected={isChosen || isOpen}
      aria-posinset={position}
      aria-setsize={count}
      tabIndex={-1}
      onClick={(event) => {
        if (event.shiftKey) {
          event.preventDefault();
          getSelection()?.removeAllRanges();
        }
        onPoint(row, event.shiftKey ? 'range' : event.metaKey || event.ctrlKey ? 'toggle' : 'open');
      }}
    >
      <span
        className="check"
        aria-hidden="true"
        title="Choose (x)"
        onClick={(event) => {
          event.stopPropagation();
          onPoint(row, event.shiftKey ? 'range' : 'toggle');
        }}
      >
        {isChosen && <Icon name="check" size={12} />}
      </span>
      <Content row={row} preview={preview} read={read} />
    </div>
  );
}

interface ContentProps {
  readonly row: WebRow;
  readonly preview: MessagePreview | null;
  readonly read: boolean;
}

/** The content of a row. It renders once, although each new message changes the position of the row. */
const Content = memo(DrawnContent);

function DrawnContent({ row, preview, read }: ContentProps) {
  const shell = useShell();
  const subject = harmlessLine(row.subject, 200) || NO_SUBJECT;
  const from = displayName(row.from) || 'nobody';
  return (
    <>
      <span className="from">
        {!read && <span className="sr">Unread. </span>}
        <bdi className="who">{from}</bdi>
        <bdi className="to">{displayName(row.to) || 'nobody'}</bdi>
      </span>
      <time dateTime={new Date(row.receivedAt).toISOString()}>{saidTime(row.receivedAt, shell.now())}</time>
      <span className="what" dir="auto">
        <span className="subject">{subject}</span>
        {preview !== null && preview.snippet !== '' && (
          <span className="snippet-text"> {harmlessLine(preview.snippet, 160)}</span>
        )}
      </span>
      <span className="marks">
        {row.attachmentCount > 0 && (
          <span title={`${row.attachmentCount} attached`}>
            <Icon name="clip" size={14} />
            <span className="sr">{row.attachmentCount} attached</span>
          </span>
        )}
        {preview?.codes[0] !== undefined && <code className="code-mark">{harmlessLine(preview.codes[0], 24)}</code>}
      </span>
    </>
  );
}

/** Returns the display name of an address, or else the address. */
export function displayName(address: string): string {
  // The limit is long, because a cut inside the address would remove the bracket that ends it.
  const line = harmlessLine(address, 600);
  const named = /^"?([^"<]+?)"?\s*<[^>]*>$/.exec(line);
  return harmlessLine(named?.[1] ?? line.replace(/^<(.*)>$/, '$1'), 120);
}

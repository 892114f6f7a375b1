import { memo, useState } from 'react';
import { aroundMatch, hiddenMatch, type MatchedSnippet } from '../../../src/text/around-match.ts';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidExactTime, saidMoment, saidSize, saidTime } from '../../../src/text/said.ts';
import { NO_SUBJECT, TEXT_MESSAGE } from '../../../src/text/wording.ts';
import type { MessagePreview } from '../app/api.ts';
import type { WebRow } from '../app/state.ts';
import { Icon } from '../parts/Icon.tsx';
import { useShell, useView } from '../use-shell.ts';

interface RowProps {
  readonly row: WebRow;
  readonly preview: MessagePreview | null;
  readonly isOpen: boolean;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly position: number;
  /** The number of all rows, or -1 if not all are loaded. */
  readonly count: number;
  /** True in a table over the whole page. */
  readonly isTable: boolean;
  /** True in the list of all mailboxes, which names the mailbox of each row. */
  readonly isAll: boolean;
  /** The place among the copies of one mail for several mailboxes, from 1, and their number. */
  readonly copy: number;
  readonly copies: number;
  /** True if its box is drawn without a pointer over it: while rows are chosen, and where no pointer hovers. */
  readonly hasBox: boolean;
  readonly onPoint: (row: WebRow, how: 'open' | 'toggle' | 'range') => void;
}

/** The number of tags in a row. The message shows all. */
const SHOWN_TAGS = 2;

/** One row of the message list. */
export const MessageRow = memo(DrawnRow);

function DrawnRow({
  row,
  preview,
  isOpen,
  isAt,
  isChosen,
  position,
  count,
  isTable,
  isAll,
  copy,
  copies,
  hasBox,
  onPoint,
}: RowProps) {
  const { read } = row;
  // The box to choose a row is drawn where it is seen, because each element of a long list costs.
  const [isPointedAt, setPointedAt] = useState(false);
  const classes = [
    'row',
    read ? '' : 'unread',
    isOpen ? 'open' : '',
    isAt ? 'at' : '',
    isChosen ? 'chosen' : '',
    copies > 1 ? 'copied' : '',
    copy > 1 ? 'copy' : '',
  ];
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
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onClick={(event) => {
        if (event.shiftKey) {
          event.preventDefault();
          getSelection()?.removeAllRanges();
        }
        onPoint(row, event.shiftKey ? 'range' : event.metaKey || event.ctrlKey ? 'toggle' : 'open');
      }}
    >
      {(isPointedAt || hasBox) && (
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
      )}
      <Content row={row} preview={preview} isTable={isTable} isAll={isAll} copy={copy} copies={copies} />
    </div>
  );
}

interface ContentProps {
  readonly row: WebRow;
  readonly preview: MessagePreview | null;
  readonly isTable: boolean;
  readonly isAll: boolean;
  readonly copy: number;
  readonly copies: number;
}

/** The content of a row. It renders once, although each new message changes the position of the row. */
const Content = memo(DrawnContent);

function DrawnContent({ row, preview, isTable, isAll, copy, copies }: ContentProps) {
  const shell = useShell();
  const subject = harmlessLine(row.subject, 200) || NO_SUBJECT;
  const from = displayName(row.from) || 'nobody';
  const hidden = hiddenMatch(row.matches);
  // A cell takes the direction of its text by itself. A line takes that of its sender, which a `bdi` would hide from it.
  const Who = isTable ? 'bdi' : 'span';
  const people = (
    <>
      <Who className="who">
        <Marked text={from} match={matchIn(row, 'from')} />
      </Who>
      <bdi className="to">
        <Marked text={displayName(row.to) || 'nobody'} match={matchIn(row, 'to')} />
      </bdi>
    </>
  );
  const [code] = preview?.codes ?? [];
  return (
    <>
      {isTable ? (
        people
      ) : (
        <span className="from" dir="auto">
          {people}
        </span>
      )}
      <time dateTime={new Date(row.receivedAt).toISOString()} title={saidMoment(row.receivedAt, shell.now())}>
        {isTable ? saidExactTime(row.receivedAt, shell.now()) : saidTime(row.receivedAt, shell.now())}
      </time>
      {isAll && <InMailbox id={row.mailboxId} />}
      {isTable && <span className="size">{saidSize(row.sizeBytes)}</span>}
      <span className="what" dir="auto">
        <span className="subject">
          <Marked text={subject} match={matchIn(row, 'subject')} />
        </span>
        {hidden !== null ? (
          <Found match={hidden} />
        ) : (
          preview !== null &&
          preview.snippet !== '' && <span className="snippet-text"> {harmlessLine(preview.snippet, 160)}</span>
        )}
      </span>
      {(copies > 1 ||
        row.kind === 'sms' ||
        row.starred ||
        row.tags.length > 0 ||
        row.attachmentCount > 0 ||
        code !== undefined) && (
        <span className="marks">
          {copies > 1 && (
            <span className="tag copies">{copy > 1 ? `copy ${copy} of ${copies}` : `${copies} mailboxes`}</span>
          )}
          {row.kind === 'sms' && (
            <span className="phone" title={TEXT_MESSAGE}>
              <Icon name="phone" size={14} />
            </span>
          )}
          {row.starred && (
            <span className="starred" title="Starred">
              <Icon name="star" size={14} />
              <span className="sr">Starred</span>
            </span>
          )}
          {row.tags.slice(0, SHOWN_TAGS).map((tag) => (
            <span key={tag} className="tag">
              {harmlessLine(tag, 20)}
            </span>
          ))}
          {row.attachmentCount > 0 && (
            <span title={`${row.attachmentCount} attached`}>
              <Icon name="clip" size={14} />
              <span className="sr">{row.attachmentCount} attached</span>
            </span>
          )}
          {code !== undefined && <code className="code-mark">{harmlessLine(code, 24)}</code>}
        </span>
      )}
    </>
  );
}

/** Names the mailbox of a row in the list of all. */
function InMailbox({ id }: { readonly id: string }) {
  const name = useView(({ mailboxes }) => {
    const mailbox = mailboxes.find((one) => one.id === id);
    return mailbox === undefined ? '' : mailbox.name || mailbox.subdomain;
  });
  return (
    <span className="in" title={harmlessLine(name, 100)}>
      {harmlessLine(name, 60)}
    </span>
  );
}

/** Returns the text of a field that a search found. Null if it found none. */
function matchIn({ matches }: WebRow, field: string): string | null {
  const match = matches?.find((one) => one.field === field);
  return match === undefined ? null : aroundMatch(match, BEFORE).text;
}

/** The number of characters that a row shows before a match. */
const BEFORE = 24;

/** Shows a text, with the part that a search found marked. */
function Marked({ text, match }: { readonly text: string; readonly match: string | null }) {
  const part = match === null ? '' : harmlessLine(match, 160);
  const at = part === '' ? -1 : text.indexOf(part);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{part}</mark>
      {text.slice(at + part.length)}
    </>
  );
}

/** Shows what a search found in a mail, in the place of its first words. */
function Found({ match }: { readonly match: MatchedSnippet }) {
  const { before, text, after } = aroundMatch(match, BEFORE);
  const field = match.field === 'body' || match.field === 'header' ? '' : `${match.field}: `;
  return (
    <span className="snippet-text">
      {' '}
      {field}
      {harmlessPart(before)}
      <mark>{harmlessLine(text, 160)}</mark>
      {harmlessPart(after)}
    </span>
  );
}

/** Makes a part of a line safe. Unlike a line, it keeps the spaces at its ends. */
function harmlessPart(text: string): string {
  return harmlessText(text).replace(/\s+/g, ' ');
}

/** Returns the display name of an address, or else the address. */
export function displayName(address: string): string {
  // The limit is long, because a cut inside the address would remove the bracket that ends it.
  const line = harmlessLine(address, 600);
  const named = /^"?([^"<]+?)"?\s*<[^>]*>$/.exec(line);
  return harmlessLine(named?.[1] ?? line.replace(/^<(.*)>$/, '$1'), 120);
}

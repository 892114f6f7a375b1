import { memo, useState } from 'react';
import { aroundMatch, hiddenMatch, type MatchedSnippet } from '../../../src/text/around-match.ts';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidExactTime, saidMoment, saidSize, saidTime } from '../../../src/text/said.ts';
import { NO_SUBJECT, TEXT_MESSAGE } from '../../../src/text/wording.ts';
import type { MessagePreview } from '../app/api.ts';
import { copiesOf, type WebRow } from '../app/state.ts';
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
  /** The place of an unfolded copy among the copies of its mail. Null for any other row. */
  readonly place: CopyPlace | null;
  /** True if its box is drawn without a pointer over it: while rows are chosen, and where no pointer hovers. */
  readonly hasBox: boolean;
  readonly onPoint: (row: WebRow, how: PointedAt) => void;
}

/** The actions that the pointer asks of a row. */
export type PointedAt = 'hover' | 'press' | 'open' | 'toggle' | 'range' | 'unfold';

/** The place of a copy among the copies of one mail, from 1. */
export type CopyPlace = `${number} of ${number}`;

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
  place,
  hasBox,
  onPoint,
}: RowProps) {
  const { copies = [] } = row;
  const read = row.read && copies.every((copy) => copy.read);
  // The box to choose a row is drawn where it is seen, because each element of a long list costs.
  const [isPointedAt, setPointedAt] = useState(false);
  const classes = [
    'row',
    read ? '' : 'unread',
    isOpen ? 'open' : '',
    isAt ? 'at' : '',
    isChosen ? 'chosen' : '',
    place === null ? '' : 'copied',
    place === null || isFirst(place) ? '' : 'copy',
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
      // A finger that goes down scrolls more often than it opens. A mouse that did not move sees rows pass below it.
      onPointerMove={({ pointerType }) => pointerType === 'mouse' && onPoint(row, 'hover')}
      onPointerDown={({ pointerType }) => pointerType === 'mouse' && onPoint(row, 'press')}
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
      <Content row={row} preview={preview} isTable={isTable} isAll={isAll} place={place} onPoint={onPoint} />
    </div>
  );
}

type ContentProps = Pick<RowProps, 'row' | 'preview' | 'isTable' | 'isAll' | 'place' | 'onPoint'>;

/** The content of a row. It renders once, although each new message changes the position of the row. */
const Content = memo(DrawnContent);

function DrawnContent({ row, preview, isTable, isAll, place, onPoint }: ContentProps) {
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
  const messages = copiesOf(row);
  const isStarred = messages.some(({ starred }) => starred);
  const tags = [...new Set(messages.flatMap(({ tags }) => tags))];
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
      {isAll && <InMailboxes ids={messages.map(({ mailboxId }) => mailboxId)} />}
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
      {(place !== null ||
        row.copies !== undefined ||
        row.kind === 'sms' ||
        isStarred ||
        tags.length > 0 ||
        row.attachmentCount > 0 ||
        code !== undefined) && (
        <span className="marks">
          <Copies row={row} place={place} isAll={isAll} onPoint={onPoint} />
          {row.kind === 'sms' && (
            <span className="phone" title={TEXT_MESSAGE}>
              <Icon name="phone" size={14} />
            </span>
          )}
          {isStarred && (
            <span className="starred" title="Starred">
              <Icon name="star" size={14} />
              <span className="sr">Starred</span>
            </span>
          )}
          {tags.slice(0, SHOWN_TAGS).map((tag) => (
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

/** Says how many copies of its mail a row holds, or which one it is. The reader unfolds and folds them with it. */
function Copies({ row, place, isAll, onPoint }: Pick<ContentProps, 'row' | 'place' | 'isAll' | 'onPoint'>) {
  const { copies } = row;
  if (copies === undefined && (place === null || !isFirst(place)))
    return place === null ? null : <span className="tag copies">copy {place}</span>;
  const isFolded = copies !== undefined;
  const count = isFolded ? copies.length + 1 : place?.split(' ').at(-1);
  // A mailbox holds two copies of a mail if it has sent the mail to itself.
  const said = isFolded && !isAll && count === 2 ? 'sent and received' : `${count} copies`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: a row is an option, which holds no button
    <span
      className={`tag copies ${isFolded ? 'folded' : ''}`}
      title="→ unfolds, ← folds"
      onClick={(event) => {
        event.stopPropagation();
        onPoint(row, 'unfold');
      }}
    >
      {said}
      <Icon name="down" size={12} />
      <span className="sr">{isFolded ? ', folded' : ', unfolded'}</span>
    </span>
  );
}

function isFirst(place: CopyPlace): boolean {
  return place.startsWith('1 ');
}

/** Names the mailboxes of a row in the list of all. */
function InMailboxes({ ids }: { readonly ids: readonly string[] }) {
  const names = useView(({ mailboxes }) =>
    mailboxes
      .filter(({ id }) => ids.includes(id))
      .map(({ name, subdomain }) => harmlessLine(name || subdomain, 60))
      .join(', '),
  );
  return (
    <span className="in" title={names}>
      {names}
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

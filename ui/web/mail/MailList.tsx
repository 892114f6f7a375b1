import type { FocusEvent } from 'react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { saidCount } from '../../../src/text/said.ts';
import { selectedIndex, shownCount } from '../../model/message-list.ts';
import { ALL_MAIL } from '../app/api.ts';
import { messageCount } from '../app/copies.ts';
import { MAIL_PAGE } from '../app/message-list-controller.ts';
import { extended, toggled } from '../app/selection.ts';
import type { ListState, WebRow } from '../app/state.ts';
import { isOneOf, shownMailbox } from '../app/state.ts';
import { Button, Failed, SlowSkeleton } from '../parts/controls.tsx';
import { later } from '../parts/later.tsx';
import { TableHead } from '../parts/TableHead.tsx';
import { useMedia, useShell, useView, WIDE } from '../use-shell.ts';
import { ListHead } from './ListHead.tsx';
import { elementsOf, scrollToRow, windowOf } from './list-window.ts';
import { type CopyPlace, MessageRow, type PointedAt } from './Row.tsx';

const NoRows = later(() => import('./NoRows.tsx').then(({ NoRows }) => NoRows));
const MailboxGone = later(() => import('./NoRows.tsx').then(({ MailboxGone }) => MailboxGone));

const ROW = 60;
const COMPACT_ROW = 32;
const TABLE_ROW = 40;

/** Shows the messages of a mailbox, newest first, with live updates. It renders only the visible rows. */
export function MailList() {
  const mail = useView(({ mail }) => mail);
  const failure = useView(({ failure }) => failure);
  const mailboxId = useView(shownMailbox);
  const isGone = useView(({ mailboxes, mail }) => {
    const known = mailboxes.find(({ id }) => id === mailboxId);
    // The page may not have been told of a new mailbox, which can be read.
    return known ? known.gone : mailboxId !== ALL_MAIL && mailboxes.length > 0 && mail?.failure;
  });
  return (
    <section className="list-pane" aria-label="Messages">
      <ListHead />
      {failure !== null && mail === null ? (
        <Failed reason={failure} onRetry={() => location.reload()} />
      ) : isGone ? (
        <MailboxGone />
      ) : mail === null || mail.mailboxId !== mailboxId ? (
        <SlowSkeleton rows={8} />
      ) : (
        <Rows key={mail.mailboxId} mail={mail} />
      )}
    </section>
  );
}

function Rows({ mail }: { readonly mail: ListState }) {
  const shell = useShell();
  const { list, previews, selection, reveal, query, failure, cutOffAt } = mail;
  const compact = useView(({ compact }) => compact);
  const openId = useView(({ route }) => (route.at === 'mail' ? route.messageId : null));
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const isWide = useMedia(WIDE);
  const isTable = isWide && openId === null;
  const isAll = mail.mailboxId === ALL_MAIL;
  const hasNoPointer = useMedia('(pointer: coarse)');
  const hasBoxes = selection.ids.size > 0 || hasNoPointer;
  const rowHeight = isTable ? TABLE_ROW : compact ? COMPACT_ROW : ROW;
  const count = shownCount(list);
  const at = selectedIndex(list);
  const isEmpty = count === 0 && (list.complete || cutOffAt !== null);
  const isDrawn = !isEmpty && (failure === null || (list.rows.length > 0 && !mail.isWrong));

  const see = () => {
    const shown = box.current;
    if (shown === null) return;
    const { scrollTop, clientHeight } = shown;
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
    shell.mail.scrolled(Math.floor(scrollTop / rowHeight), Math.max(1, Math.ceil(clientHeight / rowHeight)));
  };
  // Another search begins at its newest result.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list goes to its top for another search
  useLayoutEffect(() => {
    if (box.current !== null && view.top > 0) box.current.scrollTop = 0;
  }, [query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible rows also depend on the row height
  useLayoutEffect(() => {
    see();
    const watcher = new ResizeObserver(see);
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [rowHeight, query, isDrawn]);
  // The rows got another height, as when a message opens beside a table. The selected row stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another height moves the rows
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null || at < 0 || list.following) return;
    shown.scrollTop = scrollToRow(at, shown.scrollTop, shown.clientHeight, rowHeight);
  }, [rowHeight]);
  // A key moved the selection, so the list scrolls to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls only when a key moves the selection
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null || reveal === 0 || at < 0) return;
    shown.scrollTop = scrollToRow(at, shown.scrollTop, shown.clientHeight, rowHeight);
  }, [reveal]);

  const elements = useRef<ReadonlyMap<string, number>>(new Map());
  const latest = useRef({ mail, openId });
  latest.current = { mail, openId };
  const point = useCallback(
    (row: WebRow, how: PointedAt) => {
      if (how === 'hover' || how === 'press') return shell.loadAhead(row.id, how === 'press');
      const { mail: now, openId: open } = latest.current;
      const rows = now.list.rows.slice(now.list.waiting);
      shell.mail.point(rows.findIndex(({ id }) => id === row.id));
      if (how === 'unfold') return shell.mail.unfold(row, true) || shell.mail.unfold(row, false);
      if (how === 'open') return shell.openMessage(row);
      const before = now.selection.anchor === null ? { ...now.selection, anchor: open ?? row.id } : now.selection;
      shell.choose(how === 'toggle' ? toggled(now.selection, row) : extended(before, rows, row.id));
    },
    [shell],
  );

  if (failure !== null && mail.isWrong)
    return (
      <p className="search-wrong" role="alert">
        {failure}
      </p>
    );
  if (failure !== null && list.rows.length === 0) return <Failed reason={failure} onRetry={() => shell.mail.retry()} />;
  if (isEmpty) return <NoRows mail={mail} />;
  const { from, to, offset, total } = windowOf(view.top, view.height, rowHeight, roomOf(mail));
  const rows = list.rows.slice(list.waiting + from, list.waiting + to);
  elements.current = elementsOf(
    elements.current,
    rows.map(({ id }) => id),
  );
  const open = new Set([openId]);
  const places = placesOf(mail);
  return (
    <>
      {isTable && (
        <TableHead
          names={['From', 'To', 'Subject', '', ...(isAll ? ['Mailbox'] : []), 'Size', 'Received']}
          className={isAll ? 'of-all' : ''}
        />
      )}
      {count === 0 && <SlowSkeleton rows={8} />}
      <div
        ref={box}
        className={`rows ${isTable ? 'table' : compact ? 'compact' : ''} ${isAll ? 'of-all' : ''} ${selection.ids.size > 0 ? 'choosing' : ''}`}
        role="listbox"
        aria-label="Messages, newest first"
        aria-multiselectable="true"
        aria-activedescendant={at >= from && at < to ? `row-${list.selected}` : undefined}
        tabIndex={0}
        data-place="messages"
        onScroll={see}
        onPointerEnter={() => shell.mail.near()}
        onFocus={(event) => {
          shell.mail.near();
          keepFocus(event);
        }}
      >
        <div
          className={`rows-all ${list.complete ? '' : 'unfinished'}`}
          role="presentation"
          style={{ height: `${total}px` }}
        >
          <div className="rows-drawn" role="presentation" style={{ transform: `translateY(${offset}px)` }}>
            {rows.map((row, index) => (
              <MessageRow
                key={elements.current.get(row.id) ?? row.id}
                row={row}
                preview={previews.get(row.id) ?? null}
                isOpen={openId !== null && isOneOf(row, open)}
                isAt={row.id === list.selected}
                isChosen={isOneOf(row, selection.ids)}
                position={from + index + 1}
                count={list.complete ? count : -1}
                isTable={isTable}
                isAll={isAll}
                place={places.get(row.id) ?? null}
                hasBox={hasBoxes}
                onPoint={point}
              />
            ))}
          </div>
        </div>
        {failure !== null && (
          <p className="cut-off" role="alert">
            {failure}{' '}
            <Button look="quiet" onClick={() => shell.mail.retry()}>
              Load more
            </Button>
          </p>
        )}
        {cutOffAt !== null && <SearchOn found={messageCount(list)} />}
        {query !== '' && list.complete && (
          <p className="cut-off faint">{saidCount(messageCount(list), 'message')} found</p>
        )}
      </div>
    </>
  );
}

/** Returns the places of unfolded copies among those of their mail. */
function placesOf({ list, unfolded }: ListState): ReadonlyMap<string, CopyPlace> {
  const places = new Map<string, CopyPlace>();
  for (const key of unfolded) {
    const copies = list.rows.slice(list.waiting).filter(({ copyKey }) => copyKey === key);
    for (const [at, { id }] of copies.entries()) places.set(id, `${at + 1} of ${copies.length}`);
  }
  return places;
}

/**
 * Returns the number of rows that the list reserves height for. It includes the next page before it is loaded, so that
 * scrolling does not stop while the page loads. What is left may be fewer rows, but never more.
 */
function roomOf({ list, total, failure, cutOffAt }: ListState): number {
  const count = shownCount(list);
  if (list.complete || failure !== null || cutOffAt !== null) return count;
  return count + Math.max(0, Math.min((total ?? 0) - messageCount(list), MAIL_PAGE));
}

/** Offers to continue a search that has reached the number of mails that one search may read. */
function SearchOn({ found }: { readonly found: number }) {
  const shell = useShell();
  return (
    <p className="cut-off">
      {found === 0 ? 'Nothing' : saidCount(found, 'message')} found so far; older mail has not been searched yet.{' '}
      <Button onClick={() => shell.mail.searchOn()}>Search further back</Button>
    </p>
  );
}

/**
 * Takes the focus from a row to its list. The element of a row shows another message after it is scrolled away or
 * deleted. A dialog that gives the focus back to it would scroll the list to that message.
 */
export function keepFocus({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target !== currentTarget) currentTarget.focus({ preventScroll: true });
}

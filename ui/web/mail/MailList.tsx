import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { scrollToRow, windowOf } from '../../model/list-window.ts';
import { selectedIndex, shownCount } from '../../model/message-list.ts';
import { mailboxRoute } from '../../model/route.ts';
import { allOf, extended, NONE, toggled } from '../../model/selection.ts';
import { askDelete, CALLED, saidDeleted } from '../../model/words.ts';
import { askToDelete } from '../../shell/ask-to-delete.ts';
import { compareMessages } from '../../shell/compare-messages.ts';
import type { ListState, WebRow } from '../../shell/state.ts';
import { shownMailbox } from '../../shell/state.ts';
import { Button, Empty, Failed, IconButton, Skeleton } from '../parts/controls.tsx';
import { later } from '../parts/later.tsx';
import { useShell, useView } from '../use-shell.ts';
import { Row } from './Row.tsx';
import { SearchField } from './SearchField.tsx';
import { saveMessages } from './save-messages.ts';

const FirstMail = later(() => import('./FirstMail.tsx').then(({ FirstMail }) => FirstMail));

const ROW = 60;
const COMPACT_ROW = 32;

/** Shows the messages of a mailbox, newest first, with live updates. It renders only the visible rows. */
export function MailList() {
  const mail = useView(({ mail }) => mail);
  const failure = useView(({ failure }) => failure);
  const mailboxId = useView(shownMailbox);
  const isGone = useView(({ mailboxes }) => mailboxes.some(({ id, gone }) => gone && id === mailboxId));
  return (
    <section className="list-pane" aria-label="Messages">
      <Head mail={mail} />
      {failure !== null && mail === null ? (
        <Failed reason={failure} onRetry={() => location.reload()} />
      ) : isGone ? (
        <Gone />
      ) : mail === null || mail.mailboxId !== mailboxId ? (
        <Waiting />
      ) : (
        <Rows key={`${mail.mailboxId} ${mail.query}`} mail={mail} />
      )}
    </section>
  );
}

/** Shows nothing for a short moment, and then placeholders of rows. */
function Waiting() {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return <Skeleton rows={8} slow={slow} />;
}

function Head({ mail }: { readonly mail: ListState | null }) {
  const shell = useShell();
  const mailbox = useView((state) => state.mailboxes.find(({ id }) => id === shownMailbox(state)) ?? null);
  const compact = useView(({ compact }) => compact);
  const chosen = mail?.selection.ids.size ?? 0;
  if (mail !== null && chosen > 0) return <Bulk mail={mail} />;
  return (
    <header className="list-head">
      <div className="title-row">
        <button
          type="button"
          className="mailbox-switch"
          onClick={() => shell.show({ kind: 'mailboxes' })}
          title="Switch the mailbox (m)"
        >
          <h1>{mailbox === null ? 'Mail' : harmlessLine(mailbox.name || mailbox.subdomain, 80)}</h1>
        </button>
        {mailbox !== null && (
          <span className="faint count-all" title={mailbox.address}>
            {mailbox.gone ? 'deleted' : saidCount(mailbox.messageCount, 'message')}
          </span>
        )}
        <span className="grow" />
        <IconButton icon="open" label="Mark all as read" onClick={() => mailbox && shell.markAllRead(mailbox.id)} />
        <IconButton
          icon="file"
          label={compact ? 'Rows of two lines' : 'Compact rows'}
          aria-pressed={compact}
          onClick={() => shell.setCompact(!compact)}
        />
        <MailboxMenu />
      </div>
      {mailbox !== null && !mailbox.gone && (
        <button
          type="button"
          className="address"
          title="Copy an address of this mailbox"
          onClick={() => void shell.copy(mailbox.address.replace('*', 'anything'), 'the address')}
        >
          {mailbox.address}
        </button>
      )}
      <SearchField />
    </header>
  );
}

/** The menu of actions on a whole mailbox. */
function MailboxMenu() {
  const shell = useShell();
  const mailbox = useView((state) => state.mailboxes.find(({ id }) => id === shownMailbox(state)) ?? null);
  if (mailbox === null || mailbox.gone) return null;
  const { id, name, seeded, messageCount } = mailbox;
  const messages = saidCount(messageCount, 'message');
  return (
    <details className="menu">
      <summary aria-label="What to do with the mailbox" title="More">
        <span aria-hidden="true">⋯</span>
      </summary>
      <div className="menu-items">
        <a href={`#/why/${id}`}>Why did no mail come?</a>
        <a href={`#/timeline?mailbox=${id}`}>Its timeline</a>
        <button type="button" onClick={() => void saveMessages(shell, id, null)} disabled={messageCount === 0}>
          Export all (.mbox)
        </button>
        <button
          type="button"
          className="danger-text"
          disabled={messageCount === 0}
          onClick={() =>
            shell.show({
              kind: 'confirm',
              question: askDelete(CALLED.messagesIn(messages, name)),
              detail: 'Bytes and attachments go too. Nothing brings them back.',
              yes: 'Delete all',
              act: () => {
                shell.show(null);
                void shell.attempt(() => shell.api.clearMailbox(id), saidDeleted(CALLED.messagesIn(messages, name)));
              },
            })
          }
        >
          Delete all messages
        </button>
        {!seeded && (
          <button
            type="button"
            className="danger-text"
            onClick={() =>
              shell.show({
                kind: 'confirm',
                question: askDelete(CALLED.mailbox(name, messages)),
                detail: 'A test that uses it fails.',
                yes: 'Delete the mailbox',
                act: () => {
                  shell.show(null);
                  void shell.attempt(() => shell.api.deleteMailbox(id), saidDeleted(CALLED.mailbox(name, messages)));
                },
              })
            }
          >
            Delete the mailbox
          </button>
        )}
      </div>
    </details>
  );
}

/** The actions on several selected messages. They replace the head of the list. */
function Bulk({ mail }: { readonly mail: ListState }) {
  const shell = useShell();
  const { selection, list } = mail;
  const rows = list.rows.filter(({ id }) => selection.ids.has(id));
  return (
    <header className="list-head bulk">
      <div className="title-row">
        <IconButton icon="close" label="Choose none" hint="esc" onClick={() => shell.choose(NONE)} />
        <strong aria-live="polite">{rows.length} chosen</strong>
        <span className="grow" />
        <Button look="quiet" onClick={() => shell.choose(allOf(list.rows))}>
          All {list.rows.length}
        </Button>
      </div>
      <div className="actions">
        <Button
          icon="open"
          onClick={() => {
            shell.reads.mark(rows, true);
            shell.choose(NONE);
          }}
        >
          Mark read
        </Button>
        {rows.length === 2 && (
          <Button icon="compare" title="Side by side (=)" onClick={() => compareMessages(shell, rows)}>
            Compare
          </Button>
        )}
        <Button icon="download" onClick={() => void saveMessages(shell, mail.mailboxId, rows)}>
          Export
        </Button>
        <Button icon="trash" look="danger" onClick={() => askToDelete(shell, rows)}>
          Delete
        </Button>
      </div>
    </header>
  );
}

function Rows({ mail }: { readonly mail: ListState }) {
  const shell = useShell();
  const { list, glances, selection, reveal, query, failure } = mail;
  const compact = useView(({ compact }) => compact);
  const openId = useView(({ route }) => (route.at === 'mail' ? route.messageId : null));
  const marks = useView(({ marks }) => marks);
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const rowHeight = compact ? COMPACT_ROW : ROW;
  const count = shownCount(list);
  const at = selectedIndex(list);

  const see = () => {
    const shown = box.current;
    if (shown === null) return;
    const { scrollTop, clientHeight } = shown;
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
    shell.mail.scrolled(Math.floor(scrollTop / rowHeight), Math.max(1, Math.ceil(clientHeight / rowHeight)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible rows also depend on the row height
  useLayoutEffect(() => {
    see();
    const watcher = new ResizeObserver(see);
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [rowHeight]);
  // A key moved the selection, so the list scrolls to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls only when a key moves the selection
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null || reveal === 0 || at < 0) return;
    shown.scrollTop = scrollToRow(at, shown.scrollTop, shown.clientHeight, rowHeight);
  }, [reveal]);

  const latest = useRef({ mail, openId });
  latest.current = { mail, openId };
  const point = useCallback(
    (row: WebRow, how: 'open' | 'toggle' | 'range') => {
      const { mail: now, openId: open } = latest.current;
      const rows = now.list.rows.slice(now.list.waiting);
      shell.mail.point(rows.findIndex(({ id }) => id === row.id));
      if (how === 'open') return shell.openMessage(row);
      const before = now.selection.anchor === null ? { ...now.selection, anchor: open ?? row.id } : now.selection;
      shell.choose(how === 'toggle' ? toggled(now.selection, row.id) : extended(before, rows, row.id));
    },
    [shell],
  );

  if (failure !== null && list.rows.length === 0) return <Failed reason={failure} onRetry={() => shell.mail.retry()} />;
  if (count === 0 && list.complete) return <None mail={mail} />;
  const { from, to, offset, total } = windowOf(view.top, view.height, rowHeight, count);
  const rows = list.rows.slice(list.waiting + from, list.waiting + to);
  return (
    <>
      {list.waiting > 0 && (
        <button
          type="button"
          className="fresh"
          onClick={() => {
            if (box.current !== null) box.current.scrollTop = 0;
            shell.mail.toNewest();
          }}
        >
          {list.waiting} new
        </button>
      )}
      <div
        ref={box}
        className={`rows ${compact ? 'compact' : ''} ${selection.ids.size > 0 ? 'choosing' : ''}`}
        role="listbox"
        aria-label="Messages, newest first"
        aria-multiselectable="true"
        aria-activedescendant={at >= from && at < to ? `row-${list.selected}` : undefined}
        tabIndex={0}
        data-place="messages"
        onScroll={see}
      >
        <div className="rows-all" role="presentation" style={{ height: `${total}px` }}>
          <div className="rows-drawn" role="presentation" style={{ transform: `translateY(${offset}px)` }}>
            {rows.map((row, index) => (
              <Row
                key={row.id}
                row={row}
                glance={glances.get(row.id) ?? null}
                marks={marks}
                isOpen={row.id === openId}
                isAt={row.id === list.selected}
                isChosen={selection.ids.has(row.id)}
                position={from + index + 1}
                count={list.complete ? count : -1}
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
        {query !== '' && list.complete && (
          <p className="cut-off faint">{saidCount(list.rows.length, 'message')} found</p>
        )}
      </div>
    </>
  );
}

/** Tells that the mailbox was deleted, as when a test has ended. */
function Gone() {
  return (
    <Empty icon="inbox" title="This mailbox is gone">
      <p>Its test was done and deleted it, with its mail. The report of a failed test has what it held.</p>
    </Empty>
  );
}

function None({ mail: { query, mailboxId } }: { readonly mail: ListState }) {
  const shell = useShell();
  const mailbox = useView(({ mailboxes }) => mailboxes.find(({ id }) => id === mailboxId) ?? null);
  if (query !== '')
    return (
      <Empty icon="search" title="Nothing found">
        <p>
          No message here has all of <code>{harmlessLine(query, 80)}</code>. What comes and matches is shown at once.
        </p>
        <Button onClick={() => shell.go(mailboxRoute(mailboxId))}>Show all</Button>
      </Empty>
    );
  return mailbox?.seeded ? (
    <FirstMail />
  ) : (
    <Empty icon="inbox" title="No mail here yet">
      <p>
        What is sent to <code>{mailbox?.address ?? 'this mailbox'}</code> is shown here as it comes.
      </p>
      <p>
        <a href={`#/why/${mailboxId}`}>Why did no mail come?</a>
      </p>
    </Empty>
  );
}

import { memo } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { askDelete, CALLED, saidDeleted } from '../../../src/text/wording.ts';
import { ALL_MAIL } from '../app/api.ts';
import { compareMessages } from '../app/compare-messages.ts';
import { allOf, NONE } from '../app/selection.ts';
import type { MailboxEntry, WebState } from '../app/state.ts';
import { messagesIn, messagesInAll, shownMailbox } from '../app/state.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { ALL_NAME } from '../parts/Sidebar.tsx';
import { useShell, useView } from '../use-shell.ts';
import { SearchField } from './SearchField.tsx';
import { saveMessages } from './save-messages.ts';

/** The head of the list: the mailbox and the search, or the actions on the selected messages. */
export const ListHead = memo(DrawnListHead);

// Only the counts depend on the messages, so that a new message does not render the rest of the head again.
function DrawnListHead() {
  const shell = useShell();
  const isChoosing = useView(({ mail }) => (mail?.selection.ids.size ?? 0) > 0);
  const mailboxId = useView(shownMailbox);
  const name = useView(nameOfShown);
  const address = useView((state) => {
    const mailbox = mailboxShown(state);
    return mailbox === null || mailbox.gone ? null : mailbox.address;
  });
  const compact = useView(({ compact }) => compact);
  return (
    <div className="list-top">
      <header className="list-head">
        <div className="title-row">
          <button
            type="button"
            className="mailbox-switch"
            onClick={() => shell.show({ kind: 'mailboxes' })}
            title="Switch to another mailbox (m)"
          >
            <h1>{name}</h1>
            <Icon name="down" size={14} />
          </button>
          <CountAll />
          <span className="grow" />
          <IconButton
            icon="open"
            label="Mark all as read"
            onClick={() => mailboxId !== null && void shell.marks.readAll(mailboxId)}
          />
          <IconButton
            icon="rows"
            label={compact ? 'Two-line rows' : 'Compact rows'}
            aria-pressed={compact}
            onClick={() => shell.setCompact(!compact)}
          />
          <MailboxMenu />
        </div>
        {address !== null && (
          <button
            type="button"
            className="address"
            title="Copy an address of this mailbox"
            onClick={() => void shell.copy(address.replace('*', 'anything'), 'the address')}
          >
            {address}
          </button>
        )}
        <SearchField />
      </header>
      {isChoosing && <Bulk />}
    </div>
  );
}

function mailboxShown(state: WebState): MailboxEntry | null {
  const shown = shownMailbox(state);
  return state.mailboxes.find(({ id }) => id === shown) ?? null;
}

function nameOfShown(state: WebState): string {
  const mailbox = mailboxShown(state);
  if (mailbox !== null) return harmlessLine(mailbox.name || mailbox.subdomain, 80);
  return shownMailbox(state) === ALL_MAIL ? ALL_NAME : 'Mail';
}

function CountAll() {
  const said = useView((state) => {
    const { mail } = state;
    const mailbox = mailboxShown(state);
    if (mailbox?.gone) return 'deleted';
    // The number comes after the first page of the search. Until then it would be that of the mailbox.
    if (mail !== null && mail.query !== '')
      return mail.total === null ? '' : `${saidCount(mail.total, 'message')} found`;
    if (mailbox !== null) return saidCount(messagesIn(state, mailbox), 'message');
    return shownMailbox(state) === ALL_MAIL ? saidCount(messagesInAll(state), 'message') : '';
  });
  return said === '' ? null : <span className="faint count-all">{said}</span>;
}

/** The menu of actions on a whole mailbox. */
function MailboxMenu() {
  const shell = useShell();
  const mailbox = useView(mailboxShown);
  if (mailbox === null || mailbox.gone) return null;
  const { id, name, seeded, messageCount } = mailbox;
  const messages = saidCount(messageCount, 'message');
  return (
    <details className="menu">
      <summary aria-label="Actions on the mailbox" title="More">
        <span aria-hidden="true">⋯</span>
      </summary>
      <div className="menu-items">
        <a href={`#/why/${id}`}>Why did no mail arrive?</a>
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
              detail: 'This also deletes the attachments. It can not be undone.',
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
                detail: 'A test that still uses it will fail.',
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

/** The actions on several selected messages. They cover the head of the list, so the rows stay where they are. */
function Bulk() {
  const shell = useShell();
  const mail = useView(({ mail }) => mail);
  if (mail === null) return null;
  const { selection, list } = mail;
  const rows = list.rows.filter(({ id }) => selection.ids.has(id));
  const shown = list.rows.slice(list.waiting);
  return (
    <header className="list-head bulk">
      <div className="title-row">
        <IconButton icon="close" label="Choose none" hint="esc" onClick={() => shell.choose(NONE)} />
        <strong aria-live="polite">{rows.length} chosen</strong>
        <span className="grow" />
        <Button look="quiet" onClick={() => shell.choose(allOf(shown))}>
          All {shown.length}
        </Button>
      </div>
      <div className="actions">
        <Button
          icon="open"
          onClick={() => {
            shell.marks.read(rows, true);
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
        <span className="grow" />
        <IconButton
          icon="download"
          label="Export"
          hint="e"
          onClick={() => void saveMessages(shell, mail.mailboxId, rows)}
        />
        <IconButton
          icon="trash"
          label="Delete"
          hint="d"
          className="danger-text"
          onClick={() => shell.deletions.begin(rows)}
        />
      </div>
    </header>
  );
}

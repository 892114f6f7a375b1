import { memo } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidNumber } from '../../../src/text/said.ts';
import { ALL_MAIL } from '../app/api.ts';
import { ALL_NAME } from '../app/page-title.ts';
import type { MailboxEntry, WebState } from '../app/state.ts';
import { messagesIn, messagesInAll, shownMailbox } from '../app/state.ts';
import { IconButton } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { later } from '../parts/later.tsx';
import { Menu } from '../parts/Menu.tsx';
import { useShell, useView } from '../use-shell.ts';
import { Fresh } from './Fresh.tsx';
import { SearchField } from './SearchField.tsx';

const MailboxActions = later(() => import('./MailboxActions.tsx').then(({ MailboxActions }) => MailboxActions));
const ChosenActions = later(() => import('./ChosenActions.tsx').then(({ ChosenActions }) => ChosenActions));

/** The head of the list: the mailbox and the search, or the actions on the selected messages. */
export const ListHead = memo(DrawnListHead);

// Only the counts depend on the messages, so that a new message does not render the rest of the head again.
function DrawnListHead() {
  const shell = useShell();
  const isChoosing = useView(({ mail }) => (mail?.selection.ids.size ?? 0) > 0);
  // Nothing can be marked in a mailbox that is gone.
  const markable = useView((state) => {
    const shown = shownMailbox(state);
    return shown === ALL_MAIL || mailboxShown(state)?.gone === false ? shown : null;
  });
  const name = useView(nameOfShown);
  // A message that is opened by its address names its mailbox later, whose address has a place until then.
  const address = useView((state) => {
    const mailbox = mailboxShown(state);
    if (mailbox === null) return shownMailbox(state) === null ? '' : null;
    return mailbox.gone ? null : mailbox.address;
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
            disabled={markable === null}
            onClick={() => markable !== null && void shell.marks.readAll(markable)}
          />
          <IconButton
            icon="rows"
            className="row-switch"
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
            disabled={address === ''}
            title="Copy an address of this mailbox"
            onClick={() => void shell.copy(address.replace('*', 'anything'), 'the address')}
          >
            {address || '\u00a0'}
          </button>
        )}
        <SearchField />
      </header>
      {isChoosing && <ChosenActions />}
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

/** The number of messages, and a button that shows those that came meanwhile. It stands above the rows, and covers none. */
function CountAll() {
  const said = useView((state) => {
    const { mail } = state;
    const mailbox = mailboxShown(state);
    if (mailbox?.gone) return 'deleted';
    // The number comes after the first page of the search. Until then it would be that of the mailbox.
    if (mail !== null && mail.query !== '') return mail.total === null ? '' : `${saidNumber(mail.total)} found`;
    if (mailbox !== null) return saidCount(messagesIn(state, mailbox), 'message');
    return shownMailbox(state) === ALL_MAIL ? saidCount(messagesInAll(state), 'message') : '';
  });
  return (
    <>
      {said !== '' && <span className="faint count-all">{said}</span>}
      <Fresh />
    </>
  );
}

/** The menu of actions on a whole mailbox. */
function MailboxMenu() {
  const id = useView((state) => {
    const mailbox = mailboxShown(state);
    return mailbox === null || mailbox.gone ? null : mailbox.id;
  });
  if (id === null) return null;
  return (
    <Menu label="Actions on the mailbox">
      <MailboxActions id={id} />
    </Menu>
  );
}

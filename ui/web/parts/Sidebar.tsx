import { type KeyboardEvent, memo, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { ALL_MAIL } from '../app/api.ts';
import { mailboxRoute, type Route, webhooksRoute } from '../app/route.ts';
import { type MailboxEntry, shownMailbox, unreadInAll } from '../app/state.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { Button, IconButton } from './controls.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { useWaits } from './use-waits.ts';

/** The pages of the inbox other than mail. */
export const SIDEBAR_PAGES: readonly {
  readonly at: Route['at'];
  readonly name: string;
  readonly icon: IconName;
  readonly route: Route;
}[] = [
  {
    at: 'webhooks',
    name: 'Webhooks',
    icon: 'webhook',
    route: webhooksRoute(),
  },
  {
    at: 'timeline',
    name: 'Timeline',
    icon: 'activity',
    route: { at: 'timeline', mailboxId: null, kinds: [], hours: null },
  },
  { at: 'waiting', name: 'Waiting tests', icon: 'wait', route: { at: 'waiting' } },
  { at: 'outbound', name: 'Outbound', icon: 'send', route: { at: 'outbound', part: 'sends', id: null } },
  { at: 'authenticators', name: 'Authenticators', icon: 'key', route: { at: 'authenticators', form: null } },
  { at: 'tools', name: 'Tools', icon: 'tools', route: { at: 'tools', tool: 'use' } },
];

export function Sidebar() {
  const shell = useShell();
  const at = useView(({ route }) => route.at);
  const connection = useView(({ connection }) => connection.state);
  const scheme = useView(({ scheme }) => scheme);
  const version = useView(({ info }) => info?.version ?? '');
  const waits = useWaits();
  const next = scheme === 'auto' ? 'light' : scheme === 'light' ? 'dark' : 'auto';
  const shown = at === 'message' || at === 'why' || at === 'compare' ? 'mail' : at;
  return (
    <nav className="sidebar" aria-label="Inbox">
      <header>
        <a className="brand" href={href(mailboxRoute(null))} aria-label="mailcap">
          <Logo /> <span>mailcap</span>
        </a>
        <IconButton
          icon="search"
          label="Find a place or an action"
          hint="ctrl-k"
          onClick={() => shell.show({ kind: 'palette' })}
        />
      </header>
      <div className="sections">
        <a
          className="section"
          href={href(mailboxRoute(null))}
          aria-current={shown === 'mail' ? 'page' : undefined}
          title="Mail"
        >
          <Icon name="inbox" /> <span>Mail</span>
        </a>
        <Mailboxes />
        {SIDEBAR_PAGES.map(({ at: part, name, icon, route }) => (
          <a
            key={part}
            className="section"
            href={href(route)}
            aria-current={shown === part ? 'page' : undefined}
            title={name}
          >
            <Icon name={icon} /> <span>{name}</span>
            {part === 'waiting' && waits.length > 0 && (
              <b className="badge">
                {waits.length}
                <span className="sr"> held now</span>
              </b>
            )}
          </a>
        ))}
      </div>
      <footer>
        <span className={`connection ${connection}`} role="status">
          <i aria-hidden="true" />
          <span>{connection === 'live' ? 'Live' : connection === 'lost' ? 'Not connected' : 'Connecting'}</span>
        </span>
        <span className="faint version">{version}</span>
        <IconButton
          icon={scheme === 'auto' ? 'system' : scheme === 'light' ? 'sun' : 'moon'}
          label={`Colours: ${scheme === 'auto' ? 'as the system' : scheme}. Change to ${next === 'auto' ? 'as the system' : next}`}
          onClick={() => shell.setScheme(next)}
        />
        <button
          type="button"
          className="icon-button"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => shell.show({ kind: 'help' })}
        >
          ?
        </button>
      </footer>
    </nav>
  );
}

/** The name of all mailboxes together. */
export const ALL_NAME = 'All mailboxes';

/** The number of mailboxes shown before the reader asks for more. */
const SHOWN = 40;
/** The number of search results that are shown, and the number that “more” adds. */
const MORE = 500;

/** Lists the mailboxes of all workspaces. `onPick` is called with the chosen one. */
export function Mailboxes({ onPick = stays }: { readonly onPick?: () => void }) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const workspaces = useView(({ workspaces }) => workspaces);
  const currentId = useView(shownMailbox);
  const [wanted, setWanted] = useState('');
  const [room, setRoom] = useState(SHOWN);
  const part = wanted.trim().toLowerCase();
  const found =
    part === ''
      ? mailboxes
      : mailboxes.filter(({ name, subdomain }) => `${name} ${subdomain}`.toLowerCase().includes(part));
  const listed = found.slice(0, part === '' ? room : Math.max(room, MORE));
  // The open mailbox is listed even if others fill the room.
  const current = found.find(({ id }) => id === currentId);
  const shown = current === undefined || listed.includes(current) ? listed : [...listed, current];
  const groups = byWorkspace(shown);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: in the dialog the arrow keys move between its links
    <div className="mailboxes" onKeyDown={onPick === stays ? undefined : moveFocus}>
      {mailboxes.length > 7 && (
        <input
          type="search"
          className="small"
          data-first={onPick === stays ? undefined : true}
          placeholder="Find a mailbox"
          aria-label="Find a mailbox"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = shown;
            if (event.key !== 'Enter' || part === '' || first === undefined) return;
            event.preventDefault();
            shell.go(mailboxRoute(first.id));
            onPick();
          }}
        />
      )}
      {mailboxes.length > 1 && part === '' && (
        <a
          className="mailbox"
          href={href(mailboxRoute(ALL_MAIL))}
          aria-current={currentId === ALL_MAIL ? 'true' : undefined}
          onClick={onPick}
        >
          <span className="name">{ALL_NAME}</span>
        </a>
      )}
      {[...groups].map(([workspaceId, ones]) => (
        <section key={workspaceId} aria-label={workspaces.find(({ id }) => id === workspaceId)?.name ?? 'Workspace'}>
          {workspaces.length > 1 && (
            <h3>{harmlessLine(workspaces.find(({ id }) => id === workspaceId)?.name ?? 'a deleted workspace', 60)}</h3>
          )}
          <ul>
            {ones.map((mailbox) => (
              <MailboxLink key={mailbox.id} mailbox={mailbox} onPick={onPick} />
            ))}
          </ul>
        </section>
      ))}
      {found.length > shown.length && (
        <Button look="quiet" onClick={() => setRoom(listed.length + MORE)}>
          {found.length - shown.length} more
        </Button>
      )}
      {found.length === 0 && part !== '' && <p className="faint none">No mailbox has this name.</p>}
    </div>
  );
}

/** Moves the focus by the arrow keys, from the search field through the mailboxes. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

const MailboxLink = memo(DrawnMailboxLink);

function DrawnMailboxLink({ mailbox, onPick }: { readonly mailbox: MailboxEntry; readonly onPick: () => void }) {
  const { id, name, subdomain, gone, messageCount, unreadCount: unread } = mailbox;
  const current = useView((state) => shownMailbox(state) === id);
  const waits = useWaits().filter(({ mailboxId }) => mailboxId === id).length;
  return (
    <li>
      <a
        className={`mailbox ${gone ? 'gone' : ''}`}
        href={href(mailboxRoute(id))}
        aria-current={current ? 'true' : undefined}
        title={gone ? `${subdomain}: deleted when its test ended` : `${subdomain}: ${messageCount} messages`}
        onClick={onPick}
      >
        <span className="name">{harmlessLine(name || subdomain, 80)}</span>
        {gone && <span className="sr">, done</span>}
        {waits > 0 && (
          <span className="wait-mark" title="A test waits here">
            <Icon name="wait" size={12} />
            <span className="sr">, a test waits here</span>
          </span>
        )}
        {unread > 0 && !gone && (
          <span className="unread-count">
            {unread > 9_999 ? '9999+' : unread}
            <span className="sr"> unread</span>
          </span>
        )}
      </a>
    </li>
  );
}

function stays(): void {}

function byWorkspace(mailboxes: readonly MailboxEntry[]): Map<string, MailboxEntry[]> {
  const groups = new Map<string, MailboxEntry[]>();
  for (const one of mailboxes) groups.set(one.workspaceId, [...(groups.get(one.workspaceId) ?? []), one]);
  return groups;
}

/** The sign of the product. */
export function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect x="2" y="6" width="28" height="21" rx="4" className="mark-ground" />
      <path
        d="M4 10l12 9 12-9"
        fill="none"
        className="mark-line"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** Names that have room beside six others at 12 px. */
const SHORT: Readonly<Record<string, string>> = {
  webhooks: 'Hooks',
  waiting: 'Waiting',
  outbound: 'Sends',
  authenticators: 'Codes',
};

/** The navigation at the bottom of a small screen. */
export function BottomBar() {
  const at = useView(({ route }) => route.at);
  const unread = useView(unreadInAll);
  return (
    <nav className="bottom-bar" aria-label="Parts">
      <a
        href={href(mailboxRoute(null))}
        aria-current={['mail', 'message', 'why', 'compare'].includes(at) ? 'page' : undefined}
      >
        <Icon name="inbox" size={20} />
        <span>Mail</span>
        {unread > 0 && <b className="dot" aria-label={`${unread} unread`} role="img" />}
      </a>
      {SIDEBAR_PAGES.map(({ at: part, name, icon, route }) => (
        <a key={part} href={href(route)} aria-current={at === part ? 'page' : undefined}>
          <Icon name={icon} size={20} />
          <span>{SHORT[part] ?? name}</span>
        </a>
      ))}
    </nav>
  );
}

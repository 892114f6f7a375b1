import { mailboxRoute, type Route, webhooksRoute } from '../app/route.ts';
import { type ColourScheme, nextScheme, unreadInAll, type WebState } from '../app/state.ts';
import { placeNow, runWebCommand } from '../run-command.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { IconButton } from './controls.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { Mailboxes } from './Mailboxes.tsx';
import { useWaits } from './use-waits.ts';

interface SidebarPage {
  readonly at: Route['at'];
  readonly name: string;
  readonly icon: IconName;
  readonly route: Route;
}

const MAIL: SidebarPage = { at: 'mail', name: 'Mail', icon: 'inbox', route: mailboxRoute(null) };
const TIMELINE: Route = { at: 'timeline', mailboxId: null, kinds: [], hours: null };

/** The pages of the inbox other than mail. */
export const SIDEBAR_PAGES: readonly SidebarPage[] = [
  { at: 'webhooks', name: 'Webhooks', icon: 'webhook', route: webhooksRoute() },
  { at: 'timeline', name: 'Timeline', icon: 'activity', route: TIMELINE },
  { at: 'waiting', name: 'Waiting tests', icon: 'wait', route: { at: 'waiting' } },
  { at: 'runs', name: 'Runs', icon: 'runs', route: { at: 'runs', runId: null, testId: null } },
  { at: 'outbound', name: 'Outbound', icon: 'send', route: { at: 'outbound', part: 'sends', id: null } },
  { at: 'authenticators', name: 'Authenticators', icon: 'key', route: { at: 'authenticators', form: null } },
  { at: 'tools', name: 'Tools', icon: 'tools', route: { at: 'tools', tool: 'use' } },
];

/** Returns the page of the sidebar that shows a route. */
function shownPage({ route: { at } }: WebState): Route['at'] {
  return at === 'message' || at === 'why' || at === 'compare' ? 'mail' : at;
}

export function Sidebar() {
  const shell = useShell();
  const shown = useView(shownPage);
  const scheme = useView(({ scheme }) => scheme);
  const version = useView(({ info }) => info?.version ?? '');
  const waits = useWaits();
  const next = nextScheme(scheme);
  return (
    <nav className="sidebar" aria-label="Inbox">
      <header>
        <a className="brand" href={href(mailboxRoute(null))} aria-label="mailcap">
          <Logo /> <span>mailcap</span>
        </a>
        <IconButton
          icon="search"
          label="Find a place, a mail or an action"
          hint="ctrl-k"
          onClick={() => runWebCommand(shell, 'palette', placeNow(shell))}
        />
      </header>
      <div className="sections">
        {[MAIL, ...SIDEBAR_PAGES].map(({ at: part, name, icon, route }) => (
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
      <section className="sidebar-mailboxes" aria-label="Mailboxes">
        <h2>
          Mailboxes
          <IconButton icon="plus" label="New mailbox" onClick={() => shell.show({ kind: 'mailbox', id: null })} />
        </h2>
        <Mailboxes />
      </section>
      <footer>
        <Connection />
        <span className="faint version">{version}</span>
        <IconButton
          icon={COLOUR_ICONS[scheme]}
          label={`Colours: ${COLOUR_NAMES[scheme]}. Change to ${COLOUR_NAMES[next]}`}
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

const TONES = { connecting: 'plain', live: 'good', lost: 'bad' } as const;

/** Shows whether the page hears of new mail. */
export function Connection() {
  const connection = useView(({ connection }) => connection.state);
  return (
    <span className={`connection tone ${TONES[connection]}`} role="status">
      <i aria-hidden="true" />
      <span>{connection === 'live' ? 'Live' : connection === 'lost' ? 'Not connected' : 'Connecting'}</span>
    </span>
  );
}

export const COLOUR_NAMES: Readonly<Record<ColourScheme, string>> = {
  auto: 'as the system',
  light: 'light',
  dark: 'dark',
};
export const COLOUR_ICONS: Readonly<Record<ColourScheme, IconName>> = { auto: 'system', light: 'sun', dark: 'moon' };

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

/** The pages in the bar at the bottom of a small screen, beside mail. */
export const IN_BAR: ReadonlySet<Route['at']> = new Set<Route['at']>(['webhooks', 'timeline', 'waiting']);

/** The navigation at the bottom of a small screen. */
export function BottomBar() {
  const shell = useShell();
  const shown = useView(shownPage);
  const unread = useView(unreadInAll);
  const connection = useView(({ connection }) => connection.state);
  const isInMore = shown !== 'mail' && !IN_BAR.has(shown);
  return (
    <nav className="bottom-bar" aria-label="Pages">
      {[MAIL, ...SIDEBAR_PAGES.filter((page) => IN_BAR.has(page.at))].map(({ at: part, name, icon, route }) => (
        <a key={part} href={href(route)} aria-current={shown === part ? 'page' : undefined}>
          <Icon name={icon} size={20} />
          <span>{name}</span>
          {part === 'mail' && unread > 0 && <b className="dot" aria-label={`${unread} unread`} role="img" />}
        </a>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current={isInMore ? 'page' : undefined}
        onClick={() => shell.show({ kind: 'more' })}
      >
        <Icon name="more" size={20} />
        <span>More</span>
        {connection === 'lost' && <b className="dot bad" aria-label="Not connected" role="img" />}
      </button>
    </nav>
  );
}

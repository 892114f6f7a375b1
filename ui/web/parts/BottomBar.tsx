import { mailboxRoute } from '../app/route.ts';
import { unreadInAll } from '../app/state.ts';
import { href, useView } from '../use-shell.ts';
import { Icon } from './Icon.tsx';
import { SIDEBAR_PAGES } from './Sidebar.tsx';

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

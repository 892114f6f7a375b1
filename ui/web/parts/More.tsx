import { nextScheme } from '../app/state.ts';
import { placeNow, runWebCommand } from '../run-command.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Icon } from './Icon.tsx';
import { COLOUR_ICONS, COLOUR_NAMES, Connection, IN_BAR, SIDEBAR_PAGES } from './Sidebar.tsx';

/** Shows what the bar at the bottom of a small screen has no room for: the other pages, the palette, colours and keys. */
export function More({ onPick }: { readonly onPick: () => void }) {
  const shell = useShell();
  const scheme = useView(({ scheme }) => scheme);
  const at = useView(({ route }) => route.at);
  const version = useView(({ info }) => info?.version ?? '');
  return (
    <nav className="more-items" aria-label="More">
      {SIDEBAR_PAGES.filter((page) => !IN_BAR.has(page.at)).map(({ at: part, name, icon, route }) => (
        <a
          key={part}
          className="section"
          href={href(route)}
          aria-current={at === part ? 'page' : undefined}
          onClick={onPick}
        >
          <Icon name={icon} /> <span>{name}</span>
        </a>
      ))}
      <Button look="quiet" icon="search" onClick={() => runWebCommand(shell, 'palette', placeNow(shell))}>
        Find a place, a mail or an action
      </Button>
      <Button look="quiet" icon={COLOUR_ICONS[scheme]} onClick={() => shell.setScheme(nextScheme(scheme))}>
        Colours: {COLOUR_NAMES[scheme]}
      </Button>
      <Button look="quiet" icon="flag" onClick={() => shell.show({ kind: 'help' })}>
        Keys
      </Button>
      <p className="more-foot">
        <Connection /> <span className="faint">mailcap {version}</span>
      </p>
    </nav>
  );
}

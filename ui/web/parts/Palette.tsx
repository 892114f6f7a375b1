import { useMemo, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { type FocusPlace, keyName, WEB_KEYS } from '../../model/keys.ts';
import { ALL_MAIL } from '../app/api.ts';
import { ALL_NAME } from '../app/page-title.ts';
import { mailboxRoute, type Route, TOOL_PAGES } from '../app/route.ts';
import { runWebCommand } from '../run-command.ts';
import { useShell, useView } from '../use-shell.ts';
import { Dialog } from './Dialog.tsx';
import { type PaletteItem, paletteFind } from './palette-find.ts';
import { SIDEBAR_PAGES } from './Sidebar.tsx';

interface Action extends PaletteItem {
  readonly act: () => void;
}

/** The tools by what they do, because nobody searches for “Use it”. */
const TOOL_TITLES: Readonly<Record<(typeof TOOL_PAGES)[number], string>> = {
  use: 'Settings for your app',
  faults: 'Faults: fail on purpose',
  clock: 'Clock: move time',
  keys: 'API keys',
  workspaces: 'Workspaces and plans',
  server: 'Server, metrics and reset',
};
const SHOWN = 12;

/** The command palette, which finds places, mailboxes and actions by name. */
export function CommandPalette({
  typed,
  place,
  onClose,
}: {
  readonly typed: string;
  readonly place: FocusPlace;
  readonly onClose: () => void;
}) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const [text, setText] = useState(typed);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const actions = useMemo(() => {
    const to = (title: string, route: Route, group = 'Go to'): Action => ({
      id: `${group} ${title}`,
      title,
      group,
      act: () => shell.go(route),
    });
    const commands = WEB_KEYS.filter(
      (row) =>
        row.in.includes(place) && row.ui === 'web' && !row.command.startsWith('go-') && row.command !== 'palette',
    ).map(
      (row): Action => ({
        id: `command ${row.command}`,
        title: row.help.charAt(0).toUpperCase() + row.help.slice(1),
        group: 'Do',
        key: keyName(row.keys[0] ?? ''),
        act: () => runWebCommand(shell, row.command, place),
      }),
    );
    return [
      to('Mail', mailboxRoute(null)),
      to(ALL_NAME, mailboxRoute(ALL_MAIL)),
      ...SIDEBAR_PAGES.map(({ name, route }) => to(name, route)),
      ...TOOL_PAGES.map((tool) => to(TOOL_TITLES[tool], { at: 'tools', tool })),
      to('Compose a mail', { at: 'outbound', part: 'compose', id: null }),
      to('Suppression list', { at: 'outbound', part: 'suppression', id: null }),
      ...commands,
      ...mailboxes
        .filter(({ gone }) => !gone)
        .map(({ id, name, subdomain }) => ({
          ...to(harmlessLine(`${name} (${subdomain})`, 100), mailboxRoute(id), 'Mailbox'),
          id,
        })),
      { id: 'docs', title: 'Documentation', group: 'Go to', act: () => open('/docs', '_blank', 'noopener') },
      {
        id: 'reference',
        title: 'The API, explained',
        group: 'Go to',
        act: () => open('/docs/reference', '_blank', 'noopener'),
      },
    ];
  }, [shell, mailboxes, place]);
  const found = paletteFind(actions, text).slice(0, SHOWN);
  const run = (action: Action | undefined) => {
    if (action === undefined) return;
    onClose();
    action.act();
  };
  return (
    <Dialog label="Find a place or an action" onClose={onClose} className="palette">
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
        aria-label="Find a place or an action"
        placeholder="Find a place, a mailbox or an action"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setAt(
              (before) => (before + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(1, found.length),
            );
          }
          // A search field takes the first Escape to clear itself.
          if (event.key === 'Escape') {
            event.preventDefault();
            onClose();
          }
          if (event.key === 'Enter') {
            event.preventDefault();
            run(found[at]);
          }
        }}
      />
      <div ref={list} id="palette-list" role="listbox" aria-label="Found">
        {found.map((action, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input field handles the keys
          <div
            key={action.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(action)}
            onMouseMove={() => setAt(index)}
          >
            <span>{action.title}</span>
            <span className="faint">{action.group}</span>
            {action.key !== undefined && <kbd>{action.key}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p className="faint none">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
}

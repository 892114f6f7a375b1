import { useEffect, useMemo, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidTime } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import { type FocusPlace, keyName, WEB_KEYS } from '../../model/keys.ts';
import { ALL_MAIL, type Summary } from '../app/api.ts';
import { ALL_NAME } from '../app/page-title.ts';
import { mailboxRoute, messageRoute, type Route, TOOL_PAGES } from '../app/route.ts';
import { shownMailbox, toWebRow } from '../app/state.ts';
import type { WebShell } from '../app/web-shell.ts';
import { displayName } from '../mail/Row.tsx';
import { runWebCommand } from '../run-command.ts';
import { useShell, useView } from '../use-shell.ts';
import { Dialog } from './Dialog.tsx';
import { type PaletteItem, paletteFind, paletteGuess } from './palette-find.ts';
import { SIDEBAR_PAGES } from './Sidebar.tsx';

interface Action extends PaletteItem {
  readonly act: () => void;
}

/** A mail among the results. */
interface MailAction extends Action {
  /** True if its subject or its sender has the text. */
  readonly isNamed: boolean;
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
const SHOWN = 14;
/** The keys that only move the reader, or open the palette itself. */
const MOVES: ReadonlySet<string> = new Set([
  ...['next', 'previous', 'first', 'last', 'page-down', 'page-up', 'open', 'back', 'find-next', 'find-previous'],
  ...['palette', 'extend-down', 'extend-up', 'toggle'],
]);
/** The most mails among the results, the most mailboxes if something else is found too, and the most guesses. */
const MAILS = 6;
const MAILBOXES = 4;
const GUESSES = 5;
/** The pause after the last letter before mails are searched. */
const TYPING_MS = 80;

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
  const mailboxId = useView(shownMailbox);
  const opened = useView(({ open }) => open);
  const actions = useMemo(() => {
    const entry = (group: string, title: string, act: () => void, key?: string): Action => ({
      ...{ id: `${group} ${title}`, title, group, key, act },
    });
    const to = (title: string, route: Route, group = 'Go to') => entry(group, title, () => shell.go(route));
    const page = (title: string, path: string) =>
      entry('Go to', title, () => void window.open(path, '_blank', 'noopener'));
    const commands = WEB_KEYS.filter(
      (row) => row.in.includes(place) && !row.command.startsWith('go-') && !MOVES.has(row.command),
    ).map(({ command, help, keys: [key = ''] }) => ({
      ...entry(
        'Do',
        help.charAt(0).toUpperCase() + help.slice(1),
        () => runWebCommand(shell, command, place),
        keyName(key),
      ),
      id: `command ${command}`,
    }));
    return [
      to('Mail', mailboxRoute(null)),
      to(ALL_NAME, mailboxRoute(ALL_MAIL)),
      ...SIDEBAR_PAGES.map(({ name, route }) => to(name, route)),
      ...TOOL_PAGES.map((tool) => to(TOOL_TITLES[tool], { at: 'tools', tool })),
      to('Compose a mail', { at: 'outbound', part: 'compose', id: null }),
      to('Suppression list', { at: 'outbound', part: 'suppression', id: null }),
      ...commands,
      ...(mailboxId === null ? [] : [entry('Do', 'Mark all as read', () => void shell.marks.readAll(mailboxId))]),
      ...(opened?.facts ? [to('Reply', { at: 'outbound', part: 'compose', id: opened.id }, 'Do')] : []),
      entry('Do', 'All keys', () => shell.show({ kind: 'help' }), '?'),
      ...mailboxes
        .filter(({ gone }) => !gone)
        .map(({ id, name, subdomain }) => ({
          ...to(harmlessLine(name || subdomain, 100), mailboxRoute(id), 'Mailbox'),
          id,
          also: subdomain,
        })),
      page('Documentation', '/docs'),
      page('The API, explained', '/docs/reference'),
    ];
  }, [shell, mailboxes, place, mailboxId, opened]);
  const mails = useMails(text.trim());
  const named = paletteFind(actions, text);
  const search = text.trim() === '' ? [] : [searchFor(shell, text.trim())];
  // Results with the name come first, then mails of this subject or sender. Only if nothing has the name, mails with the
  // text anywhere are shown, and results with its letters.
  const shownMails = named.length > 0 ? mails.filter(({ isNamed }) => isNamed) : mails;
  const isAlone = shownMails.length === 0 && named.every(({ group }) => group === 'Mailbox');
  let mailboxesLeft = isAlone ? SHOWN : MAILBOXES;
  const near = named.filter(({ group }) => text === '' || group !== 'Mailbox' || mailboxesLeft-- > 0);
  const far = near.length + shownMails.length === 0 ? paletteGuess(actions, text).slice(0, GUESSES) : [];
  const room = SHOWN - shownMails.length - search.length;
  const found = [...near.slice(0, room), ...shownMails, ...far, ...search];
  const run = (action: Action | undefined) => {
    if (action === undefined) return;
    onClose();
    action.act();
  };
  return (
    <Dialog label="Find a place, a mail or an action" onClose={onClose} className="palette" isBare>
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
        aria-label="Find a place, a mail or an action"
        placeholder="Find a place, a mail or an action"
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

/** Searches mails of all mailboxes while the reader types. A wrong or half-typed search finds none. */
function useMails(text: string): readonly MailAction[] {
  const shell = useShell();
  const [found, setFound] = useState<{ readonly text: string; readonly actions: readonly MailAction[] }>(NO_MAILS);
  useEffect(() => {
    if (text.length < 2) return;
    const call = new AbortController();
    const timer = setTimeout(() => {
      shell.api.messages(ALL_MAIL, { query: text, limit: MAILS, before: null }, call.signal).then(
        ({ items }) => {
          const rows = items.map((item: Summary) => toWebRow(item, ''));
          // The copies of one mail are one entry, as in the list.
          const mails = rows.filter(({ copyKey }, at) => rows.findIndex((one) => one.copyKey === copyKey) === at);
          setFound({
            text,
            actions: mails.map((row) => {
              return {
                id: `mail ${row.id}`,
                title: harmlessLine(row.subject, 120) || NO_SUBJECT,
                group: `Mail of ${displayName(row.from) || 'nobody'}, ${saidTime(row.receivedAt, shell.now())}`,
                isNamed: `${row.subject} ${row.from}`.toLowerCase().includes(text.toLowerCase()),
                act: () => shell.go(messageRoute(row.id)),
              };
            }),
          });
        },
        () => {},
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [shell, text]);
  // The mails of an earlier text stay until those of this one come.
  return text.length < 2 ? NO_MAILS.actions : found.actions;
}

const NO_MAILS: { readonly text: string; readonly actions: readonly MailAction[] } = { text: '', actions: [] };

function searchFor(shell: WebShell, text: string): Action {
  return {
    id: 'search',
    title: `Search all mail for “${harmlessLine(text, 60)}”`,
    group: 'Search',
    act: () => shell.go(mailboxRoute(ALL_MAIL, text)),
  };
}

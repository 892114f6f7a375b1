import { type FocusPlace, type InboxCommand, type WebCommand, webCommandOf } from '../model/keys.ts';
import {
  aroundAttached,
  COMPARE_TABS,
  MESSAGE_TABS,
  mailboxRoute,
  REQUEST_TABS,
  type Route,
  webhooksRoute,
} from './app/route.ts';
import { allOf, extended, NONE, toggled } from './app/selection.ts';
import type { WebRow } from './app/state.ts';
import { isOneOf, listBeside, nextScheme, rowOfMessage, shownMailbox } from './app/state.ts';
import type { WebShell } from './app/web-shell.ts';
import { loadCode } from './machine/load-code.ts';
import { COMMAND, FIND, FIND_STEP, NEXT_WIDTH } from './on-command.ts';
import { permanentAddress } from './use-shell.ts';

/**
 * Listens to keys and runs their commands from the key table. It ignores keys in fields and keys that the focused
 * control uses.
 */
export function listenToKeys(shell: WebShell): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (shell.state.value.overlay !== null) {
      typeAhead(shell, event);
      return;
    }
    const key = keyName(event);
    const { target } = event;
    if (target instanceof HTMLElement && isTaken(target, key)) return;
    const place = placeNow(shell);
    const command = webCommandOf(key, place);
    if (command === null || !runWebCommand(shell, command, place)) return;
    event.preventDefault();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

/** Keeps the letters that are typed while the code of the palette loads. */
function typeAhead(shell: WebShell, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const { overlay } = shell.state.value;
  if (overlay?.kind !== 'palette' || document.querySelector('dialog[open]') !== null) return;
  if (key === 'Escape') shell.show(null);
  else if (key.length === 1 && !ctrlKey && !metaKey && !altKey) shell.show({ ...overlay, typed: overlay.typed + key });
}

/** Returns the place of the reader: the focused part, or else the visible page. */
export function placeNow({ state, machine }: WebShell): FocusPlace {
  const { route } = state.value;
  const focused = document.activeElement?.closest('[data-place]')?.getAttribute('data-place');
  switch (route.at) {
    case 'mail':
    case 'message': {
      if (route.at === 'mail' && route.messageId === null) return 'messages';
      return focused === 'messages' && !machine.isNarrow() ? 'messages' : 'message';
    }
    case 'webhooks':
      if (route.requestId !== null) return focused === 'requests' ? 'requests' : 'request';
      return route.webhookId === null ? 'webhooks' : 'requests';
    case 'compare':
    case 'authenticators':
      return route.at;
    default:
      return 'page';
  }
}

const GO: Readonly<Partial<Record<InboxCommand | WebCommand, Route>>> = {
  'go-mail': mailboxRoute(null),
  'go-webhooks': webhooksRoute(),
  'go-timeline': { at: 'timeline', mailboxId: null, kinds: [], hours: null },
  'go-waiting': { at: 'waiting' },
  'go-runs': { at: 'runs', runId: null, testId: null },
  'go-outbound': { at: 'outbound', part: 'sends', id: null },
  'go-authenticators': { at: 'authenticators', form: null },
  'go-tools': { at: 'tools', tool: 'use' },
};

/** Runs a command in a place. Returns false if it does nothing there, and the browser then handles the key. */
export function runWebCommand(shell: WebShell, command: InboxCommand | WebCommand, place: FocusPlace): boolean {
  const to = GO[command];
  if (to !== undefined) {
    shell.go(to);
    return true;
  }
  switch (command) {
    case 'help':
      shell.show({ kind: 'help' });
      return true;
    case 'palette':
      shell.show({ kind: 'palette', typed: '', place });
      return true;
    case 'scheme': {
      shell.setScheme(nextScheme(shell.state.value.scheme));
      return true;
    }
    case 'next-view':
    case 'previous-view':
      return turnTab(command === 'next-view' ? 1 : -1);
    case 'width':
      dispatchEvent(new Event(NEXT_WIDTH));
      return true;
    default:
      break;
  }
  if (place === 'message' || place === 'request') {
    if (command === 'find') return findInText();
    const by = command === 'find-next' ? 1 : command === 'find-previous' ? -1 : 0;
    // With a search in the text, n goes to its next match. Without one it goes to the next item.
    if (by !== 0 && !dispatchEvent(new CustomEvent(FIND_STEP, { detail: by, cancelable: true }))) return true;
  }
  if (place === 'messages' || place === 'message') return runInMail(shell, command, place);
  // The pages of webhooks and codes listen for this event.
  dispatchEvent(new CustomEvent(COMMAND, { detail: command }));
  return true;
}

function runInMail(shell: WebShell, command: InboxCommand | WebCommand, place: 'messages' | 'message'): boolean {
  const { mail, route, open, attached } = shell.state.value;
  if (route.at !== 'mail') return false;
  const row = rowAt(shell);
  const within = place === 'message' ? route.attached : null;
  const chosen = mail === null ? [] : mail.list.rows.filter((one) => isOneOf(one, mail.selection.ids));
  const meant: readonly WebRow[] = place === 'messages' && chosen.length > 0 ? chosen : row === null ? [] : [row];
  const isEverything = place === 'messages' && mail?.selection.everything === true;
  switch (command) {
    case 'next':
    case 'previous':
    case 'page-down':
    case 'page-up': {
      const by = {
        next: 1,
        previous: -1,
        'page-down': (mail?.list.height ?? 10) - 1,
        'page-up': 1 - (mail?.list.height ?? 10),
      }[command];
      if (place === 'message') return scrollMessage(by);
      move(shell, by);
      return true;
    }
    case 'find-next':
    case 'find-previous':
      move(shell, command === 'find-next' ? 1 : -1, true);
      return true;
    case 'first':
    case 'last':
      if (place === 'message') return scrollMessage(command === 'first' ? -1e6 : 1e6);
      if (command === 'first') shell.mail.toNewest();
      else shell.mail.toOldest();
      return true;
    case 'unfold':
      if (row !== null && shell.mail.unfold(row, true)) return true;
      return runInMail(shell, 'open', place);
    case 'fold':
      if (row !== null && shell.mail.unfold(row, false)) return true;
      return back(shell, place);
    case 'open':
      if (row === null) return false;
      if (route.messageId !== row.id) shell.openMessage(row);
      focusWhenThere('#message');
      return true;
    case 'back':
      return back(shell, place);
    case 'filter':
      // The actions of chosen messages cover the search. The letters of a search must not run them.
      if (chosen.length > 0) shell.choose(NONE);
      // The search is drawn after this key, and before the next one.
      queueMicrotask(() => focusWhenThere('#search'));
      return true;
    case 'copy-code':
      if (row === null) return false;
      void shell.attempt(async () => (await loadCode(() => import('./mail/copy-code.ts'))).copyCode(shell, row, place));
      return true;
    case 'links':
      return focusIn(shell, row, '.found .links a, .found .links button', 'This message has no links.');
    case 'attachments':
      return showTab(shell, row, 'attachments');
    case 'source':
    case 'headers':
      return showTab(shell, row, route.tab === command ? null : command);
    case 'other-body': {
      const content = within === null ? open?.content : attached?.mail;
      if (!content || content.htmlBody === null || content.textBody === null) return false;
      return showTab(shell, row, route.tab === 'text' ? 'html' : 'text');
    }
    case 'browse':
      if (row !== null) window.open(permanentAddress(row.id, within), '_blank', 'noopener');
      return row !== null;
    case 'delete':
      if (isEverything) void actOnFound(shell, 'deleteAllFound');
      else shell.deletions.begin(meant);
      return meant.length > 0;
    case 'undo-delete':
      return shell.deletions.undo();
    case 'mailboxes':
      shell.show({ kind: 'mailboxes' });
      return true;
    case 'toggle':
      if (mail !== null && row !== null) shell.choose(toggled(mail.selection, row));
      return true;
    case 'extend-down':
    case 'extend-up': {
      if (mail === null || row === null) return true;
      const { selection } = mail;
      const before = isOneOf(row, selection.ids) ? selection : toggled(selection, row);
      shell.mail.move(command === 'extend-down' ? 1 : -1);
      const next = rowAt(shell);
      shell.choose(next === null ? before : extended(before, mail.list.rows, next.id));
      return true;
    }
    case 'select-all':
      // New mail that waits above the list was not seen.
      if (mail !== null) shell.choose(allOf(mail.list.rows.slice(mail.list.waiting)));
      return true;
    case 'mark-read': {
      if (isEverything) {
        void actOnFound(shell, 'readAllFound');
        return true;
      }
      shell.marks.read(
        meant,
        meant.some(({ read }) => !read),
      );
      return true;
    }
    case 'star':
      shell.marks.star(
        meant,
        meant.some(({ starred }) => !starred),
      );
      return meant.length > 0;
    case 'tag':
      return focusIn(shell, row, '#new-tag', 'The message is not loaded yet.');
    case 'export':
      void shell.attempt(async () => {
        const { saveAttached, saveMessages } = await loadCode(() => import('./mail/save-messages.ts'));
        if (within !== null && row !== null) await saveAttached(shell, row.id, within, attached?.mail?.subject ?? null);
        else if (mail !== null) await saveMessages(shell, mail.mailboxId, meant);
      });
      return true;
    case 'copy-as-test':
      if (open?.content) shell.show({ kind: 'as-test' });
      else shell.say('Open the message first: the test depends on its codes and links.');
      return true;
    case 'copy-link':
      void shell.copy(row === null ? location.href : permanentAddress(row.id, within), 'the link');
      return true;
    case 'compare':
      void shell.attempt(async () => {
        const { compareMessages } = await loadCode(() => import('./app/compare-messages.ts'));
        compareMessages(shell, meant);
      });
      return meant.length > 0;
    case 'print':
      if (route.messageId === null) return false;
      void shell.attempt(async () => (await loadCode(() => import('./mail/print-view.ts'))).printView(shell));
      return true;
    case 'release':
      if (open?.facts && open.id === row?.id)
        shell.show({ kind: 'release', messageId: open.id, to: open.facts.envelope.rcptTo.join(', ') });
      return true;
    default:
      return false;
  }
}

/** Marks or deletes everything that the list finds. */
async function actOnFound(shell: WebShell, how: 'readAllFound' | 'deleteAllFound'): Promise<void> {
  await shell.attempt(async () => (await loadCode(() => import('./app/found-messages.ts')))[how](shell));
}

/** Opens the search in the shown text. The view of headers has a field of its own, which filters them. */
function findInText(): boolean {
  const field = document.querySelector<HTMLElement>('.message-pane input[type=search]');
  if (isSeen(field)) queueMicrotask(() => field.focus());
  else dispatchEvent(new Event(FIND));
  return true;
}

/** Returns the message of a command: the open one, or the selected one of the list. */
function rowAt(shell: WebShell): WebRow | null {
  const { mail, open, route } = shell.state.value;
  if (mail === null) return null;
  if (placeNow(shell) === 'messages') return shell.mail.selected();
  const id = route.at === 'mail' ? route.messageId : null;
  const inList = shell.mail.copiesOf(id ?? '').find((one) => one.id === id);
  if (inList !== undefined) return inList;
  return open?.facts && open.content ? rowOfMessage(open.facts, open.content) : null;
}

/** Moves the selection. If a message is open beside the list, or if `opens` is true, it opens the selected one. */
function move(shell: WebShell, by: number, opens = false): void {
  const { route } = shell.state.value;
  shell.mail.move(by);
  const isOpen = route.at === 'mail' && route.messageId !== null;
  if (!opens && !isOpen) return;
  const row = shell.mail.selected();
  if (row !== null) shell.openMessage(row, isOpen);
}

function back(shell: WebShell, place: 'messages' | 'message'): boolean {
  const { mail, route } = shell.state.value;
  if (route.at !== 'mail') return false;
  const list = document.querySelector<HTMLElement>('.rows');
  if (mail !== null && mail.selection.ids.size > 0) shell.choose(NONE);
  else if (place === 'message' && route.attached !== null) shell.go(aroundAttached(route));
  else if (place === 'message' && list !== null && list.offsetParent !== null) list.focus();
  else if (route.messageId !== null) shell.go(mailboxRoute(route.mailboxId, route.query));
  else if (route.query !== '') shell.go(mailboxRoute(shownMailbox(shell.state.value)));
  else return false;
  return true;
}

function showTab(shell: WebShell, row: WebRow | null, tab: (typeof MESSAGE_TABS)[number] | null): boolean {
  const { route } = shell.state.value;
  if (row === null || route.at !== 'mail') return false;
  shell.mail.hold();
  const mailboxId = listBeside(shell.state.value, row.mailboxId);
  const attached = route.messageId === row.id ? route.attached : null;
  shell.go({ ...route, mailboxId, messageId: row.id, tab, attached }, { replace: route.messageId === row.id });
  return true;
}

function focusIn(shell: WebShell, row: WebRow | null, selector: string, without: string): boolean {
  if (row === null) return false;
  const { route } = shell.state.value;
  if (route.at === 'mail' && route.messageId !== row.id) shell.openMessage(row);
  focusWhenThere(selector, () => shell.say(without));
  return true;
}

/** Focuses an element, which may still be loading or covered. It gives up after a second. */
function focusWhenThere(selector: string, giveUp: () => void = () => {}, tries = 20): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (isSeen(found)) found.focus();
  else if (tries > 0) setTimeout(() => focusWhenThere(selector, giveUp, tries - 1), 50);
  else giveUp();
}

function isSeen<T extends Element>(found: T | null): found is T {
  return found?.checkVisibility({ visibilityProperty: true }) === true;
}

function turnTab(by: number): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>('main [role=tab]')].filter(({ dataset }) =>
    [...MESSAGE_TABS, ...REQUEST_TABS, ...COMPARE_TABS].some((name) => name === dataset['tab']),
  );
  const at = tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
  tabs[(at + by + tabs.length) % tabs.length]?.click();
  return tabs.length > 0;
}

const LINE = 48;

function scrollMessage(by: number): boolean {
  document.getElementById('message')?.scrollBy({ top: by * LINE });
  return true;
}

/** Returns whether the focused element uses a key itself. */
function isTaken(target: HTMLElement, key: string): boolean {
  if (key === 'ctrl-k' || key === 'meta-k') return false;
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return true;
  if (target.closest('dialog') !== null) return true;
  const isControl = target.closest('button, a, summary, [role=tab], [role=separator]') !== null;
  if (isControl && /^(enter|space|left|right|up|down|home|end)$/.test(key)) return true;
  // With a text selection, these keys copy it and are no commands.
  return /^(ctrl|meta)-[acx]$/.test(key) && !getSelection()?.isCollapsed;
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  ' ': 'space',
};

function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  if (altKey) return '';
  const name = NAMES[key] ?? (key.length === 1 ? key : key.toLowerCase());
  if (ctrlKey) return `ctrl-${name.toLowerCase()}`;
  if (metaKey) return `meta-${name.toLowerCase()}`;
  return shiftKey && name.length > 1 ? `shift-${name}` : name;
}

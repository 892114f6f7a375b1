// This table is the only list of keys. It maps each key to a command. The help, the footer and the docs are generated
// from it.

/** The part of the inbox that has the focus. */
export type FocusPlace =
  | 'messages'
  | 'message'
  | 'mailboxes'
  | 'links'
  | 'attachments'
  | 'webhooks'
  | 'requests'
  | 'request'
  | 'authenticators'
  /** Two messages side by side, in the web inbox. */
  | 'compare'
  /** Any other page of the web inbox. */
  | 'page'
  | 'help'
  | 'filter';

export type InboxCommand =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'half-down'
  | 'half-up'
  | 'page-down'
  | 'page-up'
  | 'open'
  | 'back'
  | 'tab'
  | 'tab-back'
  | 'next-view'
  | 'previous-view'
  | 'filter'
  | 'find'
  | 'find-next'
  | 'find-previous'
  | 'copy-code'
  | 'links'
  | 'attachments'
  | 'read-attached'
  | 'source'
  | 'headers'
  | 'other-body'
  | 'browse'
  | 'delete'
  | 'mailboxes'
  | 'replay'
  | 'copy-curl'
  | 'reload'
  | 'help'
  | 'quit'
  | 'keep'
  | 'undo'
  | 'undo-delete'
  | 'mark-read'
  | 'star'
  | 'tag';

/** Commands that only the web inbox has. It has more room than a terminal, and a mouse can select several rows. */
export type WebCommand =
  | 'palette'
  | 'toggle'
  | 'extend-down'
  | 'extend-up'
  | 'select-all'
  | 'export'
  | 'copy-as-test'
  | 'copy-link'
  | 'compare'
  | 'swap'
  | 'width'
  | 'unfold'
  | 'fold'
  | 'scheme'
  | 'print'
  | 'release'
  | 'go-mail'
  | 'go-webhooks'
  | 'go-timeline'
  | 'go-outbound'
  | 'go-authenticators'
  | 'go-tools'
  | 'go-waiting'
  | 'go-runs';

export type KeyRow = KeyRowOf<InboxCommand, 'terminal' | undefined> | KeyRowOf<InboxCommand | WebCommand, 'web'>;

interface KeyRowOf<C, Ui> {
  readonly command: C;
  /** The inbox that has this key. Without it, both inboxes have the key. */
  readonly ui?: Ui;
  /** Key names as the shell reports them: a character, or a name such as `up`, `enter`, `escape`, `tab` or `ctrl-d`. */
  readonly keys: readonly string[];
  readonly in: readonly FocusPlace[];
  /** The description of the command in the help. */
  readonly help: string;
  /** The word in the footer, one for all places or one per place. Keys without a word appear only in the help. */
  readonly footer?: string | Readonly<Partial<Record<FocusPlace, string>>>;
}

/** The places in which commands of the web inbox work. */
const PAGES = ['messages', 'message', 'webhooks', 'requests', 'request', 'authenticators', 'compare', 'page'] as const;
const LISTS = ['messages', 'mailboxes', 'links', 'attachments', 'webhooks', 'requests', 'authenticators'] as const;
const TEXTS = ['message', 'request', 'help'] as const;
const SCROLLS = [...LISTS, ...TEXTS] as const;
/** The places that q leaves for the shell. In the help, it closes the help. */
const LEFT = [...LISTS, 'message', 'request'] as const;
/** The lists to which new items are added while the reader looks at them. */
const GROWS = ['messages', 'requests'] as const;
const GROWS_NOT = ['mailboxes', 'links', 'attachments', 'webhooks', 'authenticators', ...TEXTS] as const;
const TABS = ['messages', 'message', 'webhooks', 'requests', 'request', 'authenticators'] as const;
/**
 * The places in which tab switches to the next tab. In a message, tab switches to the next view, so that the reader
 * stays in that message.
 */
const TURNED = ['messages', 'webhooks', 'requests', 'request', 'authenticators'] as const;
const MAIL = ['messages', 'message'] as const;
/** The tab that the tab key opens from each place. */
const NEXT_TAB = {
  ...{ messages: 'webhooks', webhooks: 'authenticators', requests: 'authenticators', request: 'authenticators' },
  authenticators: 'mail',
} as const;

// The footer lists keys in this order. A narrow footer shows only the first ones.
const KEY_TABLE: readonly KeyRow[] = [
  { command: 'next', keys: ['j', 'down'], in: SCROLLS, help: 'down' },
  { command: 'previous', keys: ['k', 'up'], in: SCROLLS, help: 'up' },
  { command: 'first', keys: ['g', 'home'], in: GROWS, help: 'go to the top and show new items' },
  { command: 'first', keys: ['g', 'home'], in: GROWS_NOT, help: 'go to the top' },
  { command: 'last', keys: ['G', 'end'], in: SCROLLS, help: 'go to the end' },
  { ui: 'terminal', command: 'half-down', keys: ['ctrl-d'], in: SCROLLS, help: 'half a screen down' },
  { ui: 'terminal', command: 'half-up', keys: ['ctrl-u'], in: SCROLLS, help: 'half a screen up' },
  { command: 'page-down', keys: ['pagedown', 'space', 'ctrl-f'], in: SCROLLS, help: 'one screen down' },
  { command: 'page-up', keys: ['pageup', 'ctrl-b'], in: SCROLLS, help: 'one screen up' },
  { ui: 'web', command: 'unfold', keys: ['right'], in: ['messages'], help: 'unfold the copies of a mail' },
  { ui: 'web', command: 'fold', keys: ['left'], in: ['messages'], help: 'fold the copies of a mail' },
  {
    command: 'open',
    keys: ['enter', 'right'],
    in: ['messages', 'mailboxes', 'links', 'webhooks', 'requests'],
    help: 'open',
    footer: 'open',
  },
  { command: 'open', keys: ['enter', 'right'], in: ['attachments'], help: 'save the attachment', footer: 'save' },
  {
    ui: 'terminal',
    command: 'read-attached',
    keys: ['r'],
    in: ['attachments'],
    help: 'read the attached mail as a message',
    footer: 'read a mail',
  },
  { command: 'open', keys: ['enter', 'right'], in: ['authenticators'], help: 'copy the code', footer: 'copy' },
  { command: 'back', keys: ['escape', 'left', 'backspace'], in: ['messages'], help: 'remove the filter' },
  {
    command: 'back',
    keys: ['escape', 'left', 'backspace'],
    in: ['message', 'request'],
    help: 'end the search, or go back',
    footer: 'back',
  },
  {
    command: 'back',
    keys: ['escape', 'left', 'backspace'],
    in: ['mailboxes', 'links', 'attachments', 'requests', 'help'],
    help: 'back',
    footer: 'back',
  },
  { command: 'other-body', keys: ['b'], in: ['message'], help: 'switch between text and HTML', footer: 'text/HTML' },
  { command: 'filter', keys: ['/'], in: ['messages'], help: 'filter the list by a text', footer: 'filter' },
  { command: 'find', keys: ['/'], in: ['message', 'request'], help: 'search in this text', footer: 'find' },
  {
    command: 'copy-code',
    keys: ['c'],
    in: [...MAIL, 'authenticators'],
    help: 'copy the code',
    footer: { messages: 'code', message: 'code' },
  },
  { command: 'links', keys: ['l'], in: MAIL, help: 'show the links of the message', footer: 'links' },
  { command: 'attachments', keys: ['a'], in: MAIL, help: 'show the attachments of the message', footer: 'files' },
  {
    ui: 'terminal',
    command: 'tab',
    keys: ['tab'],
    in: TURNED,
    help: 'next tab: mail, webhooks, authenticators',
    footer: NEXT_TAB,
  },
  { ui: 'terminal', command: 'tab-back', keys: ['shift-tab'], in: TURNED, help: 'previous tab' },
  { command: 'mailboxes', keys: ['m'], in: MAIL, help: 'switch to another mailbox', footer: { messages: 'mailbox' } },
  { command: 'delete', keys: ['d', 'delete'], in: MAIL, help: 'delete', footer: 'delete' },
  { command: 'mark-read', keys: ['r'], in: MAIL, help: 'mark as read or unread' },
  { command: 'star', keys: ['s'], in: MAIL, help: 'star, or remove the star' },
  { command: 'tag', keys: ['T'], in: MAIL, help: 'edit the tags' },
  { command: 'undo-delete', keys: ['z'], in: MAIL, help: 'undo a deletion, within ten seconds' },
  { command: 'headers', keys: ['h'], in: MAIL, help: 'show the headers of the message', footer: 'headers' },
  { command: 'source', keys: ['v'], in: MAIL, help: 'show the source of the message', footer: 'source' },
  { command: 'browse', keys: ['o'], in: [...MAIL, 'links'], help: 'open in the browser', footer: 'browser' },
  {
    ui: 'terminal',
    command: 'next-view',
    keys: ['tab'],
    in: ['message'],
    help: 'next view: text, HTML, headers, source',
    footer: 'next view',
  },
  { ui: 'terminal', command: 'previous-view', keys: ['shift-tab'], in: ['message'], help: 'previous view' },
  { command: 'find-next', keys: ['n'], in: ['messages'], help: 'next message' },
  { command: 'find-next', keys: ['n'], in: ['message'], help: 'next match, or next message', footer: 'next' },
  { command: 'find-next', keys: ['n'], in: ['request'], help: 'next match' },
  { command: 'find-previous', keys: ['N'], in: ['messages'], help: 'previous message' },
  { command: 'find-previous', keys: ['N'], in: ['message'], help: 'previous match, or previous message' },
  { command: 'find-previous', keys: ['N'], in: ['request'], help: 'previous match' },
  {
    command: 'replay',
    keys: ['r'],
    in: ['requests', 'request'],
    help: 'forward the request again',
    footer: 'replay',
  },
  {
    command: 'copy-curl',
    keys: ['c'],
    in: ['requests', 'request'],
    help: 'copy the request as a curl command',
    footer: 'curl',
  },
  { ui: 'terminal', command: 'reload', keys: ['ctrl-l'], in: TABS, help: 'load again' },
  { command: 'keep', keys: ['enter'], in: ['filter'], help: 'keep the typed text', footer: 'keep' },
  { command: 'undo', keys: ['escape'], in: ['filter'], help: 'undo the typed text', footer: 'undo' },
  {
    command: 'help',
    keys: ['?'],
    in: [...TABS, 'mailboxes', 'links', 'attachments', 'help'],
    help: 'this help',
    footer: 'help',
  },
  { ui: 'terminal', command: 'back', keys: ['q'], in: ['help'], help: 'close the help', footer: 'close' },
  { ui: 'terminal', command: 'quit', keys: ['q', 'ctrl-c'], in: LEFT, help: 'quit', footer: 'quit' },
  { ui: 'terminal', command: 'quit', keys: ['ctrl-c'], in: ['help', 'filter'], help: 'quit' },
  { ui: 'web', command: 'next-view', keys: [']'], in: ['message', 'request', 'compare'], help: 'next view' },
  { ui: 'web', command: 'previous-view', keys: ['['], in: ['message', 'request', 'compare'], help: 'previous view' },
  { ui: 'web', command: 'toggle', keys: ['x'], in: ['messages'], help: 'select or deselect a message' },
  { ui: 'web', command: 'extend-down', keys: ['J', 'shift-down'], in: ['messages'], help: 'extend the selection down' },
  { ui: 'web', command: 'extend-up', keys: ['K', 'shift-up'], in: ['messages'], help: 'extend the selection up' },
  {
    ui: 'web',
    command: 'select-all',
    keys: ['ctrl-a', 'meta-a'],
    in: ['messages'],
    help: 'select all loaded messages',
  },
  { ui: 'web', command: 'export', keys: ['e'], in: MAIL, help: 'export as a file' },
  { ui: 'web', command: 'copy-as-test', keys: ['t'], in: MAIL, help: 'copy as test' },
  { ui: 'web', command: 'copy-link', keys: ['y'], in: MAIL, help: 'copy the link to this page' },
  {
    ui: 'web',
    command: 'compare',
    keys: ['='],
    in: MAIL,
    help: 'compare two selected messages, or this one and the previous similar one',
  },
  { ui: 'web', command: 'find-next', keys: ['n'], in: ['compare'], help: 'next difference' },
  { ui: 'web', command: 'find-previous', keys: ['N'], in: ['compare'], help: 'previous difference' },
  { ui: 'web', command: 'filter', keys: ['/'], in: ['compare'], help: 'search for the other message' },
  { ui: 'web', command: 'swap', keys: ['s'], in: ['compare'], help: 'swap the two messages' },
  {
    ui: 'web',
    command: 'back',
    keys: ['escape', 'left', 'backspace'],
    in: ['compare'],
    help: 'go back to the message',
  },
  { ui: 'web', command: 'width', keys: ['w'], in: ['message', 'compare'], help: 'next width: phone, tablet, desktop' },
  { ui: 'web', command: 'release', keys: ['R'], in: MAIL, help: 'send through the relay' },
  { ui: 'web', command: 'print', keys: ['p'], in: MAIL, help: 'print' },
  {
    ui: 'web',
    command: 'palette',
    keys: ['ctrl-k', 'meta-k', ':'],
    in: PAGES,
    help: 'find a place, a mail or an action',
  },
  { ui: 'web', command: 'scheme', keys: ['.'], in: PAGES, help: 'switch colours: light, dark, or as the system' },
  { ui: 'web', command: 'help', keys: ['?'], in: ['page', 'compare'], help: 'this help' },
  { ui: 'web', command: 'back', keys: ['escape'], in: ['page'], help: 'close what is open' },
  { ui: 'web', command: 'go-mail', keys: ['1'], in: PAGES, help: 'mail' },
  { ui: 'web', command: 'go-webhooks', keys: ['2'], in: PAGES, help: 'webhooks' },
  { ui: 'web', command: 'go-timeline', keys: ['3'], in: PAGES, help: 'timeline' },
  { ui: 'web', command: 'go-waiting', keys: ['4'], in: PAGES, help: 'waiting tests' },
  { ui: 'web', command: 'go-runs', keys: ['5'], in: PAGES, help: 'runs' },
  { ui: 'web', command: 'go-outbound', keys: ['6'], in: PAGES, help: 'outbound' },
  { ui: 'web', command: 'go-authenticators', keys: ['7'], in: PAGES, help: 'authenticators' },
  { ui: 'web', command: 'go-tools', keys: ['8'], in: PAGES, help: 'tools' },
];

type TerminalRow = KeyRowOf<InboxCommand, 'terminal' | undefined>;

/** The keys of the terminal inbox. */
export const TERMINAL_KEYS: readonly TerminalRow[] = KEY_TABLE.filter((row): row is TerminalRow => row.ui !== 'web');

/**
 * The keys of the web inbox. It leaves out the terminal's keys with ctrl and the space bar, because browsers use them.
 * Rows that only the web inbox has keep all their keys.
 */
export const WEB_KEYS: readonly KeyRow[] = KEY_TABLE.filter(({ ui }) => ui !== 'terminal').map((row) =>
  row.ui === 'web' ? row : { ...row, keys: row.keys.filter((key) => !key.startsWith('ctrl-') && key !== 'space') },
);

/** Returns the command of a key in a place of the web inbox, or null if the key has none. */
export function webCommandOf(key: string, place: FocusPlace): InboxCommand | WebCommand | null {
  return WEB_KEYS.find((row) => row.keys.includes(key) && row.in.includes(place))?.command ?? null;
}

/** Returns the command of a key in a place of the terminal inbox, or null if the key has none. */
export function commandOf(key: string, place: FocusPlace): InboxCommand | null {
  return TERMINAL_KEYS.find((row) => row.keys.includes(key) && row.in.includes(place))?.command ?? null;
}

/** Returns the footer of a place: the first key of each command, and its word. */
export function footerOf(place: FocusPlace): readonly { readonly key: string; readonly word: string }[] {
  return TERMINAL_KEYS.flatMap(({ keys: [key = ''], in: places, footer }) => {
    const word = typeof footer === 'string' ? footer : footer?.[place];
    return word !== undefined && places.includes(place) ? [{ key: keyName(key), word }] : [];
  });
}

/** Returns the name of a key as people read it. */
export function keyName(key: string): string {
  return NAMES[key] ?? key;
}

const NAMES: Readonly<Record<string, string>> = {
  escape: 'esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pagedown: 'pgdn',
  pageup: 'pgup',
  delete: 'del',
};

// One table of keys: it feeds the help, the footer and the docs, and decides what a key does.

/** Where the reader is. */
export type Place =
  | 'messages'
  | 'message'
  | 'mailboxes'
  | 'links'
  | 'attachments'
  | 'webhooks'
  | 'requests'
  | 'request'
  | 'authenticators'
  | 'help'
  | 'confirm'
  | 'filter';

export type Command =
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
  | 'yes'
  | 'no'
  | 'keep'
  | 'undo';

export interface KeyRow {
  readonly command: Command;
  /** Names as the shell gives them: a character, or `up`, `down`, `enter`, `escape`, `tab`, `ctrl-d` and the like. */
  readonly keys: readonly string[];
  readonly in: readonly Place[];
  /** What it does, for the help. */
  readonly help: string;
  /** A word for the footer, the same everywhere or one for each place; what has none is left to the help. */
  readonly footer?: string | Readonly<Partial<Record<Place, string>>>;
}

const LISTS = ['messages', 'mailboxes', 'links', 'attachments', 'webhooks', 'requests', 'authenticators'] as const;
const TEXTS = ['message', 'request', 'help'] as const;
const SCROLLS = [...LISTS, ...TEXTS] as const;
const TABS = ['messages', 'message', 'webhooks', 'requests', 'request', 'authenticators'] as const;
/** Where tab goes to the next of them. In a message it goes to the next view, so that it never leaves what is read. */
const TURNED = ['messages', 'webhooks', 'requests', 'request', 'authenticators'] as const;
const MAIL = ['messages', 'message'] as const;
/** Where tab leads to. */
const NEXT_TAB = {
  ...{ messages: 'webhooks', webhooks: 'authenticators', requests: 'authenticators', request: 'authenticators' },
  authenticators: 'mail',
} as const;

// The order is that of the footer: where there is little room, the first of them are told.
export const KEYS: readonly KeyRow[] = [
  { command: 'next', keys: ['j', 'down'], in: SCROLLS, help: 'down' },
  { command: 'previous', keys: ['k', 'up'], in: SCROLLS, help: 'up' },
  { command: 'first', keys: ['g', 'home'], in: SCROLLS, help: 'to the top; a list shows what is new' },
  { command: 'last', keys: ['G', 'end'], in: SCROLLS, help: 'to the end' },
  { command: 'half-down', keys: ['ctrl-d'], in: SCROLLS, help: 'half a screen down' },
  { command: 'half-up', keys: ['ctrl-u'], in: SCROLLS, help: 'half a screen up' },
  { command: 'page-down', keys: ['pagedown', 'space', 'ctrl-f'], in: SCROLLS, help: 'a screen down' },
  { command: 'page-up', keys: ['pageup', 'ctrl-b'], in: SCROLLS, help: 'a screen up' },
  {
    command: 'open',
    keys: ['enter', 'right'],
    in: LISTS,
    help: 'open; save an attachment; copy an authenticator’s code',
    footer: {
      ...{ messages: 'open', mailboxes: 'open', links: 'open', webhooks: 'open', requests: 'open' },
      ...{ attachments: 'save', authenticators: 'copy' },
    },
  },
  { command: 'back', keys: ['escape', 'left', 'backspace'], in: ['messages'], help: 'end a filter' },
  {
    command: 'back',
    keys: ['escape', 'left', 'backspace'],
    in: ['message', 'mailboxes', 'links', 'attachments', 'requests', 'request', 'help'],
    help: 'back; end a search',
    footer: 'back',
  },
  { command: 'other-body', keys: ['b'], in: ['message'], help: 'the other body: text or HTML', footer: 'text/HTML' },
  { command: 'filter', keys: ['/'], in: ['messages'], help: 'show only what contains a text', footer: 'filter' },
  { command: 'find', keys: ['/'], in: ['message', 'request'], help: 'find in what is read', footer: 'find' },
  {
    command: 'copy-code',
    keys: ['c'],
    in: [...MAIL, 'authenticators'],
    help: 'copy the code',
    footer: { messages: 'code', message: 'code' },
  },
  { command: 'links', keys: ['l'], in: MAIL, help: 'the links of a message', footer: 'links' },
  { command: 'attachments', keys: ['a'], in: MAIL, help: 'its attachments', footer: 'files' },
  { command: 'tab', keys: ['tab'], in: TURNED, help: 'mail, webhooks, authenticators', footer: NEXT_TAB },
  { command: 'tab-back', keys: ['shift-tab'], in: TURNED, help: 'the same, backwards' },
  { command: 'mailboxes', keys: ['m'], in: MAIL, help: 'switch the mailbox', footer: { messages: 'mailbox' } },
  { command: 'delete', keys: ['d', 'delete'], in: MAIL, help: 'delete; asks', footer: 'delete' },
  { command: 'headers', keys: ['h'], in: MAIL, help: 'its headers', footer: 'headers' },
  { command: 'source', keys: ['v'], in: MAIL, help: 'its source', footer: 'source' },
  { command: 'browse', keys: ['o'], in: [...MAIL, 'links'], help: 'open in the browser', footer: 'browser' },
  { command: 'next-view', keys: ['tab'], in: ['message'], help: 'text, HTML, headers, source', footer: 'next view' },
  { command: 'previous-view', keys: ['shift-tab'], in: ['message'], help: 'the same, backwards' },
  {
    command: 'find-next',
    keys: ['n'],
    in: [...MAIL, 'request'],
    help: 'the next match; without a search, the next message',
    footer: { message: 'next' },
  },
  { command: 'find-previous', keys: ['N'], in: [...MAIL, 'request'], help: 'the one before' },
  {
    command: 'replay',
    keys: ['r'],
    in: ['requests', 'request'],
    help: 'forward a captured request again',
    footer: 'replay',
  },
  {
    command: 'copy-curl',
    keys: ['c'],
    in: ['requests', 'request'],
    help: 'copy a captured request as curl',
    footer: 'curl',
  },
  { command: 'reload', keys: ['ctrl-l'], in: TABS, help: 'load anew' },
  { command: 'yes', keys: ['y', 'enter'], in: ['confirm'], help: 'yes', footer: 'yes' },
  { command: 'no', keys: ['n', 'escape', 'q'], in: ['confirm'], help: 'no', footer: 'no' },
  { command: 'keep', keys: ['enter'], in: ['filter'], help: 'keep what is typed', footer: 'keep' },
  { command: 'undo', keys: ['escape'], in: ['filter'], help: 'as it was before', footer: 'as before' },
  {
    command: 'help',
    keys: ['?'],
    in: [...TABS, 'mailboxes', 'links', 'attachments', 'help'],
    help: 'this help',
    footer: 'help',
  },
  { command: 'quit', keys: ['q', 'ctrl-c'], in: SCROLLS, help: 'quit', footer: 'quit' },
  { command: 'quit', keys: ['ctrl-c'], in: ['confirm', 'filter'], help: 'quit' },
];

/** What a key does in a place, null where it does nothing there. */
export function commandOf(key: string, place: Place): Command | null {
  return KEYS.find((row) => row.keys.includes(key) && row.in.includes(place))?.command ?? null;
}

/** The keys worth a word in the footer of a place: the first key of each, and the word. */
export function footerOf(place: Place): readonly { readonly key: string; readonly word: string }[] {
  return KEYS.flatMap(({ keys: [key = ''], in: places, footer }) => {
    const word = typeof footer === 'string' ? footer : footer?.[place];
    return word !== undefined && places.includes(place) ? [{ key: nameOf(key), word }] : [];
  });
}

/** A key as it is written for people. */
export function nameOf(key: string): string {
  return NAMES[key] ?? key;
}

const NAMES: Readonly<Record<string, string>> = {
  escape: 'esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pagedown: 'PgDn',
  pageup: 'PgUp',
  delete: 'Del',
  home: 'Home',
  end: 'End',
};

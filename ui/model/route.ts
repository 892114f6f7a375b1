// Every page of the web inbox has an address in the fragment of the URL, after `#`. Browsers do not send the fragment,
// so no server or proxy logs it.

/** The tabs of the message view. */
export const MESSAGE_TABS = [
  'html',
  'text',
  'headers',
  'parts',
  'source',
  'attachments',
  'delivery',
  'checks',
] as const;
export type MessageTab = (typeof MESSAGE_TABS)[number];

export const REQUEST_TABS = ['body', 'headers', 'difference', 'signature', 'forward'] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];

export const OUTBOUND_PARTS = ['sends', 'compose', 'suppression', 'wallet'] as const;
export type OutboundPart = (typeof OUTBOUND_PARTS)[number];

export const TOOLS = ['use', 'faults', 'clock', 'keys', 'workspaces', 'server'] as const;
export type Tool = (typeof TOOLS)[number];

/** The page and its parameters. Null stands for nothing, or for the default. */
export type Route =
  | {
      readonly at: 'mail';
      readonly mailboxId: string | null;
      readonly messageId: string | null;
      readonly tab: MessageTab | null;
      readonly query: string;
    }
  /** The permanent address of a message. The page asks the server for its mailbox. */
  | { readonly at: 'message'; readonly messageId: string; readonly tab: MessageTab | null }
  | {
      readonly at: 'webhooks';
      readonly webhookId: string | null;
      readonly requestId: string | null;
      readonly tab: RequestTab | null;
    }
  | { readonly at: 'timeline'; readonly mailboxId: string | null; readonly kinds: readonly string[] }
  | { readonly at: 'outbound'; readonly part: OutboundPart; readonly id: string | null }
  | { readonly at: 'authenticators' }
  | { readonly at: 'tools'; readonly tool: Tool }
  | { readonly at: 'waiting' }
  | {
      readonly at: 'why';
      readonly mailboxId: string;
      readonly subject: string;
      readonly from: string;
      readonly to: string;
    };

export const HOME: Route = { at: 'mail', mailboxId: null, messageId: null, tab: null, query: '' };

/** Returns the route of a mailbox's list. */
export function mailboxRoute(mailboxId: string | null, query = ''): Route {
  return { at: 'mail', mailboxId, messageId: null, tab: null, query };
}

/** Returns a route as a URL fragment, without `#`. */
export function printRoute(route: Route): string {
  switch (route.at) {
    case 'mail': {
      const { mailboxId, messageId, tab, query } = route;
      const asked = search({ q: query });
      if (mailboxId === null) return `/${asked}`;
      return `${path('mail', mailboxId, messageId, messageId === null ? null : tab)}${asked}`;
    }
    case 'message':
      return path('messages', route.messageId, route.tab);
    case 'webhooks': {
      const { webhookId, requestId, tab } = route;
      return path('webhooks', webhookId, webhookId && requestId, webhookId && requestId && tab);
    }
    case 'timeline':
      return path('timeline') + search({ mailbox: route.mailboxId ?? '', kinds: route.kinds.join(',') });
    case 'outbound':
      return path('outbound', route.part === 'sends' && route.id === null ? null : route.part, route.id);
    case 'authenticators':
    case 'waiting':
      return path(route.at);
    case 'tools':
      return path('tools', route.tool === 'use' ? null : route.tool);
    case 'why': {
      const { mailboxId, subject, from, to } = route;
      return path('why', mailboxId) + search({ subject, from, to });
    }
  }
}

/** Parses a URL fragment. An unknown address leads to the start page. */
export function parseRoute(hash: string): Route {
  const [before = '', after = ''] = split(hash.replace(/^#/, ''), '?');
  const [at, ...rest] = before
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const asked = new URLSearchParams(after);
  const [first = null, second = null, third = null] = rest;
  switch (at) {
    case 'mail':
      return {
        at: 'mail',
        mailboxId: first,
        messageId: second,
        tab: second === null ? null : oneOf(MESSAGE_TABS, third),
        query: first === null ? '' : (asked.get('q') ?? ''),
      };
    case 'messages':
      return first === null ? HOME : { at: 'message', messageId: first, tab: oneOf(MESSAGE_TABS, second) };
    case 'webhooks':
      return { at, webhookId: first, requestId: second, tab: second === null ? null : oneOf(REQUEST_TABS, third) };
    case 'timeline':
      return {
        at,
        mailboxId: asked.get('mailbox') || null,
        kinds: (asked.get('kinds') ?? '').split(',').filter((kind) => kind !== ''),
      };
    case 'outbound':
      return { at, part: oneOf(OUTBOUND_PARTS, first) ?? 'sends', id: second };
    case 'authenticators':
    case 'waiting':
      return { at };
    case 'tools':
      return { at, tool: oneOf(TOOLS, first) ?? 'use' };
    case 'why':
      if (first === null) return HOME;
      return {
        at,
        mailboxId: first,
        subject: asked.get('subject') ?? '',
        from: asked.get('from') ?? '',
        to: asked.get('to') ?? '',
      };
    default:
      return HOME;
  }
}

function path(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part): part is string => part !== null && part !== '')
    .map((part) => `/${encodeURIComponent(part)}`)
    .join('');
}

function search(fields: Readonly<Record<string, string>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function oneOf<T extends string>(known: readonly T[], text: string | null): T | null {
  return known.find((one) => one === text) ?? null;
}

function split(text: string, at: string): string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The text has an invalid percent escape. It is used as it is.
    return part;
  }
}

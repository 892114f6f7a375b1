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
  'links',
  'checks',
] as const;
export type MessageTab = (typeof MESSAGE_TABS)[number];

export const REQUEST_TABS = ['body', 'headers', 'difference', 'signature', 'forward'] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];

/** The ways to show the body of a request, besides its pretty form. */
export const BODY_FORMS = ['raw', 'hex'] as const;
export type BodyForm = (typeof BODY_FORMS)[number];

/** The forms that change a webhook. */
export const WEBHOOK_FORMS = ['answer', 'script'] as const;
export type WebhookFormName = 'new' | (typeof WEBHOOK_FORMS)[number];

export const COMPARE_TABS = ['look', 'pixels', 'text', 'markup', 'headers'] as const;
export type CompareTab = (typeof COMPARE_TABS)[number];

export const OUTBOUND_PARTS = ['sends', 'compose', 'suppression', 'wallet'] as const;
export type OutboundPart = (typeof OUTBOUND_PARTS)[number];

export const TOOL_PAGES = ['use', 'faults', 'clock', 'keys', 'workspaces', 'server'] as const;
export type ToolPage = (typeof TOOL_PAGES)[number];

/** The page and its parameters. Null stands for nothing, or for the default. */
export type Route =
  | {
      readonly at: 'mail';
      readonly mailboxId: string | null;
      readonly messageId: string | null;
      readonly tab: MessageTab | null;
      /** The number of the shown MIME part, such as `1.2`, on the tab `parts`; null stands for the first. */
      readonly part: string | null;
      /** The id of the attached mail that is shown instead of the message. */
      readonly attached: string | null;
      readonly query: string;
    }
  /** The permanent address of a message, or of a mail attached to it. The page asks the server for its mailbox. */
  | {
      readonly at: 'message';
      readonly messageId: string;
      readonly tab: MessageTab | null;
      readonly attached: string | null;
    }
  /** Two messages side by side. Without a left message, the page asks for it. */
  | {
      readonly at: 'compare';
      readonly leftId: string | null;
      readonly rightId: string;
      readonly tab: CompareTab | null;
    }
  | {
      readonly at: 'webhooks';
      readonly webhookId: string | null;
      readonly requestId: string | null;
      readonly tab: RequestTab | null;
      /** The form of the body, on the tab `body`; null stands for the pretty one. */
      readonly as: BodyForm | null;
      /**
       * The open form: it creates a webhook on the list of all, or changes the open one on the list of its
       * requests.
       */
      readonly form: WebhookFormName | null;
    }
  | {
      readonly at: 'timeline';
      readonly mailboxId: string | null;
      readonly kinds: readonly string[];
      /** The number of hours to look back; null stands for one hour. */
      readonly hours: number | null;
    }
  | { readonly at: 'outbound'; readonly part: OutboundPart; readonly id: string | null }
  | { readonly at: 'authenticators'; readonly form: 'new' | null }
  | { readonly at: 'tools'; readonly tool: ToolPage }
  | { readonly at: 'waiting' }
  /** The runs of test runners; null stands for the last one, and for no open test. */
  | { readonly at: 'runs'; readonly runId: string | null; readonly testId: string | null }
  | {
      readonly at: 'why';
      readonly mailboxId: string;
      readonly subject: string;
      readonly from: string;
      readonly to: string;
      readonly body: string;
      /** Search words. */
      readonly query: string;
      /** The number of minutes to look back; null stands for one hour. */
      readonly minutes: number | null;
    };

export const HOME: Route = {
  ...{ at: 'mail', mailboxId: null, messageId: null, tab: null, part: null, attached: null, query: '' },
};

/** The route of a mailbox's list, and of a message beside it. */
export type MailRoute = Extract<Route, { at: 'mail' }>;

/** The route of the webhooks, their requests and their forms. */
export type WebhookRoute = Extract<Route, { at: 'webhooks' }>;

/** The route of two messages side by side. */
export type CompareRoute = Extract<Route, { at: 'compare' }>;

/** Returns the route of a mailbox's list. */
export function mailboxRoute(mailboxId: string | null, query = ''): Route {
  return { at: 'mail', mailboxId, messageId: null, tab: null, part: null, attached: null, query };
}

/** Returns the permanent route of a message, or of a mail attached to it. */
export function messageRoute(messageId: string, attached: string | null = null): Route {
  return { at: 'message', messageId, tab: null, attached };
}

/** Returns the route of the mail around an attached mail: its list of attachments. */
export function aroundAttached(route: MailRoute): MailRoute {
  const dot = route.attached?.lastIndexOf('.') ?? -1;
  const attached = dot < 0 ? null : (route.attached?.slice(0, dot) ?? null);
  return { ...route, attached, tab: 'attachments', part: null };
}

/** Returns the route of all webhooks, of the requests of one, or of a request. */
export function webhooksRoute(webhookId: string | null = null, requestId: string | null = null): Route {
  return { at: 'webhooks', webhookId, requestId, tab: null, as: null, form: null };
}

/** Returns the route that shows two messages side by side, the older one on the left. */
export function compareRoute(one: string, other: string): Route {
  return { at: 'compare', leftId: one < other ? one : other, rightId: one < other ? other : one, tab: null };
}

/** Returns a route as a URL fragment, without `#`. */
export function printRoute(route: Route): string {
  switch (route.at) {
    case 'mail': {
      const { mailboxId, messageId, tab, part, attached, query } = route;
      const asked = search({
        ...{ q: query, part: tab === 'parts' ? (part ?? '') : '' },
        attached: messageId === null ? '' : (attached ?? ''),
      });
      if (mailboxId === null) return `/${asked}`;
      return `${path('mail', mailboxId, messageId, messageId === null ? null : tab)}${asked}`;
    }
    case 'message':
      return path('messages', route.messageId, route.tab) + search({ attached: route.attached ?? '' });
    case 'compare': {
      const { leftId, rightId, tab } = route;
      return path('compare', leftId, rightId, leftId === null ? null : tab);
    }
    case 'webhooks': {
      const { webhookId, requestId, tab, as, form } = route;
      const shown = path('webhooks', webhookId, webhookId && requestId, webhookId && requestId && tab);
      return shown + search({ as: as ?? '', form: form ?? '' });
    }
    case 'timeline':
      return (
        path('timeline') +
        search({ mailbox: route.mailboxId ?? '', kinds: route.kinds.join(','), hours: `${route.hours ?? ''}` })
      );
    case 'outbound':
      return path('outbound', route.part === 'sends' && route.id === null ? null : route.part, route.id);
    case 'authenticators':
      return path('authenticators') + search({ form: route.form ?? '' });
    case 'waiting':
      return path(route.at);
    case 'runs':
      return path('runs', route.runId, route.runId && route.testId);
    case 'tools':
      return path('tools', route.tool === 'use' ? null : route.tool);
    case 'why': {
      const { mailboxId, subject, from, to, body, query, minutes } = route;
      return path('why', mailboxId) + search({ subject, from, to, body, query, minutes: `${minutes ?? ''}` });
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
        part: second !== null && third === 'parts' ? partNumber(asked.get('part')) : null,
        attached: second === null ? null : attachmentId(asked.get('attached')),
        query: first === null ? '' : (asked.get('q') ?? ''),
      };
    case 'messages':
      if (first === null) return HOME;
      return {
        ...{ at: 'message', messageId: first, tab: oneOf(MESSAGE_TABS, second) },
        attached: attachmentId(asked.get('attached')),
      };
    case 'compare':
      if (first === null) return HOME;
      if (second === null) return { at, leftId: null, rightId: first, tab: null };
      return { at, leftId: first, rightId: second, tab: oneOf(COMPARE_TABS, third) };
    case 'webhooks':
      return {
        at,
        webhookId: first,
        requestId: second,
        tab: second === null ? null : oneOf(REQUEST_TABS, third),
        as: second === null ? null : oneOf(BODY_FORMS, asked.get('as')),
        form: oneOf(first === null ? (['new'] as const) : WEBHOOK_FORMS, asked.get('form')),
      };
    case 'timeline':
      return {
        at,
        mailboxId: asked.get('mailbox') || null,
        kinds: (asked.get('kinds') ?? '').split(',').filter((kind) => kind !== ''),
        hours: wholeOf(asked.get('hours')),
      };
    case 'outbound':
      return { at, part: oneOf(OUTBOUND_PARTS, first) ?? 'sends', id: second };
    case 'authenticators':
      return { at, form: oneOf(['new'] as const, asked.get('form')) };
    case 'waiting':
      return { at };
    case 'runs':
      return { at, runId: first, testId: second };
    case 'tools':
      return { at, tool: oneOf(TOOL_PAGES, first) ?? 'use' };
    case 'why':
      if (first === null) return HOME;
      return {
        at,
        mailboxId: first,
        subject: asked.get('subject') ?? '',
        from: asked.get('from') ?? '',
        to: asked.get('to') ?? '',
        body: asked.get('body') ?? '',
        query: asked.get('query') ?? '',
        minutes: wholeOf(asked.get('minutes')),
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

/** Returns the number of a MIME part as in IMAP, or null. */
function partNumber(text: string | null): string | null {
  return text !== null && /^(mail|\d{1,4}(\.\d{1,4}){0,30})$/.test(text) ? text : null;
}

/** Returns the id of an attachment of a message, or of a mail attached to it, or null. */
function attachmentId(text: string | null): string | null {
  return text !== null && /^[0-9a-z]{1,26}(\.\d{1,5}){0,20}$/i.test(text) ? text : null;
}

/** Returns a whole number from 1 on, or null. */
function wholeOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
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

import { readPicture, renderMessage, renderWhole } from '../../actions/render-message.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import { writeTime } from '../../domain/time.ts';
import { DARK_MODES } from '../../extract/dark-mode.ts';
import { type AllowedHosts, REMOTE_KINDS } from '../../extract/remote-hosts.ts';
import type { View } from '../../ports/server.ts';
import { momentNow, realTime } from '../../ports/system.ts';
import type { AnswerOf } from '../answers.ts';
import { Download, type Exchange, HARMLESS } from '../exchange.ts';
import { type Anyone, anyMessage, flag, localRoute, oneOf, type Resolver } from '../route.ts';
import { ViewRequest, ViewResponse } from './messages.ts';

// This module implements docs/security.md: a mail as its reader sees it. It is shown in a frame of our page. The policy
// below restricts it, because it is foreign content.

const LIFETIME_MS = 15 * 60_000;
const MAX_HOSTS = 100;
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?$/;

interface Viewed {
  readonly view: View;
  readonly message: Message;
}

const viewOfToken: Resolver<Anyone, Viewed> = async ({ ctx, reader, params }) => {
  const view = await ctx.views.get(params['token'] ?? '', realTime(ctx.clock));
  const message = view === null ? null : await reader.messages.get(view.messageId, momentNow(ctx.clock));
  if (view === null || message === null) throw refuse('not_found');
  return { view, message };
};

const dark = oneOf(DARK_MODES, null, 'invalid_dark', 'The mail program whose colours in the dark are simulated');

const inert = flag('invalid_inert', '1: style as data-style, for a page that draws the mail itself');
const head = flag('invalid_head', '1: the page begins with the head of the mail, to be printed');

export const views = [
  localRoute('POST', '/_mailcap/messages/:id/view', {
    id: 'openView',
    summary: 'Get a URL that shows a message for some minutes',
    description:
      'The URL is for a frame. It needs no token, and the mail can run no script and load nothing. remote lists the hosts that the mail would load from; allow permits single hosts.',
    example: { allow: { images: ['cdn.shop.example'] } },
    resolve: anyMessage,
    body: ViewRequest,
    bodyIsOptional: true,
    returns: { 201: ViewResponse },
    fails: ['invalid_allow'],
    handle: ({ ctx, found, body }) => openView(ctx, found, body.allow),
  }),

  localRoute('POST', '/_mailcap/messages/:id/attachments/:attachmentId/message/view', {
    id: 'openAttachedView',
    summary: 'Get a URL that shows an attached mail for some minutes',
    description: 'Like the view of a message. An attachment that is no mail answers 404.',
    example: { allow: { images: ['cdn.shop.example'] } },
    resolve: anyMessage,
    body: ViewRequest,
    bodyIsOptional: true,
    returns: { 201: ViewResponse },
    fails: ['invalid_allow'],
    handle: ({ ctx, found, body, exchange }) => openView(ctx, found, body.allow, exchange.params['attachmentId'] ?? ''),
  }),

  localRoute('GET', '/_mailcap/messages/:id/view', {
    id: 'viewMessage',
    summary: 'Get a message as its reader sees it, as one page',
    gives: { type: 'text/html' },
    resolve: anyMessage,
    returns: { 200: 'page' },
    handle: async ({ ctx, found }) => wholePage(ctx, found),
  }),

  localRoute('GET', '/_mailcap/view/:token/', {
    id: 'getView',
    summary: 'Show the message of a view',
    gives: { type: 'text/html' },
    isOpen: true,
    resolve: viewOfToken,
    query: { dark, inert, head },
    returns: { 200: 'page' },
    handle: async ({ ctx, found: { view, message }, query, exchange }) => {
      const { allowed, attachedId } = view;
      const { html } = await renderMessage(ctx, message, {
        ...{ allowed, attachedId, addressOf: partAddress },
        look: { dark: query.dark, isInert: query.inert },
        hasHead: query.head,
      });
      return mailPage(html, { allowed: view.allowed, parts: ownAddress(exchange) });
    },
  }),

  localRoute('GET', '/_mailcap/view/:token/parts/:attachmentId', {
    id: 'getViewPart',
    summary: 'Get an embedded picture of the message of a view',
    gives: { type: 'image/*' },
    isOpen: true,
    resolve: viewOfToken,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found: { view, message }, exchange }) => {
      const id = exchange.params['attachmentId'] ?? '';
      // The view of an attached mail gives nothing of the mail around it.
      if (view.attachedId !== undefined && !id.startsWith(`${view.attachedId}.`)) throw refuse('not_found');
      const { contentType, content } = await readPicture(ctx, message, id);
      const headers = { ...HARMLESS, ...PRIVATE, 'Content-Type': contentType.toLowerCase() };
      return Download.of(content, headers);
    },
  }),
];

/** Opens a view of a message, or of a mail that is attached to it. */
async function openView(
  ctx: Context,
  message: Message,
  allow: unknown,
  attachedId?: string,
): Promise<AnswerOf<typeof ViewResponse>> {
  const allowed = requireHosts(allow);
  const { remote } = await renderMessage(ctx, message, { allowed, attachedId, addressOf: partAddress });
  const expiresAt = realTime(ctx.clock) + LIFETIME_MS;
  const token = await ctx.views.open({
    ...{ messageId: message.id, allowed, expiresAt },
    ...(attachedId !== undefined && { attachedId }),
  });
  return {
    url: `/_mailcap/view/${token}/`,
    expiresAt: writeTime(expiresAt),
    remote: remote.map(({ host, kinds }) => {
      return { host, kinds, allowed: kinds.filter((kind) => allowed[kind]?.includes(host)) };
    }),
  };
}

/** Returns the URL of a part relative to the view, so that it works behind a proxy path. */
function partAddress(attachmentId: string): string {
  return `parts/${attachmentId}`;
}

const PRIVATE = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-DNS-Prefetch-Control': 'off',
} as const;

/** The CSP directive of each kind of resource, in the order of the policy. */
const DIRECTIVES = { images: 'img-src', styles: 'style-src', fonts: 'font-src', media: 'media-src' } as const;

/** Answers with a mail as one page, which loads nothing. */
export async function wholePage(ctx: Context, message: Message): Promise<Download> {
  return mailPage((await renderWhole(ctx, message)).html, { allowed: {}, parts: '' });
}

/**
 * Answers with a rendered mail. The policy prevents the content of the sender from running scripts and loading
 * resources.
 */
function mailPage(html: Uint8Array, { allowed, parts }: { allowed: AllowedHosts; parts: string }): Download {
  const own = { images: ['data:', parts], styles: ["'unsafe-inline'"], fonts: [], media: [] };
  const loading = REMOTE_KINDS.map((kind) => {
    // In a CSP, an http source also allows https.
    const hosts = (allowed[kind] ?? []).map((host) => `http://${host}`);
    const sources = [...own[kind], ...hosts].filter((source) => source !== '');
    return sources.length === 0 ? '' : `${DIRECTIVES[kind]} ${sources.join(' ')}; `;
  });
  const policy =
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; " +
    `${loading.join('')}form-action 'none'; base-uri 'none'; frame-ancestors 'self'`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    ...PRIVATE,
  };
  return Download.of(html, headers);
}

/** Returns the view's own URL for a policy, because `'self'` matches nothing in a sandbox without an origin. */
function ownAddress({ req, path }: Exchange): string {
  const host = req.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}${path}` : '';
}

function requireHosts(given: unknown): AllowedHosts {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw refuse('invalid_allow');
  const byKind = Object.entries(given).filter(([, hosts]) => hosts !== undefined && hosts !== null);
  return Object.fromEntries(
    byKind.map(([kind, hosts]) => {
      if (!REMOTE_KINDS.some((known) => known === kind) || !Array.isArray(hosts) || hosts.length > MAX_HOSTS)
        throw refuse('invalid_allow');
      return [kind, hosts.map(requireHost)];
    }),
  );
}

function requireHost(given: unknown): string {
  const host = typeof given === 'string' ? given.toLowerCase() : '';
  if (!HOST.test(host)) throw refuse('invalid_allow');
  return host;
}

import { createHmac } from 'node:crypto';
import { type Glob, matchesGlob, parseGlob } from '../../domain/glob.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { isUrl } from '../../text/url.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall, DoorField, DoorRoute, OutgoingEvent } from '../door.ts';
import { writtenForm } from '../inbound/form.ts';
import { type InboundMail, withoutQuote } from '../inbound/mail.ts';
import { getRule, keyOfRule, ownRules, putRule, removeRule } from '../inbound/rules.ts';
import { refuseSaying } from './errors.ts';
import { formOf, httpSigningKey } from './mail.ts';

// Mailgun's routes: mail that an expression matches comes to the app as a form.
// https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store

/** Tries again for eight hours: after 10, 10 and 15 minutes, then 30 minutes, 1, 2 and 4 hours. */
const DELAYS = [600, 600, 900, 1_800, 3_600, 7_200, 14_400];

/** The routes that take mail for a recipient: in the order of their priority, up to one that stops. */
export function mailgunRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  const found: ProviderRecord[] = [];
  const inOrder = [...rules].sort((one, other) => Number(one.data['priority']) - Number(other.data['priority']));
  for (const rule of inOrder) {
    const expression = String(rule.data['expression']);
    const isFallback = /^catch_all\(\)$/.test(expression);
    if (isFallback ? found.length > 0 : !matches(expression, recipient)) continue;
    if (forwardIn(rule) !== null) found.push(rule);
    if (actionsOf(rule).includes('stop()')) break;
  }
  return found;
}

/**
 * Reads `match_recipient("pattern")` as a glob. The pattern is a regular expression in Mailgun, of which mailcap knows
 * texts, `.*` and groups of it: an expression of any form could hold the server.
 */
function globIn(expression: string): Glob | null {
  const [, given] = /^match_recipient\(\s*["'](.{1,300})["']\s*\)$/.exec(expression) ?? [];
  if (given === undefined) return null;
  const glob = given
    .replace(/^\^|\$$/g, '')
    .replace(/\((?:\?P?<\w{1,40}>)?\.[*+]\??\)|\.[*+]\??/g, '*')
    .replace(/\\([.+@-])/g, (_all, text: string) => (text === '+' ? '\u0000' : text));
  return /[[\](){}|?+^$\\]/.test(glob) ? null : parseGlob(glob.replaceAll('\u0000', '+').toLowerCase());
}

function matches(expression: string, recipient: string): boolean {
  const glob = globIn(expression);
  return glob !== null && matchesGlob(glob, recipient.toLowerCase());
}

function actionsOf({ data }: ProviderRecord): readonly string[] {
  return data['actions'] as readonly string[]; // `routeIn` alone writes them
}

function forwardIn(rule: ProviderRecord): string | null {
  return (
    actionsOf(rule)
      .map(urlIn)
      .find((url) => url !== null) ?? null
  );
}

/** Reads `forward("https://…")`. Null for another action, also one that forwards to an address. */
function urlIn(action: string): string | null {
  return /^forward\(\s{0,9}["'](https?:\/\/[^"']{1,2000})["']\s{0,9}\)$/.exec(action)?.[1] ?? null;
}

/** Writes a mail as a route posts it: signed, and as the bytes of the mail if the URL ends in `mime`. */
export async function mailgunInbound(mail: InboundMail, rule: ProviderRecord, now: number): Promise<OutgoingEvent> {
  const { parsed, headers, files, raw, from, to, message } = mail;
  const url = forwardIn(rule) ?? '';
  const isMime = /mime$/.test(new URL(url).pathname);
  const timestamp = String(Math.floor(now / 1_000));
  const token = createHmac('sha256', message.id).update(`${rule.id} ${now}`).digest('hex').slice(0, 50);
  const key = String(rule.data['signingKey']);
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  const text = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);
  const named = files.map((file, at) => ({ ...file, field: `attachment-${at + 1}` }));
  const inline = named.filter(({ contentId }) => contentId !== null);
  const plain = parsed.textBody;
  const parts: DoorField[] = isMime
    ? text('body-mime', raw.toString('utf8'))
    : [
        ...text('body-plain', plain),
        ...text('stripped-text', plain === null ? null : withoutQuote(plain)),
        ...text('body-html', parsed.htmlBody),
        ...text('stripped-html', parsed.htmlBody),
        ...(files.length === 0 ? [] : text('attachment-count', String(files.length))),
        ...(inline.length === 0
          ? []
          : text(
              'content-id-map',
              JSON.stringify(Object.fromEntries(inline.map((one) => [`<${one.contentId}>`, one.field]))),
            )),
        ...named.map(({ field, ...file }) => ({ name: field, value: '', file })),
      ];
  const own = new Set(['recipient', 'sender', 'from', 'subject']);
  const fields: DoorField[] = [
    ...text('recipient', to.join(', ')),
    ...text('sender', from),
    ...text('subject', parsed.subject ?? ''),
    ...text('from', parsed.from),
    ...headers.filter(([name]) => !own.has(name.toLowerCase())).map(([name, value]) => ({ name, value })),
    ...text('message-headers', JSON.stringify(headers)),
    ...text('timestamp', timestamp),
    ...text('token', token),
    ...text('signature', signature),
    ...parts,
  ];
  const { type, body } = await writtenForm(fields, files.length > 0 && !isMime);
  const sent = [['Content-Type', type] as const, ['User-Agent', 'mailgun/treq-21.5.0'] as const];
  return { url, body, scheme: 'none', secret: null, headers: sent, delays: DELAYS };
}

function routeIn(call: DoorCall, before: ProviderRecord['data']): ProviderRecord['data'] {
  const form = formOf(call);
  const expression = (form.one('expression') ?? String(before['expression'] ?? '')).trim();
  const given = form.all('action').map((action) => action.trim());
  const actions = given.length > 0 ? given : (before['actions'] ?? []);
  const isKnown = (action: string) => action === 'stop()' || /^(?:forward|store)\(.*\)$/.test(action);
  if (!Array.isArray(actions) || actions.length === 0 || actions.length > 10 || !actions.every(isKnown))
    throw refuseSaying('An action is forward("https://…"), store() or stop().');
  const urls = actions.flatMap((action: string) => (action.startsWith('forward') ? [urlIn(action) ?? ''] : []));
  if (!urls.every((url) => isUrl(url))) throw refuseSaying('The URL of forward() is not valid.');
  if (expression !== 'catch_all()' && globIn(expression) === null)
    throw refuseSaying(
      'mailcap knows the expressions catch_all() and match_recipient("…") with texts and .* in its pattern.',
    );
  const priority = Number(form.one('priority') ?? before['priority'] ?? 0);
  if (!Number.isSafeInteger(priority)) throw refuseSaying('The priority must be a whole number.');
  const description = (form.one('description') ?? String(before['description'] ?? '')).slice(0, 1_000);
  return { priority, description, expression, actions, signingKey: httpSigningKey(call) };
}

function shown(rule: ProviderRecord) {
  const { signingKey: _secret, ...route } = rule.data;
  return { id: keyOfRule(rule), created_at: new Date(rule.createdAt).toUTCString(), ...route };
}

async function found(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const rule = await getRule(call, reader, (call.params['id'] ?? '').toLowerCase());
  if (rule === null) throw refuseSaying('Route not found', 404);
  return rule;
}

/** The routes for inbound mail. */
export const inboundRoutes: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/routes',
    handle: async (call) => {
      const data = routeIn(call, {});
      return call.once(async (tx) => {
        const route = shown(await putRule(call, tx, newUlid(call).toLowerCase(), data));
        return { status: 200, body: { message: 'Route has been created', route } };
      });
    },
  },
  {
    method: 'GET',
    path: '/v3/routes',
    handle: async (call) => {
      const items = (await ownRules(call, await call.ctx.store.readNow())).map(shown);
      return { status: 200, body: { total_count: items.length, items } };
    },
  },
  {
    method: 'GET',
    path: '/v3/routes/:id',
    handle: async (call) => ({
      status: 200,
      body: { route: shown(await found(call, await call.ctx.store.readNow())) },
    }),
  },
  {
    method: 'PUT',
    path: '/v3/routes/:id',
    handle: async (call) =>
      call.once(async (tx) => {
        const rule = await found(call, tx);
        const route = shown(await putRule(call, tx, keyOfRule(rule), routeIn(call, rule.data)));
        return { status: 200, body: { message: 'Route has been updated', ...route } };
      }),
  },
  {
    method: 'DELETE',
    path: '/v3/routes/:id',
    handle: async (call) =>
      call.once(async (tx) => {
        const rule = await found(call, tx);
        await removeRule(call, tx, keyOfRule(rule));
        return { status: 200, body: { message: 'Route has been deleted', id: keyOfRule(rule) } };
      }),
  },
];

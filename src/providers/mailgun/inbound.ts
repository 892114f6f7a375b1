import { setImmediate } from 'node:timers/promises';
import { type Glob, matchesGlob, parseGlob } from '../../domain/glob.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { isUrl } from '../../text/url.ts';
import { newUlid } from '../calls.ts';
import type { DoorCall, OutgoingEvent } from '../door.ts';
import { type FormPart, fileFields, writtenForm } from '../inbound/form.ts';
import type { InboundMail } from '../inbound/mail.ts';
import { dividedAtSignature, withoutQuote, withoutQuotedHtml } from '../inbound/reply.ts';
import type { Resource } from '../resources.ts';
import { okAnswer } from '../routes.ts';
import { refuseSaying } from './errors.ts';
import { signatureOf } from './events.ts';
import { Form, httpSigningKey } from './form.ts';

// Mailgun's routes: mail that an expression matches comes to the app as a form.
// https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store

/** Tries again for eight hours: after 10, 10 and 15 minutes, then 30 minutes, 1, 2 and 4 hours. */
const DELAYS = [600, 600, 900, 1_800, 3_600, 7_200, 14_400];
/** The characters of HTML of which a text is made for a mail that has none. */
const LONGEST_HTML = 64 * 1024;

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
  const urls = actionsOf(rule).map(urlIn);
  return urls.find((url) => url !== null) ?? null;
}

/** Reads `forward("https://…")`. Null for another action, also one that forwards to an address. */
function urlIn(action: string): string | null {
  return /^forward\(\s{0,9}["'](https?:\/\/[^"']{1,2000})["']\s{0,9}\)$/.exec(action)?.[1] ?? null;
}

/** Writes a mail as a route posts it: signed, and as the bytes of the mail if the URL ends in `mime`. */
export async function mailgunInbound(mail: InboundMail, rule: ProviderRecord, now: number): Promise<OutgoingEvent> {
  const { parsed, files, raw, from, to, message } = mail;
  const url = forwardIn(rule) ?? '';
  const isMime = /mime$/.test(new URL(url).pathname);
  const headers = [
    ['X-Mailgun-Incoming', 'Yes'] as const,
    ['X-Envelope-From', `<${from}>`] as const,
    ...mail.headers.map(([name, value]) => [inTitleCase(name), value] as const),
  ];
  const parts: FormPart[] = [
    ['recipient', to.join(', ')],
    ['sender', from],
    ['subject', parsed.subject ?? ''],
    ['from', parsed.from],
    ...headers,
    ['message-headers', JSON.stringify(headers)],
    ...Object.entries(signatureOf(String(rule.data['signingKey']), `${message.id} ${rule.id}`, now)),
    ...(isMime ? [['body-mime', raw] as const] : await contentOf(mail)),
  ];
  await setImmediate();
  const { type, body } = writtenForm(parts, files.length > 0 && !isMime);
  const sent = [['Content-Type', type] as const, ['User-Agent', 'mailgun/treq-21.5.0'] as const];
  // Mailgun takes 406 for a refusal, and tries again after any other.
  return { url, body, headers: sent, delays: DELAYS, ends: [406, 406] };
}

/** Writes the name of a header field as Mailgun does: `Message-Id`, `Mime-Version`. */
function inTitleCase(name: string): string {
  return name.toLowerCase().replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
}

async function contentOf({ parsed, files }: InboundMail): Promise<FormPart[]> {
  const { textBody, htmlBody } = parsed;
  const text = textBody ?? (htmlBody === null ? '' : await textOfHtml(htmlBody));
  const { said, signature } = dividedAtSignature(withoutQuote(text));
  // Each step may take a tenth of a second for 10 MB.
  await setImmediate();
  const { named, shown } = fileFields(files, 'attachment-');
  const places = Object.fromEntries(shown.map(([contentId, field]) => [`<${contentId}>`, field]));
  return [
    ['body-plain', text],
    ['stripped-text', said],
    ['stripped-signature', signature],
    ['body-html', htmlBody],
    ['stripped-html', htmlBody === null ? null : withoutQuotedHtml(htmlBody)],
    ['attachment-count', files.length === 0 ? null : String(files.length)],
    ['content-id-map', shown.length === 0 ? null : JSON.stringify(places)],
    ...named,
  ];
}

/** Makes the text of a mail that has only HTML, as Mailgun makes one. */
async function textOfHtml(html: string): Promise<string> {
  const { readableText } = await import('../../extract/readable-text.ts');
  return readableText(html.slice(0, LONGEST_HTML), () => null).text;
}

function routeIn(call: DoorCall, before: ProviderRecord['data']): ProviderRecord['data'] {
  const form = new Form(call);
  const expression = (form.one('expression') ?? String(before['expression'] ?? '')).trim();
  const given = form.all('action').map((action) => action.trim());
  const actions = given.length > 0 ? given : (before['actions'] ?? []);
  const isKnown = (action: string) => action === 'stop()' || /^(?:forward|store)\(.*\)$/.test(action);
  if (!Array.isArray(actions) || actions.length === 0 || actions.length > 10 || !actions.every(isKnown))
    throw refuseSaying('An action is forward("https://…"), store() or stop().');
  const urls = actions.flatMap((action: string) => (action.startsWith('forward') ? [urlIn(action) ?? ''] : []));
  if (!urls.every((url) => isUrl(url))) throw refuseSaying('The URL of forward() is not valid.');
  if (urls.length > 1) throw refuseSaying('mailcap forwards a route to one URL: make a route for each.');
  if (expression !== 'catch_all()' && globIn(expression) === null)
    throw refuseSaying(
      'mailcap knows the expressions catch_all() and match_recipient("…") with texts and .* in its pattern.',
    );
  const priority = Number(form.one('priority') ?? before['priority'] ?? 0);
  if (!Number.isSafeInteger(priority)) throw refuseSaying('The priority must be a whole number.');
  const description = (form.one('description') ?? String(before['description'] ?? '')).slice(0, 1_000);
  return { priority, description, expression, actions, signingKey: httpSigningKey(call) };
}

export const routes: Resource = {
  kind: 'rules',
  path: '/v3/routes',
  changesBy: 'PUT',
  keys: (call) => newUlid(call).toLowerCase(),
  notFound: () => refuseSaying('Route not found', 404),
  read: (call, before) => routeIn(call, before?.data ?? {}),
  show: (rule) => {
    const { signingKey: _secret, ...route } = rule.data;
    return { id: keyOfRecord(rule), created_at: new Date(rule.createdAt).toUTCString(), ...route };
  },
  list: (items) => ({ total_count: items.length, items }),
  answers: {
    created: (rule, call) => okAnswer({ message: 'Route has been created', route: routes.show(rule, call) }),
    found: (rule, call) => okAnswer({ route: routes.show(rule, call) }),
    changed: (rule, call) => okAnswer({ message: 'Route has been updated', ...routes.show(rule, call) }),
    removed: (rule) => okAnswer({ message: 'Route has been deleted', id: keyOfRecord(rule) }),
  },
};

import { domainIn, isHostName, normalDomain } from '../../domain/address.ts';
import type { ListedAddress } from '../../domain/address-list.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { addTo } from '../../text/maps.ts';
import type { BodyFields } from '../body-fields.ts';
import { idOfText, newHexId, newSecret } from '../calls.ts';
import type { DoorCall, OutgoingEvent } from '../door.ts';
import { fieldsIn, type InboundMail, inboundHeader, peopleOf } from '../inbound/mail.ts';
import { isoTime, storedAt } from '../parts.ts';
import type { Resource } from '../resources.ts';
import { mailersendBody, mailersendNotFound, refuseMailersend } from './errors.ts';

// MailerSend's inbound routes: mail for a domain, or for the address of the route, comes to the app as signed JSON.
// https://www.mailersend.com/help/inbound-route

const INBOUND_HOST = 'inbound.mailersend.net';

/** The comparisons of a filter of recipients, which looks at the part before the @. */
interface CatchFilter {
  readonly comparer: string;
  readonly value: string;
}

const COMPARE: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  equal: (text, value) => text === value,
  'not-equal': (text, value) => text !== value,
  contains: (text, value) => text.includes(value),
  'not-contains': (text, value) => !text.includes(value),
  'starts-with': (text, value) => text.startsWith(value),
  'not-starts-with': (text, value) => !text.startsWith(value),
  'ends-with': (text, value) => text.endsWith(value),
  'not-ends-with': (text, value) => !text.endsWith(value),
};

/** The routes that take mail for a recipient. */
export function mailersendRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  const address = recipient.toLowerCase();
  return rules.filter((rule) => {
    const { domain, isDomainOn, filters, catchType } = rule.data as unknown as RouteData;
    if (address === addressOfRoute(rule)) return true;
    if (!isDomainOn || domainIn(address) !== domain) return false;
    const matches = ({ comparer, value }: CatchFilter) =>
      COMPARE[comparer]?.(address.slice(0, address.lastIndexOf('@')), value.toLowerCase()) === true;
    return filters.length === 0 || (catchType === 'one' ? filters.some(matches) : filters.every(matches));
  });
}

interface RouteData {
  readonly name: string;
  readonly domain_id: string;
  readonly domain: string;
  readonly isDomainOn: boolean;
  readonly priority: number;
  readonly filters: readonly CatchFilter[];
  readonly catchType: 'all' | 'one';
  readonly url: string;
  readonly secret: string;
}

function addressOfRoute(rule: ProviderRecord): string {
  return `${keyOfRecord(rule)}@${INBOUND_HOST}`;
}

/** Writes a mail as a route posts it. */
export async function mailersendInbound(mail: InboundMail, rule: ProviderRecord, now: number): Promise<OutgoingEvent> {
  const { parsed, headerText, files, raw, from, to, message } = mail;
  const { url, secret } = rule.data as unknown as RouteData;
  const person = ({ address, name }: ListedAddress) => ({ email: address, ...(name !== null && { name }) });
  const listed = (text: string | null) => ({ raw: text ?? '', data: peopleOf(text).map(person) });
  const [sender] = peopleOf(parsed.from);
  const values = new Map<string, string[]>();
  for (const [name, value] of fieldsIn(headerText)) addTo(values, name, value);
  const data = {
    ...{ object: 'message', id: idOfText(message.id, 24) },
    recipients: {
      rcptTo: to.map((email) => ({ email })),
      to: listed(parsed.to),
      ...(parsed.cc !== null && { cc: listed(parsed.cc) }),
    },
    from: { email: sender?.address ?? from, name: sender?.name ?? '', raw: parsed.from ?? '' },
    ...{ sender: { email: from }, subject: parsed.subject ?? '', date: inboundHeader(mail, 'date') ?? '' },
    // The header fields stand as they came. One that is there more than once is a list.
    headers: Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all])),
    ...{ text: parsed.textBody ?? '', html: parsed.htmlBody ?? '', raw: raw.toString('utf8') },
    attachments: files.map(({ name, type, content, contentId }) => ({
      ...{ file_name: name, content_type: type, size: content.length, content: content.toString('base64') },
      content_disposition: contentId === null ? 'attachment' : 'inline',
      ...(contentId !== null && { content_id: contentId }),
    })),
    ...{ spf_check: { code: '?', value: null }, dkim_check: false, created_at: isoTime(message.receivedAt) },
  };
  const body = { type: 'inbound.message', inbound_id: keyOfRecord(rule), url, created_at: isoTime(now), data };
  return {
    ...{ url, body: JSON.stringify(body), scheme: { header: 'Signature' }, secret },
    headers: [['User-Agent', 'MailerSend Webhook']],
  };
}

function routeIn(call: DoorCall, before: ProviderRecord | null): Readonly<Record<string, unknown>> {
  const was = before?.data as RouteData | undefined;
  const given = mailersendBody(call);
  const isDomainOn =
    given.raw('domain_enabled') === true || (given.lacks('domain_enabled') && was?.isDomainOn === true);
  const domain = normalDomain(given.text('inbound_domain') ?? was?.domain ?? '');
  if (isDomainOn && (domain === null || !isHostName(domain))) throw given.refuse('inbound_domain', 'missing');
  const catchType = given.text('catch_type') ?? was?.catchType ?? 'all';
  if (catchType !== 'all' && catchType !== 'one')
    throw refuseMailersend('catch_type', 'The catch type must be all or one.');
  if ((given.checked('match_filter').text('type') ?? 'match_all') !== 'match_all')
    throw refuseMailersend('match_filter.type', 'mailcap knows the match filter match_all alone.');
  const priority = Number(given.raw('inbound_priority') ?? was?.priority ?? 0);
  if (!Number.isSafeInteger(priority) || priority < 0 || priority > 100)
    throw refuseMailersend('inbound_priority', 'The inbound priority must be between 0 and 100.');
  return {
    ...{ name: given.line('name', 191) ?? was?.name ?? '', domain: domain ?? '', isDomainOn, priority },
    domain_id: given.line('domain_id', 100) ?? was?.domain_id ?? '',
    catchType,
    filters: given.lacks('catch_filter') ? (was?.filters ?? []) : filtersIn(given),
    url: given.lacks('forwards') && was !== undefined ? was.url : forwardIn(given),
    secret: was?.secret ?? newSecret(call, 16),
  };
}

function filtersIn(given: BodyFields): CatchFilter[] {
  const filter = given.checked('catch_filter');
  const type = filter.text('type');
  if (type === 'catch_all') return [];
  if (type !== 'catch_recipient')
    throw refuseMailersend('catch_filter.type', 'The catch filter must be catch_all or catch_recipient.');
  const filters = filter.objects('filters', 5).map((one) => {
    const [comparer, value] = [one.requiredLine('comparer', 20), one.requiredLine('value', 191)];
    if (!Object.hasOwn(COMPARE, comparer)) throw refuseMailersend('catch_filter.filters', 'The comparer is invalid.');
    return { comparer, value };
  });
  if (filters.length === 0) throw filter.refuse('filters', 'missing');
  return filters;
}

/** Reads the one webhook that the mail goes to. */
function forwardIn(given: BodyFields): string {
  const [forward, ...others] = given.objects('forwards', 5);
  if (forward === undefined) throw given.refuse('forwards', 'missing');
  if (others.length > 0 || forward.text('type') !== 'webhook')
    throw refuseMailersend('forwards', 'mailcap forwards a route to one webhook.');
  return forward.url('value');
}

function shownRoute(rule: ProviderRecord) {
  const { name, domain, isDomainOn, priority, filters, url, secret } = rule.data as unknown as RouteData;
  const id = keyOfRecord(rule);
  const catches = filters.length === 0 ? [{ type: 'catch_all' }] : [{ type: 'catch_recipient', filters }];
  return {
    ...{ id, name, address: addressOfRoute(rule), domain: isDomainOn ? domain : null },
    ...{ dns_checked_at: storedAt(rule), enabled: true, filters: [...catches, { type: 'match_all' }] },
    forwards: [{ id: idOfText(id, 24), type: 'webhook', value: url, secret }],
    ...{ priority, mxValues: { priority, target: INBOUND_HOST } },
  };
}

export const inboundRoutes: Resource = {
  kind: 'rules',
  path: '/v1/inbound',
  changesBy: 'PUT',
  keys: newHexId,
  notFound: mailersendNotFound,
  read: routeIn,
  show: shownRoute,
  one: (data) => ({ data }),
  list: (data) => ({ data }),
};

import { domainIn } from '../../domain/address.ts';
import type { ListedAddress } from '../../domain/address-list.ts';
import { type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import type { DoorCall, DoorRoute, OutgoingEvent } from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { type InboundMail, inboundHeader, peopleOf } from '../inbound/mail.ts';
import { withoutQuote } from '../inbound/reply.ts';
import { getRecord, putRecord, removeRecord } from '../records.ts';
import { changeRoute, getRoute } from '../routes.ts';
import { postmarkBody, refuseWith } from './errors.ts';
import { DELAYS, REFUSED } from './events.ts';

// Postmark's inbound stream: the server has one hook, and mail for its addresses comes to it as JSON.
// https://postmarkapp.com/developer/webhooks/inbound-webhook

/** The header fields that stand by themselves. */
const OWN: ReadonlySet<string> = new Set([
  ...['return-path', 'from', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date'],
  ...['content-type', 'content-transfer-encoding'],
]);
/** Postmark scans each mail. */
const NO_SPAM = [['X-Spam-Status', 'No'] as const, ['X-Spam-Score', '0'] as const, ['X-Spam-Tests', ''] as const];
const KEY = 'server';

/** The rule, if mail for a recipient is inbound: for the domain of the server, or Postmark's own. */
export function postmarkRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  const domain = domainIn(recipient).toLowerCase();
  return rules.filter(({ data }) => domain === 'inbound.postmarkapp.com' || domain === data['InboundDomain']);
}

/** Writes a mail as Postmark posts it. */
export async function postmarkInbound(mail: InboundMail, { data }: ProviderRecord): Promise<OutgoingEvent> {
  const { parsed, headers, files, raw, to, message } = mail;
  const full = ({ address, name }: ListedAddress) => ({
    ...{ Email: address, Name: name ?? '', MailboxHash: hashOf(address) },
  });
  const people = (text: string | null) => peopleOf(text).map(full);
  const [sender] = people(parsed.from);
  const [OriginalRecipient = ''] = to;
  const body = {
    FromName: sender?.Name ?? '',
    MessageStream: 'inbound',
    From: sender?.Email ?? mail.from,
    FromFull: sender ?? { Email: mail.from, Name: '', MailboxHash: '' },
    ...{ To: parsed.to ?? '', ToFull: people(parsed.to), Cc: parsed.cc ?? '', CcFull: people(parsed.cc) },
    ...{ Bcc: parsed.bcc ?? '', BccFull: people(parsed.bcc), OriginalRecipient, Subject: parsed.subject ?? '' },
    MessageID: uuid7Of(message.id),
    ReplyTo: parsed.replyTo ?? '',
    MailboxHash: hashOf(OriginalRecipient),
    Date: inboundHeader(mail, 'date') ?? '',
    ...{ TextBody: parsed.textBody ?? '', HtmlBody: parsed.htmlBody ?? '' },
    StrippedTextReply: replyIn(mail),
    ...(data['RawEmailEnabled'] === true && { RawEmail: raw.toString('utf8') }),
    Tag: inboundHeader(mail, 'x-pm-tag') ?? '',
    // Postmark puts the envelope's sender first, and leaves out the header fields that stand by themselves.
    Headers: [
      ['Return-Path', `<${mail.from}>`] as const,
      ...NO_SPAM,
      ...headers.filter(([name]) => !OWN.has(name.toLowerCase())),
    ].map(([Name, Value]) => ({ Name, Value })),
    Attachments: files.map(({ name, type, content, contentId }) => ({
      ...{ Name: name, Content: content.toString('base64'), ContentType: type, ContentLength: content.length },
      ContentID: contentId ?? '',
    })),
  };
  const url = String(data['InboundHookUrl']);
  const sent = [['User-Agent', 'Postmark'] as const];
  return { url, body: JSON.stringify(body), headers: sent, delays: DELAYS, ends: REFUSED };
}

/** The text of a reply without what it quotes; empty if the mail is no reply. */
function replyIn(mail: InboundMail): string {
  const text = mail.parsed.textBody ?? '';
  const own = withoutQuote(text);
  const isReply =
    own !== text.replace(/\r\n/g, '\n').trim() ||
    ['in-reply-to', 'references'].some((name) => inboundHeader(mail, name) !== null);
  return isReply ? own : '';
}

/** The part of an address after its plus sign, by which apps know what a reply belongs to. */
function hashOf(address: string): string {
  const plus = address.indexOf('+');
  return plus === -1 ? '' : address.slice(plus + 1, address.lastIndexOf('@'));
}

async function shownServer(call: DoorCall, reader: Reader) {
  const rule = await getRecord(call, reader, 'rules', KEY);
  return {
    ...{ ID: 1, Name: 'mailcap', ApiTokens: [], Color: 'green', SmtpApiActivated: true, DeliveryType: 'Live' },
    ...{ InboundAddress: 'mailcap@inbound.postmarkapp.com', InboundHash: 'mailcap', InboundSpamThreshold: 0 },
    ...{ InboundHookUrl: '', InboundDomain: '', RawEmailEnabled: false, ...rule?.data },
  };
}

/** The server, whose settings say where inbound mail goes. */
export const serverRoutes: readonly DoorRoute[] = [
  getRoute('/server', shownServer),
  changeRoute('PUT', '/server', 200, async (call, tx) => {
    const given = postmarkBody(call).over((await getRecord(call, tx, 'rules', KEY))?.data);
    const [url, domain] = [given.text('InboundHookUrl') ?? '', given.text('InboundDomain') ?? ''];
    if (url !== '' && !isWebUrl(url)) throw refuseWith(606, 'The InboundHookUrl is not valid.');
    if (!/^[a-z0-9.-]{0,253}$/i.test(domain)) throw refuseWith(605, 'The InboundDomain is not valid.');
    const settings = { InboundDomain: domain.toLowerCase(), RawEmailEnabled: given.raw('RawEmailEnabled') === true };
    // Without a hook no mail is inbound.
    if (url === '') await removeRecord(call, tx, 'rules', KEY);
    else await putRecord(call, tx, 'rules', KEY, { InboundHookUrl: url, ...settings });
    return shownServer(call, tx);
  }),
];

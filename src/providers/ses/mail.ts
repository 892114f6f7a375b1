import { distinctAddresses, type ListedAddress } from '../../domain/address-list.ts';
import type { MailFile } from '../../domain/provider.ts';
import { awsRegionOf } from '../aws.ts';
import { builtMail, headersNamed } from '../built-mail.ts';
import { newUuid } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { addressIn, customHeaders, isMissing, isSubject, isText } from '../fields.ts';
import { rawProviderMail, readRawMail } from '../raw.ts';
import type { AskedMail } from '../send.ts';
import { badRequest } from './errors.ts';
import type { SesFields } from './events.ts';

// Mails of both versions of the API, checked as SES checks them.

/** The recipients of a mail, at most. */
const MOST_RECIPIENTS = 50;

/** The addresses of a mail, as the app wrote them. */
export interface SesAddresses {
  readonly from: unknown;
  readonly to: readonly unknown[];
  readonly cc: readonly unknown[];
  readonly bcc: readonly unknown[];
  readonly replyTo: readonly unknown[];
  /** The tags of the mail, each a name and a value. */
  readonly tags: readonly (readonly [name: unknown, value: unknown])[];
  /** The configuration set that says where events go. */
  readonly configurationSet: unknown;
}

export interface SesContent {
  readonly subject: unknown;
  readonly text: unknown;
  readonly html: unknown;
  readonly headers: readonly (readonly [string, unknown])[];
  readonly attachments: readonly MailFile[];
}

/** Builds a mail of its parts. Throws a refusal of SES. */
export function sesMail(call: DoorCall, addresses: SesAddresses, content: SesContent): AskedMail {
  const from = senderOf(call, addresses.from);
  const [to, cc, bcc] = [listOf(call, addresses.to), listOf(call, addresses.cc), listOf(call, addresses.bcc)];
  const replyTo = listOf(call, addresses.replyTo);
  checkCount(call, to.length + cc.length + bcc.length);
  const recipients = distinctAddresses([...to, ...cc, ...bcc]);
  const { subject, text, html } = content;
  if (!isText(subject)) throw badRequest(call, 'The subject is missing.');
  if (!isSubject(subject))
    throw badRequest(call, 'The subject holds a line break, or is longer than 2,000 characters.');
  const bodies = { text: isText(text) ? text || null : null, html: isText(html) ? html || null : null };
  if (bodies.text === null && bodies.html === null)
    throw badRequest(call, 'The body of the message has neither Text nor Html.');
  const added = customHeaders(content.headers);
  if ('refused' in added)
    throw badRequest(
      call,
      `The header ${JSON.stringify(added.refused.slice(0, 80))} is not valid, or the mail has it anyway.`,
    );
  const id = idFor(call);
  const messageId = `<${id}@${hostOf(call)}>`;
  const people = [from, replyTo, to, cc].map((list) => written([list].flat()));
  const headers: SesFields['headers'] = [
    ...PEOPLE.flatMap((name, at) => headersNamed(name, people[at] ? [people[at]] : [])),
    ['Subject', subject],
    ['Message-ID', messageId],
    ['MIME-Version', '1.0'],
    ...added.headers,
  ];
  const told = tagHeaders(call, addresses.tags);
  const { attachments } = content;
  return {
    // SES gives each mail a Message-ID of its own.
    mail: builtMail({
      ...{ id, messageId, from, to, cc, bcc, replyTo, subject, ...bodies },
      ...{ added: { ...added, messageId }, told, attachments },
    }),
    fields: { ...eventFields(call, addresses), from: from.address, subject, recipients, headers },
  };
}

const PEOPLE = ['From', 'Reply-To', 'To', 'Cc'] as const;

/** Writes addresses as the header field of an event has them. */
function written(list: readonly ListedAddress[]): string {
  return list.map(({ name, address }) => (name === null ? address : `${name} <${address}>`)).join(', ');
}

/** Returns what events tell of the request of a mail. */
function eventFields(call: DoorCall, { configurationSet, tags }: Pick<SesAddresses, 'configurationSet' | 'tags'>) {
  return {
    region: awsRegionOf(call.headers),
    configurationSet: isText(configurationSet) && configurationSet !== '' ? configurationSet.slice(0, 100) : null,
    tags: tags.map(([name, value]) => [String(name), String(value)] as const),
  };
}

/** Builds a mail of bytes that the app composed. Without addresses those of its header count. Throws a refusal of SES. */
export async function sesRawMail(call: DoorCall, bytes: Buffer | null, addresses: SesAddresses): Promise<AskedMail> {
  const { from, to, cc, bcc } = addresses;
  const raw = bytes === null ? null : readRawMail(bytes);
  if (raw === null) throw badRequest(call, 'Could not parse the raw message: its Data is no mail in base64.');
  const sender = isMissing(from) ? raw.from : senderOf(call, from);
  if (sender === null) throw badRequest(call, "Missing required header 'From'.");
  const named = [...to, ...cc, ...bcc];
  const recipients = named.length > 0 ? distinctAddresses(listOf(call, named)) : raw.recipients;
  checkCount(call, recipients.length);
  const id = idFor(call);
  const messageId = `<${id}@${hostOf(call)}>`;
  const mail = await rawProviderMail(raw, { id, messageId, mailFrom: sender.address, recipients });
  const headers = [...PEOPLE, 'Subject', 'Message-ID', 'MIME-Version'].flatMap((name) => {
    const value = raw.header(name.toLowerCase());
    return value === null ? [] : [[name, value] as const];
  });
  // The header may name the configuration set and tags, where the request does not.
  const tags = [...addresses.tags, ...tagsIn(raw.header('x-ses-message-tags'))];
  const configurationSet = addresses.configurationSet ?? raw.header('x-ses-configuration-set')?.trim();
  const told = eventFields(call, { configurationSet, tags });
  return { mail, fields: { ...told, from: sender.address, subject: raw.subject, recipients, headers } };
}

/** Reads `name=value, name=value`. */
function tagsIn(text: string | null): [string, string][] {
  return (text ?? '').split(',').flatMap((one): [string, string][] => {
    const [name = '', value] = one.trim().split('=', 2);
    return name === '' || value === undefined ? [] : [[name, value]];
  });
}

function senderOf(call: DoorCall, value: unknown): ListedAddress {
  const from = addressIn(value);
  if (from === null)
    throw badRequest(
      call,
      isMissing(value)
        ? 'The sender is missing.'
        : "Missing final '@domain', or the address of the sender is not valid.",
    );
  return from;
}

function listOf(call: DoorCall, list: readonly unknown[]): ListedAddress[] {
  if (list.length > MOST_RECIPIENTS) throw badRequest(call, `Recipient count exceeds ${MOST_RECIPIENTS}.`);
  return list.map((one) => {
    const address = addressIn(one);
    if (address === null)
      throw badRequest(
        call,
        `Missing final '@domain', or the address ${JSON.stringify(String(one).slice(0, 100))} is not valid.`,
      );
    return address;
  });
}

function checkCount(call: DoorCall, recipients: number): void {
  if (recipients === 0) throw badRequest(call, 'There are no recipients.');
  if (recipients > MOST_RECIPIENTS) throw badRequest(call, `Recipient count exceeds ${MOST_RECIPIENTS}.`);
}

/** SES writes the tags into a header of the mail that it takes; here it stays, so that searches find them. */
function tagHeaders(call: DoorCall, tags: SesAddresses['tags']) {
  if (tags.length > 50) throw badRequest(call, 'There are more than 50 tags.');
  const isTag = (part: unknown) => isText(part) && /^[\w.@-]{1,256}$/.test(part);
  if (!tags.every(([name, value]) => isTag(name) && isTag(value)))
    throw badRequest(call, 'A tag has an invalid name or value.');
  const written = tags.map(([name, value]) => `${String(name)}=${String(value)}`).join(', ');
  return headersNamed('X-SES-MESSAGE-TAGS', tags.length === 0 ? [] : [written]);
}

/** Makes an id as SES does: the time comes first, so that later ids sort after it. */
function idFor(call: DoorCall): string {
  const uuid = newUuid(call);
  return `0100${uuid.slice(0, 8)}${uuid.slice(9, 13)}-${uuid}-000000`;
}

/** The host in a Message-ID names the region, but not that of us-east-1. */
function hostOf({ headers }: DoorCall): string {
  const region = awsRegionOf(headers);
  return region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`;
}

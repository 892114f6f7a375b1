import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainIn } from '../../domain/address.ts';
import { mediaTypeOr } from '../../domain/content.ts';
import { attachmentId, type MessageId, parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import { keyOfRecord, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { newSecret, newUuid, nowOf } from '../calls.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { queueEvent } from '../events.ts';
import { type InboundFile, type InboundMail, inboundHeader, inboundMail, peopleOf } from '../inbound/mail.ts';
import { isoTime } from '../parts.ts';
import { getRecord, listRecords, putRecord, type RecordScope, removeRecord } from '../records.ts';
import { namedRecord } from '../resources.ts';
import { getRoute } from '../routes.ts';
import { keptMessage } from '../send.ts';
import { askedPage, listed, shownPage, timeText } from './answers.ts';
import { notFound } from './errors.ts';
import { isWanted, requestTo } from './events.ts';

// Resend's inbound mail: an event tells the app of a mail, which it reads by the API.
// https://resend.com/docs/dashboard/receiving/introduction

const RULE = 'receiving';
/** The addresses of a header and the files of a mail that a list shows, at most. It stays in memory. */
const MOST_SHOWN = 500;
/** How long the URL of a file is valid. */
const URL_MS = 60 * 60 * 1_000;
/** The pictures that the HTML of an answer holds, in bytes at most. A mail may show one a thousand times. */
const MOST_INLINE = 20 * 1024 * 1024;

/** The one rule of a workspace: a mail for several of its domains is one email. */
export function resendRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  return rules.filter((rule) => domainsOf(rule).includes(domainIn(recipient.toLowerCase())));
}

function domainsOf(rule: ProviderRecord | null): readonly string[] {
  return (rule?.data['domains'] ?? []) as readonly string[]; // `setReceiving` alone writes them
}

/** Returns the domains whose mail comes to the app. */
export async function receivingDomains(scope: RecordScope, reader: Reader): Promise<ReadonlySet<string>> {
  return new Set(domainsOf(await getRecord(scope, reader, 'rules', RULE)));
}

/** Says whether the mail of a domain comes to the app. */
export async function setReceiving(scope: RecordScope, tx: Tx, domain: string, isOn: boolean): Promise<void> {
  const others = [...(await receivingDomains(scope, tx))].filter((one) => one !== domain);
  const domains = isOn ? [...others, domain] : others;
  await (domains.length === 0
    ? removeRecord(scope, tx, 'rules', RULE)
    : putRecord(scope, tx, 'rules', RULE, { domains }));
}

/** What is kept of a received email: the rest is read from its message. */
interface ReceivedData {
  readonly message: string;
  /** Signs the URLs of its files. */
  readonly secret: string;
  readonly shown: ReturnType<typeof shownMail>;
}

function receivedIn({ data }: ProviderRecord): ReceivedData {
  return data as unknown as ReceivedData; // `publishReceived` alone writes these records
}

/** Keeps a mail for the app to read, and tells the webhooks that want to know of it. */
export async function publishReceived(scope: RecordScope, tx: Tx, mail: InboundMail, now: number): Promise<void> {
  const { message } = mail;
  const shown = shownMail(mail);
  const data: ReceivedData = { message: message.id, secret: newSecret(scope, 32), shown };
  const id = newUuid(scope);
  await putRecord(scope, tx, 'received', id, { ...data });
  const { reply_to: _ofTheList, attachments, ...told } = shown;
  const files = attachments.map(({ size: _ofTheApi, ...file }) => file);
  const event = { email_id: id, created_at: isoTime(message.receivedAt), ...told, attachments: files };
  const body = JSON.stringify({ type: 'email.received', created_at: isoTime(now), data: event });
  for (const webhook of await listRecords(scope, tx, 'webhooks'))
    if (isWanted(webhook.data, 'email.received'))
      await queueEvent(scope, tx, { ...requestTo(webhook.data), body }, keyOfRecord(webhook));
}

/** Returns the fields of a mail that the event and the list show. */
function shownMail(mail: InboundMail) {
  const { parsed, message } = mail;
  const addresses = (text: string | null) =>
    peopleOf(text)
      .slice(0, MOST_SHOWN)
      .map(({ address }) => address);
  return {
    ...{ from: parsed.from ?? mail.from, to: addresses(parsed.to), cc: addresses(parsed.cc) },
    ...{ bcc: addresses(parsed.bcc), reply_to: addresses(parsed.replyTo), received_for: mail.to },
    ...{ message_id: inboundHeader(mail, 'message-id') ?? '', subject: parsed.subject ?? '' },
    attachments: mail.files.slice(0, MOST_SHOWN).map((file, position) => shownFile(file, message.id, position)),
  };
}

function shownFile({ name, type, content, contentId }: InboundFile, message: MessageId, position: number) {
  return {
    ...{ id: uuid7Of(attachmentId(message, position)), filename: name, size: content.length, content_type: type },
    ...{ content_disposition: contentId === null ? 'attachment' : 'inline', content_id: contentId },
  };
}

const EMAILS = '/emails/receiving';
const FILES = `${EMAILS}/:id/attachments`;

export const receiving: readonly DoorRoute[] = [
  getRoute(EMAILS, (call) =>
    listed(call, 'received', (record) => ({
      ...{ id: keyOfRecord(record), created_at: timeText(record.createdAt) },
      ...receivedIn(record).shown,
    })),
  ),
  getRoute(`${EMAILS}/:id`, async (call) => {
    const record = await receivedOf(call);
    const { shown } = receivedIn(record);
    const { parsed, files } = await mailOf(call, record);
    const html_format = call.query.get('html_format') === 'cid' ? 'cid' : 'data_uri';
    const html = parsed.htmlBody !== null && html_format === 'data_uri' ? withPictures(parsed.htmlBody, files) : null;
    const headers = Object.entries(parsed.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
    return {
      ...{ object: 'email', id: keyOfRecord(record), created_at: timeText(record.createdAt), ...shown },
      ...{ html: html ?? parsed.htmlBody, text: parsed.textBody, html_format, headers: Object.fromEntries(headers) },
      raw: await signed(call, record, 'raw'),
    };
  }),
  getRoute(FILES, async (call) => {
    const record = await receivedOf(call);
    const { attachments } = receivedIn(record).shown;
    const page = askedPage(call);
    const at = (wanted: string) => {
      const found = attachments.findIndex(({ id }) => id === wanted);
      if (found === -1) throw notFound('Attachment');
      return found;
    };
    const { before, after } = page;
    const rows =
      before === undefined
        ? attachments.slice(after === undefined ? 0 : at(after) + 1)
        : attachments.slice(0, at(before)).reverse();
    const urls = new Map<string, Awaited<ReturnType<typeof signed>>>();
    for (const { id } of rows.slice(0, page.most)) urls.set(id, await signed(call, record, id));
    return shownPage(page, rows, (file) => ({ ...file, ...urls.get(file.id) }));
  }),
  getRoute(`${FILES}/:file`, async (call) => {
    const record = await receivedOf(call);
    const file = receivedIn(record).shown.attachments.find(({ id }) => id === call.params['file']?.toLowerCase());
    if (file === undefined) throw notFound('Attachment');
    return { object: 'attachment', ...file, ...(await signed(call, record, file.id)) };
  }),
  {
    method: 'GET',
    path: '/received/:workspace/:id/:file',
    isOpen: true,
    handle: async (call) => {
      const workspaceId = parseUlid<WorkspaceId>(call.params['workspace'] ?? '');
      if (workspaceId === null) throw notFound('File');
      const scope = { ...call, workspaceId };
      const record = await receivedOf(scope);
      const name = call.params['file'] ?? '';
      const expires = call.query.get('expires') ?? '';
      const given = Buffer.from(call.query.get('signature') ?? '');
      const right = Buffer.from(signatureOf(record, name, expires));
      const isRight = given.length === right.length && timingSafeEqual(given, right);
      if (!isRight || Number(expires) < (await nowOf(scope))) throw notFound('File');
      const { raw, files } = await mailOf(scope, record);
      if (name === 'raw') return { status: 200, file: { name: 'email.eml', type: 'message/rfc822', content: raw } };
      const file = files[receivedIn(record).shown.attachments.findIndex(({ id }) => id === name)];
      if (file === undefined) throw notFound('File');
      const type = mediaTypeOr(file.type, 'application/octet-stream');
      return { status: 200, file: { name: file.name, type, content: file.content } };
    },
  },
];

async function receivedOf(call: DoorCall): Promise<ProviderRecord> {
  return namedRecord(call, await call.ctx.store.readNow(), 'received', () => notFound('Email'));
}

/** Reads the mail of a received email. It is not found once its message is deleted. */
async function mailOf({ ctx }: DoorCall, record: ProviderRecord): Promise<InboundMail> {
  const { message: given, shown } = receivedIn(record);
  const message = await keptMessage(ctx, await ctx.store.readNow(), given);
  const mail = message === null ? null : await inboundMail(ctx, message, shown.received_for);
  if (mail === null) throw notFound('Email');
  return mail;
}

/** Returns the URL of a file, which needs no key, and when it expires. */
async function signed(call: DoorCall, record: ProviderRecord, name: string) {
  const expires = (await nowOf(call)) + URL_MS;
  const path = `/providers/resend/received/${record.workspaceId}/${keyOfRecord(record)}/${name}`;
  const query = new URLSearchParams({ expires: `${expires}`, signature: signatureOf(record, name, `${expires}`) });
  return { download_url: `${call.origin}${path}?${query.toString()}`, expires_at: isoTime(expires) };
}

function signatureOf(record: ProviderRecord, name: string, expires: string): string {
  return createHmac('sha256', receivedIn(record).secret).update(`${name} ${expires}`).digest('hex');
}

/** Puts the pictures that HTML shows by their Content-ID into it. */
function withPictures(html: string, files: readonly InboundFile[]): string {
  const pictures = new Map(files.map((file) => [file.contentId, file]));
  let left = MOST_INLINE;
  return html.replace(/(?<=["'(])cid:([^\s"'<>()]{1,200})/gi, (whole, id: string) => {
    const file = pictures.get(id);
    if (file === undefined || !/^image\/[\w.+-]{1,100}$/.test(file.type) || file.content.length > left) return whole;
    left -= file.content.length;
    return `data:${file.type};base64,${file.content.toString('base64')}`;
  });
}

import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { readFacts, readParsed, unlessGone } from '../../../actions/read-message.ts';
import type { Context } from '../../../context.ts';
import { bccOf } from '../../../domain/bcc.ts';
import type { Facts, Message } from '../../../domain/message.ts';
import type { ParsedAttachment, ParsedMail } from '../../../domain/parsed-mail.ts';
import { readMailDate } from '../../../mail/mail-date.ts';
import { mailboxesIn } from '../../../mail/mailboxes-in.ts';

/** Reads a message as MailDev shows it. Null if it was deleted meanwhile. */
export function emailOf(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const facts = await readFacts(ctx, message);
    const [from, to, cc, bcc, calculatedBcc] = await Promise.all(
      [mail.from, mail.to, mail.cc, mail.bcc, bccOf(null, message.rcptTo, mail.toAndCc)].map(addressesOf),
    );
    return {
      id: message.id,
      time: timeOf(message, mail),
      // mailcap does not store whether a message was read.
      read: false,
      subject: mail.subject ?? '',
      source: `/email/${message.id}/source`,
      size: message.sizeBytes,
      sizeHuman: sizeText(message.sizeBytes),
      ...{ from: from ?? [], to: to ?? [] },
      headers: mail.headers,
      attachments: mail.attachments.map(fileOf),
      envelope: envelopeOf(message, facts),
      calculatedBcc: calculatedBcc ?? [],
      ...(cc?.length ? { cc } : {}),
      ...(bcc?.length ? { bcc } : {}),
      ...(mail.htmlBody === null ? {} : { html: mail.htmlBody }),
      ...(mail.textBody === null ? {} : { text: mail.textBody }),
      ...(typeof mail.headers['in-reply-to'] === 'string' ? { inReplyTo: mail.headers['in-reply-to'] } : {}),
    };
  });
}

export type MaildevEmail = NonNullable<Awaited<ReturnType<typeof emailOf>>>;

const PREVIEW_CHARACTERS = 140;

/** Shortens an email to what MailDev lists: no body, no headers. */
export function maildevSummary({
  id,
  time,
  read,
  subject,
  size,
  sizeHuman,
  from,
  to,
  cc,
  attachments,
  text,
}: MaildevEmail) {
  const preview = (text ?? '')
    .slice(0, 16 * PREVIEW_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
  return {
    ...{ id, time, read, subject, size, sizeHuman, from, to },
    attachmentCount: attachments.length,
    preview: preview.slice(0, PREVIEW_CHARACTERS),
    ...(cc === undefined ? {} : { cc }),
  };
}

async function addressesOf(list: string | null) {
  return (await mailboxesIn(list)).map(({ name, address }) => ({ address, name }));
}

/** Returns the time of the Date header, or of receipt. */
function timeOf({ receivedAt }: Message, { headers }: ParsedMail): string {
  const date = headers['date'];
  const given = typeof date === 'string' ? date : (date?.[0] ?? '');
  return new Date(readMailDate(given)?.time ?? receivedAt).toISOString();
}

function envelopeOf({ mailFrom, rcptTo }: Message, { helo, clientAddress }: Facts) {
  return {
    from: { address: mailFrom },
    to: rcptTo.map((address) => ({ address })),
    ...(helo === null ? {} : { host: helo }),
    ...(clientAddress === null ? {} : { remoteAddress: clientAddress }),
  };
}

function fileOf(file: ParsedAttachment) {
  return {
    filename: file.filename ?? '',
    generatedFileName: generatedName(file),
    contentType: file.contentType ?? 'application/octet-stream',
    contentDisposition: file.isInline ? 'inline' : 'attachment',
    ...(file.contentId === null ? {} : { contentId: file.contentId }),
    size: file.sizeBytes,
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
  'text/html': '.html',
  'application/json': '.json',
};

/** Returns the name that MailDev 3 gives a file: a hash, so that no sender chooses the name. */
export function generatedName({ filename, contentType, contentId, sizeBytes }: ParsedAttachment): string {
  const source = contentId || `${filename ?? ''}-${sizeBytes}`;
  const extension = extname(filename ?? '') || (EXTENSIONS[contentType ?? ''] ?? '');
  return `${createHash('md5').update(source).digest('hex')}${extension}`;
}

const UNITS = ['Bytes', 'KB', 'MB', 'GB'];

function sizeText(bytes: number): string {
  const unit = Math.min(bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1);
  return `${Number.parseFloat((bytes / 1024 ** unit).toFixed(2))} ${UNITS[unit]}`;
}

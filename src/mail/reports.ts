import { domainIn } from '../domain/address.ts';
import { enhancedStatusOf, isReply } from '../domain/smtp.ts';
import { mailDate } from '../text/mail-date.ts';
import { headerBlock, MAX_HEADER_BYTES, readFields } from './header-block.ts';
import { lastText } from './header-text.ts';

/** A recipient that did not get the message. */
export interface FailedRecipient {
  readonly address: string;
  /** The reply for this recipient. */
  readonly reply: string;
  /** The name of the host that answered. Null if it was this server. */
  readonly remote: string | null;
  /** Tells whether it was refused for good. False means that the server gave up after retries. */
  readonly permanent: boolean;
}

export type ReportFacts = Pick<Report, 'to' | 'messageId' | 'date' | 'originalHeader' | 'originalMessageId'> & {
  readonly mailDomain: string;
  /** The time at which the message was accepted, in milliseconds since 1970. */
  readonly arrivedAt: number;
};

/** Writes the delivery status notification for failed recipients (RFC 3464). */
export function writeDeliveryReport(notice: ReportFacts, failed: readonly FailedRecipient[]): Promise<Buffer> {
  const { mailDomain, arrivedAt, ...rest } = notice;
  const addresses = failed.map(({ address }) => address).join(', ');
  return writeReport({
    ...rest,
    type: 'delivery-status',
    from: `Mail Delivery System <mailer-daemon@${mailDomain}>`,
    subject: `Delivery failed: ${addresses.length > 200 ? `${failed.length} recipients` : addresses}`,
    text: [
      'This message could not be delivered to one or more of its recipients:',
      '',
      ...failed.flatMap(({ address, reply }) => [`  ${address}`, `    ${reportText(reply)}`, '']),
      'A report for programs and the header of the message follow.',
    ].join('\n'),
    groups: [
      [`Reporting-MTA: dns; ${mailDomain}`, `Arrival-Date: ${mailDate(arrivedAt)}`],
      ...failed.map((recipient) => fieldsOf(recipient, notice.date)),
    ],
  });
}

function fieldsOf({ address, reply, remote, permanent }: FailedRecipient, date: number): string[] {
  return [
    `Final-Recipient: ${typedAddress(address)}`,
    'Action: failed',
    // 4.4.7 means that the delivery time expired (RFC 3463 3.5).
    `Status: ${enhancedStatusOf(reply) ?? (permanent ? '5.0.0' : '4.4.7')}`,
    ...(remote === null ? [] : [`Remote-MTA: dns; ${remote}`]),
    `Diagnostic-Code: ${isReply(reply) ? 'smtp' : 'x-mailcap'}; ${reportText(reply)}`,
    `Last-Attempt-Date: ${mailDate(date)}`,
  ];
}

/** Writes the feedback report of type abuse for a recipient who complained (RFC 5965). */
export function writeFeedbackReport(
  notice: ReportFacts,
  complaint: { readonly recipient: string; readonly sender: string; readonly version: string },
): Promise<Buffer> {
  const { mailDomain, arrivedAt, ...rest } = notice;
  const { recipient, sender, version } = complaint;
  return writeReport({
    ...rest,
    type: 'feedback-report',
    from: `Complaints <complaints@${mailDomain}>`,
    subject: `Complaint: ${recipient}`,
    text: [
      'This is an email abuse report for a message sent from this mailbox.',
      `${recipient} marked it as unwanted.`,
      '',
      'A report for programs and the header of the message follow.',
    ].join('\n'),
    groups: [
      [
        'Feedback-Type: abuse',
        `User-Agent: mailcap/${version}`,
        'Version: 1',
        `Original-Mail-From: <${asciiAddress(sender)}>`,
        `Original-Rcpt-To: <${asciiAddress(recipient)}>`,
        `Arrival-Date: ${mailDate(arrivedAt)}`,
        `Reported-Domain: ${domainIn(sender)}`,
        `Reporting-MTA: dns; ${mailDomain}`,
        'Incidents: 1',
      ],
    ],
  });
}

/** A report about a sent message (RFC 3462). */
export interface Report {
  readonly type: 'delivery-status' | 'feedback-report';
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** The Message-ID with angle brackets. */
  readonly messageId: string;
  /** The date in milliseconds since 1970. */
  readonly date: number;
  /** The text for people. */
  readonly text: string;
  /** The machine-readable part: groups of fields, one line per field. */
  readonly groups: readonly (readonly string[])[];
  /** The header of the reported message, unchanged. */
  readonly originalHeader: Buffer;
  /** The Message-ID of the reported message. */
  readonly originalMessageId: string | null;
}

/** Writes the report as an RFC 5322 message of type multipart/report. */
async function writeReport(report: Report): Promise<Buffer> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const root = new MimeNode(`multipart/report; report-type=${report.type}`, { newline: 'win' });
  root.setHeader({
    From: report.from,
    To: report.to,
    Subject: report.subject,
    'Message-ID': report.messageId,
    Date: new Date(report.date),
    // It keeps automatic responders from answering (RFC 3834 5).
    'Auto-Submitted': 'auto-replied',
  });
  if (report.originalMessageId !== null) {
    root.setHeader({ 'In-Reply-To': report.originalMessageId, References: report.originalMessageId });
  }
  root.createChild('text/plain; charset=utf-8').setContent(lines(report.text.split('\n')));
  root
    .createChild(`message/${report.type}`)
    .setHeader('Content-Transfer-Encoding', '7bit')
    .setContent(report.groups.map(lines).join('\r\n'));
  root.createChild('text/rfc822-headers; charset=utf-8').setContent(report.originalHeader.toString('utf8'));
  return root.build();
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join('');
}

const ASCII = /^[\x20-\x7e]*$/;

/** Writes an address with its type, as RFC 3464 fields need it: `rfc822; a@x.test`. */
function typedAddress(address: string): string {
  return `${ASCII.test(address) ? 'rfc822' : 'utf-8'}; ${asciiAddress(address)}`;
}

/** Writes an address in ASCII. Other characters become `\x{FC}` (RFC 6533 3). */
function asciiAddress(address: string): string {
  if (ASCII.test(address)) return address;
  const escaped = [...address].map((char) =>
    /[\x21-\x5b\x5d-\x7e]/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
  return escaped.join('');
}

/** Turns a server's reply into one line of ASCII for a report field. */
function reportText(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 900);
}

/** The header of the mail that a report concerns. */
interface OriginalHeader {
  readonly block: Buffer;
  readonly messageId: string | null;
}

/** Reads the header of a mail and nothing after it. */
export async function readOriginalHeader(mail: AsyncIterable<Buffer>): Promise<OriginalHeader> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of mail) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > MAX_HEADER_BYTES) break;
  }
  const { block } = headerBlock(Buffer.concat(pieces));
  return { block, messageId: lastText(readFields(block, null).fields, 'message-id') };
}

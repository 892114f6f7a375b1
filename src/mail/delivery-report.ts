import { enhancedStatusOf, isReply } from '../domain/smtp-reply.ts';
import { type Report, reportDate, reportText, typedAddress, writeReport } from './report.ts';

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
      [`Reporting-MTA: dns; ${mailDomain}`, `Arrival-Date: ${reportDate(arrivedAt)}`],
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
    `Last-Attempt-Date: ${reportDate(date)}`,
  ];
}

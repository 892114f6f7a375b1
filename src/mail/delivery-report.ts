import { enhancedStatusOf, isReply } from '../domain/smtp-reply.ts';
import { type Report, reportDate, reportText, typedAddress, writeReport } from './report.ts';

/** One recipient that the message did not reach. */
export interface FailedRecipient {
  readonly address: string;
  /** What was answered for it. */
  readonly reply: string;
  /** Whoever answered it, as a name; null where nobody but this server did. */
  readonly remote: string | null;
  /** Refused for good, as against given up. */
  readonly permanent: boolean;
}

export type Notice = Pick<Report, 'to' | 'messageId' | 'date' | 'originalHeader' | 'originalMessageId'> & {
  readonly mailDomain: string;
  /** When the message was accepted, milliseconds. */
  readonly arrivedAt: number;
};

/** The delivery status notification for recipients that failed (RFC 3464). */
export function writeDeliveryReport(notice: Notice, failed: readonly FailedRecipient[]): Promise<Buffer> {
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
    // RFC 3463 3.5: 4.4.7 is a delivery time that expired.
    `Status: ${enhancedStatusOf(reply) ?? (permanent ? '5.0.0' : '4.4.7')}`,
    ...(remote === null ? [] : [`Remote-MTA: dns; ${remote}`]),
    `Diagnostic-Code: ${isReply(reply) ? 'smtp' : 'x-mailcap'}; ${reportText(reply)}`,
    `Last-Attempt-Date: ${reportDate(date)}`,
  ];
}

import type { ReportFacts } from './delivery-report.ts';
import { asciiAddress, reportDate, writeReport } from './report.ts';

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
        `Arrival-Date: ${reportDate(arrivedAt)}`,
        `Reported-Domain: ${sender.slice(sender.lastIndexOf('@') + 1)}`,
        `Reporting-MTA: dns; ${mailDomain}`,
        'Incidents: 1',
      ],
    ],
  });
}

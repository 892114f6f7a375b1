/** A notification about a message that was sent (RFC 3462). */
export interface Report {
  readonly type: 'delivery-status' | 'feedback-report';
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** With its angle brackets. */
  readonly messageId: string;
  /** Milliseconds. */
  readonly date: number;
  /** For humans. */
  readonly text: string;
  /** The machine-readable part: groups of fields, each field a line. */
  readonly groups: readonly (readonly string[])[];
  /** The header of the message reported on, as it stands in it. */
  readonly originalHeader: Buffer;
  /** The Message-ID of that message. */
  readonly originalMessageId: string | null;
}

/** The notification as an RFC 5322 message, multipart/report. */
export async function writeReport(report: Report): Promise<Buffer> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const root = new MimeNode(`multipart/report; report-type=${report.type}`, { newline: 'win' });
  root.setHeader({
    From: report.from,
    To: report.to,
    Subject: report.subject,
    'Message-ID': report.messageId,
    Date: new Date(report.date),
    // RFC 3834 5: nobody is to answer a machine.
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

/** An address with its type, as the fields of RFC 3464 have it: `rfc822; a@x.test`. */
export function typedAddress(address: string): string {
  return `${ASCII.test(address) ? 'rfc822' : 'utf-8'}; ${asciiAddress(address)}`;
}

/** Reports are ASCII: another character is written `\x{FC}` (RFC 6533 3). */
export function asciiAddress(address: string): string {
  if (ASCII.test(address)) return address;
  const escaped = [...address].map((char) =>
    /[\x21-\x5b\x5d-\x7e]/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
  return escaped.join('');
}

/** What a server said, as the one line of a field may hold it. */
export function reportText(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 900);
}

/** The time as RFC 5322 writes it. */
export function reportDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}

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
export async function writeReport(report: Report): Promise<Buffer> {
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
export function typedAddress(address: string): string {
  return `${ASCII.test(address) ? 'rfc822' : 'utf-8'}; ${asciiAddress(address)}`;
}

/** Writes an address in ASCII. Other characters become `\x{FC}` (RFC 6533 3). */
export function asciiAddress(address: string): string {
  if (ASCII.test(address)) return address;
  const escaped = [...address].map((char) =>
    /[\x21-\x5b\x5d-\x7e]/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
  return escaped.join('');
}

/** Turns a server's reply into one line of ASCII for a report field. */
export function reportText(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 900);
}

/** Writes a time in the format of RFC 5322. */
export function reportDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}

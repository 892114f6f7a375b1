import type { ListedAddress } from '../domain/address-list.ts';
import type { Email } from '../domain/send-request.ts';

/** What a message carries beside what its sender wrote. */
export interface Stamp {
  /** With its angle brackets. */
  readonly messageId: string;
  /** Milliseconds. */
  readonly date: number;
}

/** The RFC 5322 message of an email, in UTF-8, its lines ended by CRLF. Who is in bcc is in no header of it. */
export async function composeMessage(email: Email, { messageId, date }: Stamp): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: toNodemailer(email.from),
    to: email.to.map(toNodemailer),
    cc: email.cc.map(toNodemailer),
    replyTo: email.replyTo.map(toNodemailer),
    ...(email.subject !== null && { subject: email.subject }),
    ...(email.text !== null && { text: withCrlf(email.text) }),
    ...(email.html !== null && { html: withCrlf(email.html) }),
    messageId,
    date: new Date(date),
    newline: 'win',
    // What is sent is what was given: nothing is read from this machine or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function toNodemailer({ name, address }: ListedAddress): { name: string; address: string } {
  return { name: name ?? '', address };
}

function withCrlf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

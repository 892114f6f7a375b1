import { type Client, OptionError } from '../../src/client/index.ts';
import { shown } from '../../src/client/internal.ts';

/** A mail that a test sends in the place of the app. */
export interface MailToSend {
  /** The recipients, with commas between them. */
  readonly to: string;
  /** The sender; `app@example.com` if left out. */
  readonly from?: string;
  /** The subject; none if left out. */
  readonly subject?: string;
  /** The text of the mail; empty if left out. */
  readonly text?: string;
  /** The same as HTML. */
  readonly html?: string;
}

const FIELDS: readonly string[] = ['to', 'from', 'subject', 'text', 'html'] satisfies (keyof MailToSend)[];

/** Sends a mail to the SMTP server of the client's server. Throws an OptionError for a field that is no text. */
export async function sendBySmtp(client: Client, mail: MailToSend): Promise<void> {
  for (const [name, value] of Object.entries(mail ?? {})) {
    if (!FIELDS.includes(name))
      throw new OptionError(`"mailcap:send" has no "${name}".`, `It has ${FIELDS.join(', ')}.`);
    if (typeof value !== 'string')
      throw new OptionError(`${name} of "mailcap:send" must be a string; it is ${shown(value)}.`);
  }
  if (!mail?.to) throw new OptionError('"mailcap:send" needs `to`.', 'Give it the address of a mailbox.');
  const { smtpHost: host, smtpPort: port } = await client.local.getInfo();
  // A test that sends no mail loads no sender.
  const { createTransport } = await import('nodemailer');
  await createTransport({ host, port, ignoreTLS: true }).sendMail({ from: 'app@example.com', ...mail });
}

import type { ListedAddress } from '../domain/address-list.ts';
import type { Email } from '../domain/check-send.ts';

/** The header fields that the server adds to a message. */
export interface AddedHeaders {
  /** The Message-ID with angle brackets. */
  readonly messageId: string;
  /** The date in milliseconds since 1970. */
  readonly date: number;
}

/** The To field of a message whose recipients are all in Cc and Bcc: the empty group of RFC 5322 A.1.3. */
const UNDISCLOSED = 'Undisclosed recipients:;';

/**
 * The texts that nodemailer writes as they are, although a header may not have them so: words that make a line longer
 * than 998 characters (RFC 5322 2.1.1), and texts that look like encoded words.
 */
const MUST_BE_ENCODED = /[^ ]{400}| {60}|=\?/;
/** The length that nodemailer gives to encoded words. */
const WORD_LENGTH = 52;

/** The undocumented part of nodemailer that writes display names. test/mail/compose.test.ts fails if a release changes it. */
interface Names {
  _encodeAddressName(name: string): string;
}

/**
 * Composes the RFC 5322 message of an email, in UTF-8 and with CRLF line ends. No header field names the Bcc
 * recipients.
 */
export async function composeMessage(email: Email, { messageId, date }: AddedHeaders): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { encodeWord } = await import('nodemailer/lib/mime-funcs');
  const inWords = (text: string) => encodeWord(text, 'Q', WORD_LENGTH);
  const composer = new MailComposer({
    from: toNodemailer(email.from),
    to: email.to.length === 0 ? UNDISCLOSED : email.to.map(toNodemailer),
    cc: email.cc.map(toNodemailer),
    replyTo: email.replyTo.map(toNodemailer),
    ...(email.subject !== null && {
      subject: MUST_BE_ENCODED.test(email.subject) ? inWords(email.subject) : email.subject,
    }),
    ...(email.text !== null && { text: withCrlf(email.text) }),
    ...(email.html !== null && { html: withCrlf(email.html) }),
    messageId,
    date: new Date(date),
    newline: 'win',
    // The composer may read no local file and fetch no URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = composer.compile();
  const names = message as unknown as Names;
  const encodeName = names._encodeAddressName.bind(message);
  names._encodeAddressName = (name) => (MUST_BE_ENCODED.test(name) ? inWords(name) : encodeName(name));
  return message.build();
}

function toNodemailer({ name, address }: ListedAddress): { name: string; address: string } {
  return { name: name ?? '', address };
}

function withCrlf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

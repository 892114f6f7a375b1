import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { ListedAddress } from '../domain/address-list.ts';
import type { Email } from '../domain/check-send.ts';
import type { MailFile } from '../domain/provider.ts';

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

/**
 * The undocumented parts of nodemailer that write display names, and that read the content of a part.
 * test/mail/compose.test.ts fails if a release changes them.
 */
interface Inside {
  readonly childNodes: readonly Inside[];
  getTransferEncoding(): string | false;
  _encodeAddressName(name: string): string;
  _getStream(content: unknown): Readable;
}

/** One turn of the event loop encodes this much. */
const BYTES_OF_TURN = 64 * 1024;
const CHARACTERS_OF_TURN = 16 * 1024;

/** The visible parts of an email. */
interface Composition extends Pick<Email, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'text' | 'html'> {
  /** Further header fields, in their order. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly attachments?: readonly MailFile[];
}

/**
 * Composes the RFC 5322 message of an email, in UTF-8 and with CRLF line ends. No header field names the Bcc
 * recipients. The same email with the same added headers gives the same bytes.
 */
export async function composeMessage(email: Composition, { messageId, date }: AddedHeaders): Promise<Buffer> {
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
    ...(email.text !== null && { text: email.text }),
    ...(email.html !== null && { html: email.html }),
    ...(email.headers !== undefined && { headers: email.headers.map(([key, value]) => ({ key, value })) }),
    ...(email.attachments !== undefined && { attachments: email.attachments.map(toAttachment) }),
    messageId,
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 16),
    date: new Date(date),
    newline: 'win',
    // The composer may read no local file and fetch no URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = composer.compile();
  const inside = message as unknown as Inside;
  const encodeName = inside._encodeAddressName.bind(message);
  inside._encodeAddressName = (name) => (MUST_BE_ENCODED.test(name) ? inWords(name) : encodeName(name));
  readInTurns(inside);
  return message.build();
}

/**
 * Has nodemailer read each part in pieces, and look once at how to encode it. What it reads it encodes at once, so a text
 * of 20 MB held the server for a second.
 */
function readInTurns(part: Inside): void {
  const encoding = part.getTransferEncoding();
  part.getTransferEncoding = () => encoding;
  const read = part._getStream.bind(part);
  part._getStream = (content) => {
    if (typeof content === 'string') return Readable.from(inTurns(linesOf(content)));
    return Buffer.isBuffer(content) ? Readable.from(inTurns(piecesOf(content))) : read(content);
  };
  for (const child of part.childNodes) readInTurns(child);
}

async function* inTurns(pieces: Iterable<Buffer>): AsyncGenerator<Buffer, void> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += BYTES_OF_TURN) yield bytes.subarray(at, at + BYTES_OF_TURN);
}

/** Divides a text at line ends, where there are any, and writes its line ends as CRLF. */
function* linesOf(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    let piece = text.slice(at, at + CHARACTERS_OF_TURN);
    const lines = piece.lastIndexOf('\n') + 1;
    if (lines > 0) piece = piece.slice(0, lines);
    // No CRLF and no pair of surrogates is divided.
    else if (/[\r\ud800-\udbff]$/.test(piece)) piece = text.slice(at, at + CHARACTERS_OF_TURN + 1);
    yield Buffer.from(piece.replace(/\r\n?|\n/g, '\r\n'));
    at += piece.length;
  }
}

function toNodemailer({ name, address }: ListedAddress): { name: string; address: string } {
  return { name: name ?? '', address };
}

function toAttachment({ filename, contentType, content, contentId }: MailFile) {
  return {
    filename: filename ?? (false as const),
    content: Buffer.from(content),
    ...(contentType !== null && { contentType }),
    ...(contentId !== null && { cid: contentId, contentDisposition: 'inline' as const }),
  };
}

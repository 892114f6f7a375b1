import { readFacts, readParsed, unlessGone } from '../../../actions/read-message.ts';
import type { Context } from '../../../context.ts';
import { bccOf } from '../../../domain/bcc.ts';
import type { Message } from '../../../domain/message.ts';
import type { ParsedMail } from '../../../domain/parsed-mail.ts';
import { mailboxesIn } from '../../../mail/mailboxes-in.ts';

/** An address as Mailpit writes it. */
export interface MailpitAddress {
  readonly Name: string;
  readonly Address: string;
}

/** Returns a message as Mailpit's lists show it. Null if it was deleted meanwhile. */
export function mailpitSummary(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    const { user } = await readFacts(ctx, message);
    const { From, To, Cc, Bcc, ReplyTo } = await mailpitAddresses(message, mail);
    return {
      ID: message.id,
      MessageID: messageIdOf(mail),
      // mailcap does not store whether a message was read.
      Read: false,
      ...{ From, To, Cc: Cc.length === 0 ? null : Cc, Bcc: Bcc.length === 0 ? null : Bcc, ReplyTo },
      Subject: mail.subject ?? '',
      Created: new Date(message.receivedAt).toISOString(),
      Username: user ?? '',
      Tags: [] as const,
      Size: message.sizeBytes,
      Attachments: mail.attachments.filter(({ isInline }) => !isInline).length,
      Snippet: cut(await shownText(mail)),
    };
  });
}

/** Reads the addresses of a message. As in Mailpit, recipients that are only in the envelope count as Bcc. */
export async function mailpitAddresses(message: Message, mail: ParsedMail) {
  const [from, To, Cc, Bcc, ReplyTo] = await Promise.all(
    [mail.from, mail.to, mail.cc, bccOf(mail.bcc, message.rcptTo, mail.toAndCc), mail.replyTo].map(listOf),
  );
  const none = { Name: mail.from ?? '', Address: '' };
  return { From: from?.[0] ?? none, To: To ?? [], Cc: Cc ?? [], Bcc: Bcc ?? [], ReplyTo: ReplyTo ?? [] };
}

async function listOf(list: string | null): Promise<MailpitAddress[]> {
  return (await mailboxesIn(list)).map(({ name, address }) => ({ Name: name, Address: address }));
}

/** Returns a header field. If it repeats, the first one counts. */
export function headerOf({ headers }: ParsedMail, name: string): string {
  const value = headers[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

export function messageIdOf(mail: ParsedMail): string {
  return headerOf(mail, 'message-id').replace(/^[<>]+|(?<![<>])[<>]+$/g, '');
}

const SNIPPET_BYTES = 200;
/** The number of characters that are read for a snippet. It keeps lists fast when a mail is large. */
const READ_CHARACTERS = 16 * 1024;

async function shownText({ textBody, htmlBody }: ParsedMail): Promise<string> {
  if (htmlBody === null || htmlBody.trim() === '') return (textBody ?? '').slice(0, READ_CHARACTERS);
  const { visibleText } = await import('../../../extract/visible-text.ts');
  return visibleText(htmlBody.slice(0, READ_CHARACTERS)).text;
}

function cut(text: string): string {
  const line = text.replace(/[\s\ufeff]+/g, ' ').trim();
  if (Buffer.byteLength(line) <= SNIPPET_BYTES) return line;
  // The cut may split a character. The incomplete character is left out.
  return `${Buffer.from(line)
    .subarray(0, SNIPPET_BYTES)
    .toString()
    .replace(/\ufffd$/, '')}...`;
}

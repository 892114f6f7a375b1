import { distinctAddresses, type ListedAddress } from '../domain/address-list.ts';
import type { ProviderMail } from '../domain/provider.ts';
import { headerBlock, readFields } from '../mail/header-block.ts';
import { listText } from '../mail/header-text.ts';
import { withoutBcc } from '../mail/leaving-mail.ts';
import { addressIn, addressListIn, isMessageId } from './fields.ts';

/** A mail that the app composed itself. */
export interface RawMail {
  readonly bytes: Buffer;
  /** The Message-ID of the mail; null if it has none. */
  readonly messageId: string | null;
  readonly from: ListedAddress | null;
  readonly subject: string | null;
  /** The addresses of To, Cc and Bcc, each once. */
  readonly recipients: readonly string[];
  /** Returns the text of a header field; null if the mail has none. */
  header(name: string): string | null;
}

/** Reads the header of a mail that the app composed. Returns null if it has no header field at all. */
export function readRawMail(bytes: Buffer): RawMail | null {
  const { fields } = readFields(headerBlock(bytes).block, null);
  if (fields.length === 0) return null;
  const text = (name: string) => listText(fields, name);
  const id = text('message-id')?.trim() ?? '';
  const recipients = ['to', 'cc', 'bcc'].flatMap((name) => addressListIn(text(name)) ?? []);
  return {
    bytes,
    messageId: isMessageId(id) ? id : null,
    from: addressIn(text('from')),
    subject: text('subject'),
    recipients: distinctAddresses(recipients),
    header: text,
  };
}

/** Makes the mail that is sent of one that the app composed: with a Message-ID, and without Bcc. */
export async function rawProviderMail(
  raw: RawMail,
  { id, messageId, mailFrom, recipients }: Pick<ProviderMail, 'id' | 'messageId' | 'mailFrom' | 'recipients'>,
): Promise<ProviderMail> {
  const head: Buffer[] = raw.messageId === null ? [Buffer.from(`Message-ID: ${messageId}\r\n`)] : [];
  for await (const piece of withoutBcc(chunks(raw.bytes))) head.push(piece);
  const nobody: ListedAddress = { name: null, address: mailFrom, domain: '' };
  return {
    ...{ id, messageId: raw.messageId ?? messageId, mailFrom, recipients },
    ...{ from: raw.from ?? nobody, subject: raw.subject },
    ...{ to: [], cc: [], replyTo: [], text: null, html: null, headers: [], attachments: [] },
    raw: Buffer.concat(head),
  };
}

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

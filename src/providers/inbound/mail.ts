import { readAttachment, readParsed, readWhole, unlessGone } from '../../actions/read-message.ts';
import type { Context } from '../../context.ts';
import type { ListedAddress } from '../../domain/address-list.ts';
import { attachmentId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { headerBlock } from '../../mail/header-block.ts';
import { decodeHeader } from '../../mail/header-text.ts';
import { addressListIn } from '../fields.ts';

/** A mail for the app, as providers tell of it. */
export interface InboundMail {
  readonly message: Message;
  readonly raw: Buffer;
  /** The header block, as it came. */
  readonly headerText: string;
  /** The header fields in their order, decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly parsed: ParsedMail;
  readonly files: readonly InboundFile[];
  /** The envelope. `to` has the recipients that the rule takes. */
  readonly from: string;
  readonly to: readonly string[];
}

export interface InboundFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
  /** The Content-ID without angle brackets. */
  readonly contentId: string | null;
}

/** Reads a message for the app. Returns null if it is gone. */
export function inboundMail(ctx: Context, message: Message, to: readonly string[]): Promise<InboundMail | null> {
  return unlessGone(ctx, message, async () => {
    const raw = await readWhole(ctx, message);
    const parsed = await readParsed(ctx, message);
    const files: InboundFile[] = [];
    for (const [position, { filename, contentType, contentId }] of parsed.attachments.entries()) {
      const { content } = await readAttachment(ctx, message, attachmentId(message.id, position));
      const type = contentType ?? 'application/octet-stream';
      files.push({ name: filename ?? `attachment${position + 1}`, type, content: Buffer.from(content), contentId });
    }
    const headerText = headerBlock(raw).block.toString('utf8');
    const headers = fieldsIn(headerText).map(([name, value]) => [name, decoded(name, value)] as const);
    return { message, raw, headerText, headers, parsed, files, from: message.mailFrom, to };
  });
}

/** Returns the header fields of a block in their order, as they came. */
export function fieldsIn(block: string): [string, string][] {
  return block.split(/\r?\n(?![ \t])/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trimEnd();
    return colon < 1 || /\s/.test(name) ? [] : [[name, line.slice(colon + 1).trim()]];
  });
}

/** Returns the text of a header field in one line. */
function decoded(name: string, value: string): string {
  const line = value.replace(/\r?\n(?=[ \t])/g, '');
  return decodeHeader(name.toLowerCase(), Buffer.from(line)) ?? line;
}

/** Returns the first value of a header field. */
export function inboundHeader({ headers }: InboundMail, name: string): string | null {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null;
}

/** Returns the addresses of a header; none if it has none that can be read. */
export function peopleOf(text: string | null): readonly ListedAddress[] {
  return text === null ? [] : (addressListIn(text) ?? []);
}

import { type FoundCode, type ReadCodes, readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';
import { visibleText } from '../../extract/visible-text.ts';
import type { LocalApi } from '../connection/local-api.ts';
import type { MessageDetailResponse } from '../connection/resources.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import { type Address, addressesOf, addressOf } from './address.ts';
import { type Attachment, createAttachment } from './attachment.ts';
import { type CodeOptions, chooseCode } from './choose-code.ts';
import { chooseLink, type LinkFilter } from './choose-link.ts';

/** A message as a test reads it. */
export interface Message {
  /** The id on the server. */
  readonly id: string;
  /**
   * The sender: the From header, else the envelope sender; both parts empty where there is neither.
   *
   * @example expect(message.from.address).toBe('noreply@shop.test');
   */
  readonly from: Address;
  /**
   * The recipients of the To header, else of the envelope.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly to: readonly Address[];
  /** The recipients of the Cc header. */
  readonly cc: readonly Address[];
  /** The recipients of the Bcc header, else those of the envelope that neither To nor Cc names. */
  readonly bcc: readonly Address[];
  /** The addresses of the Reply-To header. */
  readonly replyTo: readonly Address[];
  /** The subject, decoded; null where there is none. */
  readonly subject: string | null;
  /** The text part, decoded; null where there is none. */
  readonly text: string | null;
  /** The HTML part, decoded; null where there is none. */
  readonly html: string | null;
  /**
   * What a person sees of the message: of the HTML where there is one, without markup and what is hidden, else the text.
   *
   * @example expect(message.visibleText).toContain('Your order has shipped');
   */
  readonly visibleText: string;
  /**
   * The headers: lower-case names, decoded values, an array where a header repeats.
   *
   * @example expect(message.headers['list-unsubscribe']).toBeDefined();
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The sender of the envelope, where bounces go; null where there is none. */
  readonly envelopeFrom: string | null;
  /** When the server received it, by the server's clock. */
  readonly receivedAt: Date;
  /** Its size in bytes, as it was received. */
  readonly sizeBytes: number;
  /** The codes a person would see in it, likeliest first, each with its reason. */
  readonly codes: readonly FoundCode[];
  /** The links, in order, each with its kind, its form and its reason. */
  readonly links: readonly FoundLink[];
  /** Its files, those that its HTML shows included. */
  readonly attachments: readonly Attachment[];
  /**
   * The one code. Throws a ContentError with the code `no_code` where there is none, an AmbiguityError where it can't be told.
   *
   * @example message.code({ length: 6 });
   */
  code(options?: CodeOptions): string;
  /**
   * The one link to follow. Throws a ContentError with the code `no_link` where there is none, an AmbiguityError where several may
   * be meant.
   *
   * @example message.link('reset').searchParams.get('token');
   */
  link(filter?: LinkFilter): URL;
  /**
   * Its exact bytes, which a local server alone tells: throws a LocalOnlyError elsewhere.
   *
   * @example const eml = new TextDecoder().decode(await message.raw());
   */
  raw(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Deletes it, which a local server alone can: throws a LocalOnlyError elsewhere.
   *
   * @example await message.delete();
   */
  delete(): Promise<void>;
}

export function createMessage(
  detail: MessageDetailResponse,
  local: Pick<LocalApi, 'getRawMessage' | 'getAttachment' | 'deleteMessage'>,
): Message {
  const { id, subject, textBody: text, htmlBody: html } = detail;
  const mail = subject === null ? `the message ${id}` : `"${subject}"`;
  // Looked for when asked: most waits are about something else.
  let codes: ReadCodes | null = null;
  let links: readonly FoundLink[] | null = null;
  let seen: string | null = null;
  const findAllCodes = () => {
    codes ??= readCodes({ subject, text, html });
    return codes;
  };
  const findAllLinks = () => {
    links ??= findLinks({ text, html }, 'every');
    return links;
  };
  const see = () => {
    seen ??= html === null ? (text ?? '') : visibleText(html).text;
    return seen;
  };
  return {
    id,
    from: addressOf(detail.from),
    to: addressesOf(detail.to),
    cc: addressesOf(detail.cc),
    bcc: addressesOf(detail.bcc),
    replyTo: addressesOf(detail.replyTo),
    subject,
    text,
    html,
    get visibleText() {
      return see();
    },
    headers: headersOf(detail),
    envelopeFrom: detail.envelopeFrom,
    receivedAt: new Date(detail.receivedAt),
    sizeBytes: detail.sizeBytes,
    get codes() {
      return findAllCodes().codes;
    },
    get links() {
      return findAllLinks();
    },
    attachments: detail.attachments.map((attachment) => createAttachment(attachment, id, local)),
    code: locatedSync((options = {}) =>
      chooseCode(findAllCodes(), options, mail, () => [subject ?? '', see(), text ?? '']),
    ),
    link: locatedSync((filter) => new URL(chooseLink(findAllLinks(), filter, mail))),
    raw: located(() => local.getRawMessage(id)),
    delete: located(() => local.deleteMessage(id)),
  };
}

function headersOf({ headersJson }: MessageDetailResponse): Message['headers'] {
  // docs/api.md#messages: the parsed headers as JSON text.
  return headersJson === null ? {} : (JSON.parse(headersJson) as Message['headers']);
}

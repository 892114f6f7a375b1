import { type FoundCode, type ReadCodes, readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';
import { visibleText } from '../../extract/visible-text.ts';
import type { LocalApi } from '../connection/local-api.ts';
import type { CheckOptions, Checks } from '../connection/local-resources.ts';
import type { MessageDetailResponse } from '../connection/resources.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import { type Address, addressesOf, addressOf } from './address.ts';
import { type Attachment, createAttachment } from './attachment.ts';
import { type CodeOptions, chooseCode } from './choose-code.ts';
import { chooseLink, type LinkFilter } from './choose-link.ts';
import { type Unsubscribed, unsubscribe } from './unsubscribe.ts';

/** A received message. */
export interface Message {
  /** The id of the message on the server. */
  readonly id: string;
  /**
   * The sender: the From header, or else the envelope sender. If there is neither, its name is null and its address
   * empty.
   *
   * @example expect(message.from.address).toBe('noreply@shop.test');
   */
  readonly from: Address;
  /**
   * The recipients of the To header, or else those of the envelope.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly to: readonly Address[];
  /** The recipients of the Cc header. */
  readonly cc: readonly Address[];
  /** The recipients of the Bcc header, or else the envelope recipients that neither To nor Cc names. */
  readonly bcc: readonly Address[];
  /** The addresses of the Reply-To header. */
  readonly replyTo: readonly Address[];
  /** The decoded subject; null if there is none. */
  readonly subject: string | null;
  /** The decoded text part; null if there is none. */
  readonly text: string | null;
  /** The decoded HTML part; null if there is none. */
  readonly html: string | null;
  /**
   * The text that a person sees: the HTML without markup and hidden parts, or else the text part.
   *
   * @example expect(message.visibleText).toContain('Your order has shipped');
   */
  readonly visibleText: string;
  /**
   * The headers, by their lower-case names, with decoded values. The value is an array if a header repeats.
   *
   * @example expect(message.headers['list-unsubscribe']).toBeDefined();
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The envelope sender (RFC 5321 MAIL FROM), which gets the bounces; null if there is none. */
  readonly envelopeFrom: string | null;
  /** The time of receipt, by the server's clock. */
  readonly receivedAt: Date;
  /** The size of the raw message in bytes. */
  readonly sizeBytes: number;
  /** The codes in the visible text, the likeliest first, each with the reason why it counts as a code. */
  readonly codes: readonly FoundCode[];
  /** The links in the order of the mail, each with its kind and the reason for the kind. */
  readonly links: readonly FoundLink[];
  /** The attachments, inline files included. */
  readonly attachments: readonly Attachment[];
  /**
   * Returns the code of the message. Throws a ContentError with the code `no_code` if there is none, an AmbiguityError
   * if several are equally likely, an OptionError for an invalid option.
   *
   * @example message.code({ length: 6 });
   */
  code(options?: CodeOptions): string;
  /**
   * Returns the link that the message asks its reader to follow, or the one that matches the filter. Throws a
   * ContentError with the code `no_link` if there is none, an AmbiguityError if several match, an OptionError for an
   * invalid filter.
   *
   * @example message.link('reset').searchParams.get('token');
   */
  link(filter?: LinkFilter): URL;
  /**
   * Returns the raw message, byte for byte. Throws a LocalOnlyError if the server has no local API.
   *
   * @example const eml = new TextDecoder().decode(await message.raw());
   */
  raw(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Checks the message for faults that its readers would notice: support by mail clients, links, placeholders,
   * unsubscribing, accessibility, size, headers and authentication. Throws a LocalOnlyError if the server has no local
   * API, a RefusedError for an unknown client or rule.
   *
   * @example const { findings } = await message.checks({ clients: ['gmail', 'outlook'], allow: ['link-http'] });
   */
  checks(options?: CheckOptions): Promise<Checks>;
  /**
   * Unsubscribes with one click (RFC 8058). It sends a POST to the https address of List-Unsubscribe, or to an http
   * address of this machine, and follows no redirect. Throws a ContentError with the code `no_one_click` if the headers
   * offer no one-click unsubscribe, and with `unsubscribe_failed` if the answer is not 2xx.
   *
   * @example await message.unsubscribe();
   */
  unsubscribe(): Promise<Unsubscribed>;
  /**
   * Deletes the message. Throws a LocalOnlyError if the server has no local API.
   *
   * @example await message.delete();
   */
  delete(): Promise<void>;
}

export function createMessage(
  detail: MessageDetailResponse,
  local: Pick<LocalApi, 'getRawMessage' | 'getAttachment' | 'deleteMessage' | 'checkMessage'>,
): Message {
  const { id, subject, textBody: text, htmlBody: html } = detail;
  const mail = subject === null ? `the message ${id}` : `"${subject}"`;
  const headers = headersOf(detail);
  // Codes and links are searched for only when they are asked for; most waits do not need them.
  let codes: ReadCodes | null = null;
  let links: readonly FoundLink[] | null = null;
  let seen: string | null = null;
  const findAllCodes = () => {
    codes ??= readCodes({ subject, text, html });
    return codes;
  };
  const findAllLinks = () => {
    links ??= findLinks({ subject, text, html }, 'every');
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
    headers,
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
      chooseCode(
        findAllCodes(),
        options,
        mail,
        () => [subject ?? '', see(), text ?? ''],
        () => findAllLinks().length,
      ),
    ),
    link: locatedSync((filter) => new URL(chooseLink(findAllLinks(), filter, mail))),
    raw: located(() => local.getRawMessage(id)),
    checks: located((options) => local.checkMessage(id, options)),
    unsubscribe: located(() => unsubscribe(headers, mail)),
    delete: located(() => local.deleteMessage(id)),
  };
}

function headersOf({ headersJson }: MessageDetailResponse): Message['headers'] {
  // docs/api.md#messages: the parsed headers as JSON text.
  return headersJson === null ? {} : (JSON.parse(headersJson) as Message['headers']);
}

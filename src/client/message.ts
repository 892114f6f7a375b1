import { type FoundCode, type ReadCodes, readCodes } from '../extract/codes.ts';
import { type FoundLink, findLinks } from '../extract/links.ts';
import { located, locatedSync } from './call-site.ts';
import { type CodeOptions, chooseCode } from './choose-code.ts';
import { chooseLink, type LinkFilter } from './choose-link.ts';
import type { LocalApi } from './local-api.ts';
import type { AttachmentResponse, MessageDetailResponse } from './resources.ts';

/** A message as a test reads it. */
export interface Message {
  readonly id: string;
  /** The From header's text, else the envelope sender. */
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** Lower-case names, decoded values, an array where a header repeats. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly envelopeFrom: string | null;
  readonly receivedAt: Date;
  readonly sizeBytes: number;
  /** The codes a person would see in it, likeliest first, each with its reason. */
  readonly codes: readonly FoundCode[];
  /** The links, in order, each with its kind and its reason. */
  readonly links: readonly FoundLink[];
  readonly attachments: readonly Attachment[];
  /** The one code. Throws a ContentError where there is none, an AmbiguityError where it can't be told. */
  code(options?: CodeOptions): string;
  /** The one link meant. Throws a ContentError where there is none, an AmbiguityError where there are several. */
  link(filter?: LinkFilter): URL;
  /** Its exact bytes, which a local server alone tells: throws a LocalOnlyError elsewhere. */
  raw(): Promise<Uint8Array<ArrayBuffer>>;
}

export interface Attachment extends AttachmentResponse {
  /** Its exact bytes, which a local server alone tells: throws a LocalOnlyError elsewhere. */
  content(): Promise<Uint8Array<ArrayBuffer>>;
}

export function createMessage(
  detail: MessageDetailResponse,
  local: Pick<LocalApi, 'getRawMessage' | 'getAttachment'>,
): Message {
  const { id, subject, textBody: text, htmlBody: html } = detail;
  const mail = subject === null ? `the message ${id}` : `"${subject}"`;
  let codes: ReadCodes | null = null;
  let links: readonly FoundLink[] | null = null;
  const findAllCodes = () => {
    codes ??= readCodes({ subject, text, html });
    return codes;
  };
  const findAllLinks = () => {
    links ??= findLinks({ text, html });
    return links;
  };
  return {
    id,
    from: detail.from,
    to: detail.to,
    cc: detail.cc,
    bcc: detail.bcc,
    replyTo: detail.replyTo,
    subject,
    text,
    html,
    headers: headersOf(detail),
    envelopeFrom: detail.envelopeFrom,
    receivedAt: new Date(detail.receivedAt),
    sizeBytes: detail.sizeBytes,
    // Looked for when asked: most waits are about something else.
    get codes() {
      return findAllCodes().codes;
    },
    get links() {
      return findAllLinks();
    },
    attachments: detail.attachments.map((attachment) => ({
      ...attachment,
      content: located(() => local.getAttachment(id, attachment.id)),
    })),
    code: locatedSync((options = {}) => chooseCode(findAllCodes(), options, mail)),
    link: locatedSync((filter) => chooseLink(findAllLinks(), filter, mail)),
    raw: located(() => local.getRawMessage(id)),
  };
}

function headersOf({ headersJson }: MessageDetailResponse): Message['headers'] {
  // docs/api.md#messages: the parsed headers as JSON text.
  return headersJson === null ? {} : (JSON.parse(headersJson) as Message['headers']);
}

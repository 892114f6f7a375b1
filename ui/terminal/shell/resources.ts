import type {
  AttachedMail,
  MailboxResponse,
  MessageDetailResponse,
  MessageFacts,
  MessageSummaryResponse,
  SearchPage,
  WebhookRequestSummary,
  WebhookRequestView,
  WebhookView,
} from '../../../src/client/index.ts';
import { curlCommand } from '../../../src/client/webhook/curl.ts';
import { findCodes } from '../../../src/extract/codes.ts';
import { findLinks } from '../../../src/extract/links.ts';
import { readableText } from '../../../src/extract/readable-text.ts';
import { FORWARDS } from '../../../src/text/forwards.ts';
import { pastedInShell } from '../../../src/text/in-shell.ts';
import { isUrl } from '../../../src/text/url.ts';
import { dateOf } from '../../model/mail-date.ts';
import type { MailRow } from '../../model/message-list.ts';
import type {
  AttachmentItem,
  LinkItem,
  Mail,
  MailboxItem,
  RequestDetail,
  RequestRow,
  WebhookItem,
} from '../model/resources.ts';

// Converts the client's answers into the resources of the model.

export function toMailboxItem({ id, name, subdomain }: MailboxResponse, mailDomain: string | null): MailboxItem {
  return { id, name: name || subdomain, address: mailDomain === null ? subdomain : `*@${subdomain}.${mailDomain}` };
}

type Summary = MessageSummaryResponse &
  Partial<Pick<SearchPage['items'][number], 'kind' | 'matches' | 'read' | 'starred' | 'tags'>>;

export function toMailRow(summary: Summary): MailRow {
  const { id, kind, from, to, receivedAt, sizeBytes, attachmentCount, matches, read, starred, tags } = summary;
  return {
    ...{ id, from: from ?? '', to: to ?? '', subject: summary.subject ?? '' },
    ...(kind === 'sms' && { kind }),
    ...{ receivedAt: Date.parse(receivedAt), sizeBytes, attachmentCount },
    ...(matches !== undefined && { matches }),
    ...{ read, starred, tags },
  };
}

const INFECTED = 2;

/**
 * Converts a message. `facts` is null without a local API; then codes are extracted here. Links are always extracted
 * here, because the server returns only web links.
 */
export function toMail(detail: MessageDetailResponse, facts: MessageFacts | null): Mail {
  const { textBody: text, htmlBody: html, subject } = detail;
  return {
    ...toMailRow({
      ...detail,
      attachmentCount: detail.attachments.length,
      ...(facts !== null && { read: facts.read, starred: facts.starred, tags: facts.tags }),
    }),
    ...contentOf(detail),
    date: null,
    envelope: facts?.envelope ?? null,
    spf: detail.spfResult,
    codes: facts?.codes ?? findCodes({ subject, text, html }),
    parseError: facts?.parseError ?? null,
  };
}

/** Converts a mail that is attached to a message. `attachment` is the file that holds it. */
export function toAttachedMail(attached: AttachedMail, { id, sizeBytes }: AttachmentItem): Mail {
  const { from, to, subject, attachments, codes, parseError } = attached;
  const date = dateOf(attached.headersJson);
  return {
    ...{ id, from: from ?? '', to: to ?? '', subject: subject ?? '' },
    ...{ receivedAt: date?.at ?? Number.NaN, sizeBytes, attachmentCount: attachments.length },
    ...contentOf(attached),
    ...{ date: date?.text ?? null, envelope: null, spf: null, codes, parseError },
  };
}

type Content = Pick<
  MessageDetailResponse | AttachedMail,
  'subject' | 'cc' | 'bcc' | 'replyTo' | 'textBody' | 'htmlBody' | 'headersJson' | 'attachments'
>;

/** Converts what a message and an attached mail both have. */
function contentOf({ subject, cc, bcc, replyTo, textBody: text, htmlBody: html, headersJson, attachments }: Content) {
  // The links are extracted here, because the server returns those that a person would follow.
  const found = findLinks({ subject, text, html }, 'followed');
  const links: LinkItem[] = found.map((link) => ({ ...link, tracker: link.tracker ?? null }));
  return {
    ...{ cc, bcc, replyTo, text, links },
    html: html === null ? null : readableText(html, numbersOf(links)),
    headers: headersOf(headersJson),
    attachments: attachments.map(toAttachmentItem),
  };
}

type FileFields = AttachedMail['attachments'][number];

function toAttachmentItem({ id, filename, contentType, sizeBytes, virusScanStatus }: FileFields): AttachmentItem {
  const infected = virusScanStatus === INFECTED;
  return { id, name: filename ?? '', contentType: contentType ?? '', sizeBytes, infected };
}

/** Returns a function that maps an anchor's target to the number of that link in the message's list. */
function numbersOf(links: readonly { readonly url: string }[]): (href: string) => number | null {
  const numbers = new Map(links.map(({ url }, at) => [url, at + 1]));
  return (href) => (isUrl(href) ? (numbers.get(new URL(href).href) ?? null) : null);
}

export function toWebhookItem(webhook: WebhookView, webhookBaseUrl: string | null): WebhookItem {
  const { id, name, key, requestCount, forwardUrl, forwardMode } = webhook;
  return {
    ...{ id, name: name || 'unnamed', requestCount },
    url: `${webhookBaseUrl ?? ''}/${key}`,
    forwardUrl: forwardMode === 0 ? null : forwardUrl,
  };
}

export function forwardOf(status: number): RequestRow['forward'] {
  return FORWARDS[status] ?? 'none';
}

export function toRequestRow(summary: WebhookRequestSummary, query: string | null = null): RequestRow {
  return {
    id: summary.id,
    method: summary.method ?? '',
    path: `${summary.path ?? '/'}${query === null ? '' : `?${query}`}`,
    contentType: summary.contentType,
    sizeBytes: summary.sizeBytes,
    receivedAt: Date.parse(summary.receivedAt),
    responseStatus: summary.responseStatus,
    forward: forwardOf(summary.forwardStatus),
    forwardHttpStatus: summary.forwardHttpStatus,
  };
}

/** Converts a captured request. `url` is the webhook URL, and `bodyUrl` returns the bytes of a binary body. */
export function toRequestDetail(view: WebhookRequestView, url: string, bodyUrl: string | null): RequestDetail {
  const row = toRequestRow(view, view.query);
  const headers = Object.entries(view.headers ?? {});
  return {
    ...row,
    headers,
    sourceIp: view.sourceIp,
    bodyText: view.bodyIsText ? (view.bodyText ?? '') : view.sizeBytes === 0 ? '' : null,
    forwardAttempts: view.forwardAttempts,
    forwardError: view.forwardError,
    forwardResponse: view.forwardResponse,
    curl: shellCurl({ method: row.method, url: url + row.path, headers, body: view.bodyText, bodyUrl }),
  };
}

function headersOf(json: string | null): [string, string][] {
  if (json === null) return [];
  const headers: unknown = JSON.parse(json);
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Null if the body is binary. */
  readonly body: string | null;
  /** The URL that returns the bytes of a binary body. */
  readonly bodyUrl: string | null;
}

/** Returns the curl command that repeats a captured request. */
export function shellCurl({ method, url, headers, body, bodyUrl }: Request): string {
  const isBytes = body === null && bodyUrl !== null;
  const data = isBytes
    ? ['--data-binary @-']
    : body === null || body === ''
      ? []
      : [`--data-raw ${pastedInShell(body)}`];
  const command = curlCommand({ url, method, headers, body: data, quoted: pastedInShell });
  return isBytes ? `curl -s ${pastedInShell(bodyUrl)} | ${command}` : command;
}

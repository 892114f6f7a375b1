import { z } from 'zod';
import { MailcapError } from '../client/errors.ts';
import type {
  Checks,
  Diagnosis,
  LinkKind,
  MessageDetailResponse,
  MessageSummaryResponse,
  WebhookRequestView,
} from '../client/index.ts';
import { chooseCode, chooseLink } from '../client/mailbox/choose.ts';
import { type SeenMail, seeMail } from '../extract/find.ts';
import { type Explanation, whyCode, whyLink } from '../extract/why.ts';
import {
  type CutText,
  cutAt,
  cutToTokens,
  defused,
  defusedLine,
  defusedSource,
  fence,
  type LinkData,
  plainCode,
  plainLink,
} from '../text/fence.ts';
import { saidCount } from '../text/said.ts';
import { NO_CLIENT, saidMissedTls, saidRefusal } from '../text/why-not.ts';
import { nameOfMessage } from '../text/wording.ts';

/** The parts of a message that can be read. `visible` is what a person sees. */
export const MESSAGE_PARTS = ['visible', 'text', 'html', 'headers', 'links'] as const;
type MessagePartName = (typeof MESSAGE_PARTS)[number];

/** The value that a wait returns in addition to the message: its code, the link to follow, or none. */
export const EXTRACTS = ['none', 'code', 'link'] as const;
export type Extract = (typeof EXTRACTS)[number];

const Link = z.object({ kind: z.string(), host: z.string(), url: z.string() });

/** The fields of a message outside its fence. None of them can hold a sentence of the sender. */
export const MESSAGE_FIELDS = {
  message_id: z.string(),
  received_at: z.string(),
  code: z.string().nullable(),
  link: Link.nullable(),
  content: z.string(),
} as const;

type MessageResult = z.infer<z.ZodObject<typeof MESSAGE_FIELDS>>;

/** The default length of the text in an answer, in tokens. */
const DEFAULT_TOKENS = 170;
const MAX_HEADER = 120;
const MAX_FILES = 5;

interface Asked {
  /** A new random id. */
  readonly fenceId: string;
  readonly extract?: Extract;
  /** The kind of the link to follow; any if undefined. */
  readonly kind?: LinkKind | undefined;
  readonly part?: MessagePartName;
  /** The characters of the part to return; about 170 tokens of them if undefined. */
  readonly maxChars?: number | undefined;
}

/**
 * Describes a message for a language model. Its code and the one link to follow are outside the fence, because their
 * form is checked. All other text of the sender is inside. A code or link is null if there is none, or if several are
 * as likely. `seen` is what a reader sees of it, which a server finds in a thread.
 */
export function messageResult(
  message: MessageDetailResponse,
  { fenceId, extract = 'none', kind, part = 'visible', maxChars }: Asked,
  seen: SeenMail = seeMail({ subject: message.subject, text: message.textBody, html: message.htmlBody }),
): MessageResult {
  const cut = (text: string) => (maxChars === undefined ? cutToTokens(text, DEFAULT_TOKENS) : cutAt(text, maxChars));
  const code = extract === 'link' ? null : codeOf(seen);
  const link = extract === 'code' ? null : linkOf(seen, kind);
  // The text shows the agent why the code or link that it asked for is missing.
  const isWhole = extract === 'none' || (code === null && link === null);
  return {
    message_id: message.id,
    received_at: message.receivedAt,
    code,
    // A long URL costs more tokens than the rest of the answer, so an answer holds it only on request.
    link: extract === 'none' && part !== 'links' && (link?.url.length ?? 0) > LONG_URL ? null : link,
    content: fence(
      fenceId,
      [...headOf(message), ...whyNone(seen, extract, code, link), ...(isWhole ? bodyOf(message, part, seen, cut) : [])],
      {
        isSource: part === 'html' || part === 'headers',
      },
    ),
  };
}

/** The longest URL, in characters, that an answer holds without a request for it. */
const LONG_URL = 200;

function codeOf(seen: SeenMail): string | null {
  return plainCode(orNull(() => chooseCode(seen, {}, 'it')) ?? '');
}

function linkOf({ links }: SeenMail, kind: LinkKind | undefined): z.infer<typeof Link> | null {
  const url = orNull(() => chooseLink(links, kind, 'it'));
  const plain = url === null ? null : plainLink(url);
  return plain === null ? null : { kind: links.find((one) => one.url === url)?.kind ?? 'other', ...plain };
}

function orNull(choose: () => string): string | null {
  try {
    return choose();
  } catch (error) {
    if (error instanceof MailcapError) return null;
    throw error;
  }
}

const MAX_CANDIDATES = 5;

/** Lists the candidates for the code or link that was asked for and is not clear, each with its reasons. */
function whyNone(seen: SeenMail, extract: Extract, code: string | null, link: unknown): string[] {
  if (extract === 'code' && code === null) return candidatesOf(whyCode(seen));
  return extract === 'link' && link === null ? candidatesOf(whyLink(seen.links)) : [];
}

function candidatesOf({ candidates, hint }: Explanation): string[] {
  const lines = candidates.slice(0, MAX_CANDIDATES).map(({ value, kind, verdict, reason }) => {
    return `- ${kind === null ? '' : `${kind} `}${defusedLine(value, 80)}: ${verdict}, ${defusedLine(reason, 120)}`;
  });
  return lines.length === 0 ? [] : ['Candidates:', ...lines, ...(hint === null ? [] : [defusedLine(hint, 200)])];
}

function headOf({ from, to, subject, attachments }: MessageDetailResponse): string[] {
  const files = attachments.slice(0, MAX_FILES).map(({ filename, contentType, sizeBytes }) => {
    const name = defusedLine(filename ?? 'without a name', 60);
    return `${name} (${defusedLine(contentType ?? 'unknown type', 40)}, ${sizeBytes} bytes)`;
  });
  const more = attachments.length > MAX_FILES ? `, and ${attachments.length - MAX_FILES} more` : '';
  return [
    `From: ${defusedLine(from ?? '', MAX_HEADER)}`,
    `To: ${defusedLine(to ?? '', MAX_HEADER)}`,
    `Subject: ${defusedLine(subject ?? '', MAX_HEADER)}`,
    ...(files.length === 0 ? [] : [`Attachments: ${files.join('; ')}${more}`]),
  ];
}

function bodyOf(
  message: MessageDetailResponse,
  part: MessagePartName,
  seen: SeenMail,
  cut: (text: string) => CutText,
): string[] {
  const { text, leftOut } = cut(partOf(message, part, seen));
  const hosts = part === 'visible' ? hostsOf(seen) : [];
  const more = leftOut === 0 ? [] : [`[${leftOut} more characters: read_message with max_chars]`];
  return ['', text, ...more, ...hosts];
}

function partOf(
  { textBody, htmlBody, headersJson }: MessageDetailResponse,
  part: MessagePartName,
  seen: SeenMail,
): string {
  switch (part) {
    case 'visible':
      return defused((seen.readable ?? textBody ?? '').trim());
    case 'text':
      return defused(textBody ?? '');
    case 'html':
      return defusedSource(htmlBody ?? '');
    case 'headers':
      return defusedSource(headersJson ?? '{}');
    case 'links':
      return seen.links
        .map(
          (link, at) =>
            `[${at + 1}] ${writeLink(link.kind, plainLink(link.url), link.url)} (${defusedLine(link.reason, 120)})`,
        )
        .join('\n');
  }
}

function writeLink(kind: string, plain: LinkData | null, written: string): string {
  if (plain === null) return `${kind}, not to be followed as it is: ${defusedLine(written, 200)}`;
  return `${kind}, host ${plain.host}: ${plain.url}`;
}

const MAX_HOSTS = 4;

/** Lists the hosts of the numbered links, because the text refers to links only by number. */
function hostsOf({ links }: SeenMail): string[] {
  const shown = links.slice(0, MAX_HOSTS).map(({ kind, url }, at) => {
    return `[${at + 1}] ${kind}, ${defusedLine(plainLink(url)?.host ?? 'no plain address', 60)}`;
  });
  const more = links.length > MAX_HOSTS ? [`${links.length - MAX_HOSTS} more`] : [];
  return shown.length === 0 ? [] : [`Links: ${[...shown, ...more].join('; ')} (read_message with part links)`];
}

/**
 * Describes messages for a language model, newest first: their ids as data, and a line for each inside one fence. `more`
 * tells whether there are others, and `words` names the text messages, which have no subject.
 */
export function listResult(
  messages: readonly (MessageSummaryResponse & { readonly kind?: string })[],
  more: boolean,
  fenceId: string,
  words: ReadonlyMap<string, string>,
) {
  const lines = messages.map(
    ({ id, from, to, subject, kind }, at) =>
      `${at + 1}. ${defusedLine(subject || words.get(id) || nameOfMessage({ subject, kind }, 70), 70)}, from ${defusedLine(from ?? '', 50)}, to ${defusedLine(to ?? '', 40)}`,
  );
  return {
    messages: messages.map(({ id, receivedAt }) => ({ message_id: id, received_at: receivedAt })),
    more,
    content: lines.length === 0 ? '' : fence(fenceId, lines),
  };
}

const SHOWN_FINDINGS = 4;

/**
 * Describes the checks of a message for a language model. Rules and counts are plain data. The texts quote the mail, so
 * they are inside a fence. It leaves out notes, because they never fail a check.
 */
export function checksResult({ passed, findings, checkError }: Checks, fenceId: string) {
  const counted = findings.filter(({ severity }) => severity !== 'note');
  const lines = counted.slice(0, SHOWN_FINDINGS).map(({ rule, message, remedy, place, count }) => {
    const where =
      place === null ? '' : ` (${place.part} ${place.line}:${place.column}${count > 1 ? `, ${count} places` : ''})`;
    return `${rule}: ${defusedLine(message, 140)}${where} ${defusedLine(remedy, 100)}`;
  });
  const more = counted.length > SHOWN_FINDINGS ? [`and ${counted.length - SHOWN_FINDINGS} more`] : [];
  const failed = checkError === null ? [] : [`not checked: ${defusedLine(checkError, 160)}`];
  const all = [...failed, ...lines, ...more];
  return {
    passed,
    errors: counted.filter(({ severity }) => severity === 'error').length,
    warnings: counted.filter(({ severity }) => severity === 'warning').length,
    rules: [...new Set(counted.map(({ rule }) => rule))],
    content: all.length === 0 ? '' : fence(fenceId, all),
  };
}

const SHOWN_MESSAGES = 3;
const MAX_TEXT = 80;

/** The reason why nothing came, in our own words, and the observed mails and replies inside a fence. */
export interface DiagnosisResult {
  readonly reason: string;
  readonly content: string;
}

/**
 * Describes a diagnosis for a language model. `isReturned` tells whether an earlier wait returned a message. The reason
 * holds only counts and names of mailboxes. Subjects, addresses and replies are inside the fence.
 */
export function diagnosisResult(
  { messages, elsewhere, refusals, lastConnection }: Diagnosis,
  fenceId: string,
  isReturned: (id: string) => boolean,
): DiagnosisResult {
  const matching = messages.items.filter(({ refusedBy }) => refusedBy.length === 0);
  const returned = matching.filter(({ id }) => isReturned(id)).length;
  const others = countOf(messages) - matching.length;
  const astray = elsewhere.items.filter(({ matches }) => matches);
  const places = [...new Set((astray.length > 0 ? astray : elsewhere.items).map(({ subdomain }) => subdomain))];
  const isSilent = countOf(messages) + countOf(elsewhere) + countOf(refusals) === 0;
  const sentences = [
    ...(returned > 0 ? [`An earlier wait returned ${saidCount(returned, 'message')} that matches: read_message.`] : []),
    ...(matching.length > returned
      ? [`${saidCount(matching.length - returned, 'message matches', 'messages match')} but came early.`]
      : []),
    ...(others > 0 ? [`${saidCount(others, 'message')} came here and did not match.`] : []),
    ...(countOf(elsewhere) > 0
      ? [
          `${saidCount(countOf(elsewhere), 'message')} went to other mailboxes: ${places.slice(0, SHOWN_MESSAGES).join(', ')}.`,
        ]
      : []),
    ...(countOf(refusals) > 0 ? [`SMTP refused ${saidCount(countOf(refusals), 'mail')}.`] : []),
    ...(isSilent ? [silence(lastConnection)] : []),
  ];
  const lines = [
    ...messages.items.slice(0, SHOWN_MESSAGES).map(({ id, refusedBy, ...one }) => {
      const why = refusedBy.map((one) => saidRefusal(one, quoted)).join(', ');
      return `${id} ${summaryOf(one)}: ${why || (isReturned(id) ? 'returned before' : 'matches')}`;
    }),
    ...elsewhere.items
      .slice(0, SHOWN_MESSAGES)
      .map(({ id, subdomain, ...one }) => `${id} in ${subdomain} ${summaryOf(one)}`),
    ...refusals.items
      .slice(0, SHOWN_MESSAGES)
      .map(({ stage, recipient, reply }) => `refused at ${stage}, to ${quoted(recipient)}: ${quoted(reply)}`),
  ];
  return { reason: sentences.join(' '), content: lines.length === 0 ? '' : fence(fenceId, lines) };
}

function countOf({ items, leftOut }: { readonly items: readonly unknown[]; readonly leftOut: number }): number {
  return items.length + leftOut;
}

function silence(last: Diagnosis['lastConnection']): string {
  if (last === null) return `${NO_CLIENT} The app does not send to this server, or sends to another workspace.`;
  const missed = saidMissedTls(last);
  const asked = last.tls === 'asked' ? ' It asked for TLS and left: it refuses the certificate.' : '';
  const tls = missed === '' ? asked : ` The reason: ${missed}.`;
  return `Nothing came. The last SMTP client connected at ${last.openedAt} and sent ${saidCount(last.accepted, 'mail')}.${tls}`;
}

function summaryOf({ subject, to }: { readonly subject: string | null; readonly to: string | null }): string {
  return `${quoted(subject)} to ${quoted(to)}`;
}

function quoted(text: string | null): string {
  return `"${defusedLine(text ?? '', MAX_TEXT)}"`;
}

const BODY_TOKENS = 200;
const MAX_HEADERS = 12;
/** The header fields that every HTTP client sends, and that tell an agent nothing. */
const DULL = /^(?:host|connection|content-length|accept|accept-encoding|accept-language|user-agent|sec-fetch-mode)$/i;

/** Describes a captured request for a language model: method and form as data, everything else inside a fence. */
export function requestResult(request: WebhookRequestView, fenceId: string) {
  const { id, method, receivedAt, path, query, bodyText } = request;
  const { text, leftOut }: CutText = cutToTokens(defused(bodyText ?? ''), BODY_TOKENS);
  const target = `${path ?? ''}${query ? `?${query}` : ''}`;
  const lines = [
    `Path: ${defusedLine(target || '/', 200)}`,
    ...headersOf(request),
    '',
    text === '' ? '(no text body)' : text,
    ...(leftOut === 0 ? [] : [`[${leftOut} more characters]`]),
  ];
  return {
    request_id: id,
    method: /^[A-Z]{1,10}$/.test(method ?? '') ? (method ?? '') : 'OTHER',
    received_at: receivedAt,
    content: fence(fenceId, lines),
  };
}

function headersOf({ headers }: WebhookRequestView): string[] {
  return Object.entries(headers ?? {})
    .filter(([name]) => !DULL.test(name))
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => `${defusedLine(name, 40)}: ${defusedLine(value, 120)}`);
}

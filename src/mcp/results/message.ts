import { z } from 'zod';
import { type LinkKind, MailcapError, type MessageDetailResponse } from '../../client/index.ts';
import { chooseCode } from '../../client/mailbox/choose-code.ts';
import { chooseLink } from '../../client/mailbox/choose-link.ts';
import { type Explanation, whyCode, whyLink } from '../../extract/why.ts';
import { type Cut, cutAt, cutToTokens, defused, defusedLine, defusedSource, fence } from '../../text/fence.ts';
import { type LinkData, plainCode, plainLink } from '../../text/trusted.ts';
import { readSeen, type Seen } from './content.ts';

/** The parts of a message that can be read. `visible` is what a person sees. */
export const MESSAGE_PARTS = ['visible', 'text', 'html', 'headers', 'links'] as const;
export type MessagePartName = (typeof MESSAGE_PARTS)[number];

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

export type MessageResult = z.infer<z.ZodObject<typeof MESSAGE_FIELDS>>;

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
 * as likely.
 */
export function messageResult(
  message: MessageDetailResponse,
  { fenceId, extract = 'none', kind, part = 'visible', maxChars }: Asked,
): MessageResult {
  const seen = readSeen(message);
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

function codeOf({ codes }: Seen): string | null {
  return plainCode(orNull(() => chooseCode(codes, {}, 'it')) ?? '');
}

function linkOf({ links }: Seen, kind: LinkKind | undefined): z.infer<typeof Link> | null {
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
function whyNone(seen: Seen, extract: Extract, code: string | null, link: unknown): string[] {
  if (extract === 'code' && code === null) return candidatesOf(whyCode(seen.codes));
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
  seen: Seen,
  cut: (text: string) => Cut,
): string[] {
  const { text, leftOut } = cut(partOf(message, part, seen));
  const hosts = part === 'visible' ? hostsOf(seen) : [];
  const more = leftOut === 0 ? [] : [`[${leftOut} more characters: read_message with max_chars]`];
  return ['', text, ...more, ...hosts];
}

function partOf({ textBody, htmlBody, headersJson }: MessageDetailResponse, part: MessagePartName, seen: Seen): string {
  switch (part) {
    case 'visible':
      return defused(seen.text.trim());
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
function hostsOf({ links }: Seen): string[] {
  const shown = links.slice(0, MAX_HOSTS).map(({ kind, url }, at) => {
    return `[${at + 1}] ${kind}, ${defusedLine(plainLink(url)?.host ?? 'no plain address', 60)}`;
  });
  const more = links.length > MAX_HOSTS ? [`${links.length - MAX_HOSTS} more`] : [];
  return shown.length === 0 ? [] : [`Links: ${[...shown, ...more].join('; ')} (read_message with part links)`];
}

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
    return { message, raw, headerText, headers: headersIn(headerText), parsed, files, from: message.mailFrom, to };
  });
}

function headersIn(block: string): [string, string][] {
  const lines = block.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);
  return lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).trimEnd(), line.slice(colon + 1).trim()];
    if (colon < 1 || /\s/.test(name)) return [];
    return [[name, decodeHeader(name.toLowerCase(), Buffer.from(value)) ?? value]];
  });
}

/** Returns the first value of a header field. */
export function inboundHeader({ headers }: InboundMail, name: string): string | null {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null;
}

/** Returns the addresses of a header; none if it has none that can be read. */
export function peopleOf(text: string | null): readonly ListedAddress[] {
  return text === null ? [] : (addressListIn(text) ?? []);
}

/** A line behind which everything is quoted. */
const REST_IS_QUOTED = /^-{2,} ?(?:Original|Forwarded) Message ?-{2,}/i;

/** The text of a reply without what it quotes: lines with `>`, and those before them that say who wrote. */
export function withoutQuote(text: string): string {
  const kept: string[] = [];
  let isQuoting = false;
  for (const line of text.split(/\r?\n/)) {
    if (REST_IS_QUOTED.test(line)) break;
    const isQuoted = line.startsWith('>');
    if (isQuoted && !isQuoting) kept.length = introductionIn(kept);
    if (!isQuoted) kept.push(line);
    // An empty line stands between parts of a quote too.
    isQuoting = isQuoted || (isQuoting && line === '');
  }
  return kept.join('\n').trim();
}

/** Returns where the words begin that say who wrote what is quoted next, as in `On 27 Nov 2026 Ada <ada@x.test> wrote:`. */
function introductionIn(lines: readonly string[]): number {
  const end = lines.findLastIndex((line) => line !== '');
  const last = (lines[end] ?? '').slice(-500);
  if (!/:\s?$/.test(last) || !/@|\d{4}|\bwrote\b/.test(last)) return lines.length;
  // A long one stands in several lines, of which the first has the date.
  for (let start = end; start >= 0 && start > end - 3 && lines[start] !== ''; start--)
    if (/^(?:On|Am|Le|El|Il|Op|Em|Den) .*\d/.test(lines[start]?.slice(0, 500) ?? '')) return start;
  return end;
}

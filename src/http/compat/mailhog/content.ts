import { MAX_HEADER_BYTES } from '../../../mail/header-block.ts';
import { parseMimeValue } from '../../../mail/mime-value.ts';

/** A mail or a part of it, as MailHog reads it. Nothing is decoded. If a field repeats, the last one counts. */
export interface MailhogContent {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  /** In bytes. */
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly MailhogContent[] } | null;
}

/** The number of multiparts within each other that are read. MailHog has no limit. */
const MAX_DEPTH = 20;
/** The number of pieces into which one multipart is split. */
const MAX_PARTS = 1_000;

/** Reads the header and the body of a mail, and its parts if it is a multipart. */
export function contentOf(text: string, depth = 0): MailhogContent {
  const end = text.indexOf('\r\n\r\n');
  const Headers = headersOf(end < 0 ? '' : text.slice(0, Math.min(end, MAX_HEADER_BYTES)));
  const Body = end < 0 ? text : text.slice(end + 4);
  const type = Headers['Content-Type']?.[0] ?? '';
  const MIME = depth < MAX_DEPTH && type.startsWith('multipart/') ? { Parts: partsOf(Body, type, depth) } : null;
  return { Headers, Body, Size: Buffer.byteLength(text), MIME };
}

function partsOf(body: string, type: string, depth: number): MailhogContent[] {
  const boundary = parseMimeValue(Buffer.from(type)).param('boundary');
  if (boundary === null) return [];
  const pieces = body.split(`--${boundary}`, MAX_PARTS).filter((piece) => piece !== '');
  return pieces.map((piece) => contentOf(trimmed(piece), depth + 1));
}

/** Removes the line ends around a part. A regular expression would inspect every line of a large part. */
function trimmed(piece: string): string {
  const isLineEnd = (at: number) => piece[at] === '\r' || piece[at] === '\n';
  let from = 0;
  let to = piece.length;
  while (from < to && isLineEnd(from)) from++;
  while (to > from && isLineEnd(to - 1)) to--;
  return piece.slice(from, to);
}

/** Reads the fields. The object has no prototype, because a sender chooses the names. */
function headersOf(block: string): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  const folded = new Map<string, string[]>();
  let pieces: string[] | undefined;
  for (const line of block.split('\r\n')) {
    if (pieces !== undefined && /^[ \t]/.test(line)) {
      pieces.push(line);
      continue;
    }
    const colon = line.indexOf(': ');
    if (colon < 0) continue;
    pieces = [line.slice(colon + 2)];
    folded.set(line.slice(0, colon), pieces);
  }
  for (const [name, texts] of folded) fields[name] = [texts.join('')];
  return fields;
}

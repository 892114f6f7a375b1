// A MIME parser for the structure view of a mail. It only displays parts; the server decides which attachments and
// bodies a mail has.

export type SourceHeader = readonly [name: string, value: string];

export interface MimePart {
  /** The part number as in IMAP, such as `1` or `1.2`. */
  readonly number: string;
  /** The media type in lower case, such as `text/plain`. */
  readonly type: string;
  readonly headers: readonly SourceHeader[];
  readonly filename: string | null;
  readonly encoding: string | null;
  readonly charset: string | null;
  /** The size of the encoded part as it is in the mail. */
  readonly sizeBytes: number;
  /** The body of the part, after the blank line that ends its headers. */
  readonly body: string;
  readonly parts: readonly MimePart[];
}

/**
 * Decodes bytes as Latin-1, one character a byte, so no charset loses data. The `latin1` of a browser is Windows-1252,
 * which has other characters for some bytes.
 */
export function latin1Text(bytes: Uint8Array): string {
  let text = '';
  // Many arguments at once overflow the stack.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

const MAX_PARTS = 500;
const MAX_DEPTH = 12;

/** Parses a mail into its headers and parts. `source` holds its bytes decoded as Latin-1, one character a byte. */
export function mimeTree(source: string): MimePart {
  return partOf(source, '', 0, { left: MAX_PARTS });
}

export function partAt(root: MimePart, number: string): MimePart | null {
  if (root.number === number) return root;
  // The number of a part starts with that of the part around it.
  for (const part of root.parts)
    if (number === part.number || number.startsWith(`${part.number}.`)) return partAt(part, number);
  return null;
}

/** Returns the header fields of a source in order, each one unfolded. */
export function headersOf(source: string): SourceHeader[] {
  const [head] = headAndBody(source);
  const headers: [string, string][] = [];
  for (const line of head.split(/\r?\n/)) {
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) last[1] += ` ${line.trim()}`;
    else {
      const colon = line.indexOf(':');
      if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    }
  }
  return headers;
}

/** Returns a parameter of a header value, such as `boundary` of Content-Type. It joins RFC 2231 continuations. */
export function parameterOf(value: string, name: string): string | null {
  const pieces: string[] = [];
  const wanted = name.toLowerCase();
  for (const [, key = '', quoted, plain] of value.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;]*))/g)) {
    const lower = key.toLowerCase();
    const text = (quoted ?? plain ?? '').replace(/\\(.)/g, '$1');
    if (lower === wanted) return text;
    if (lower.startsWith(`${wanted}*`)) pieces.push(lower.endsWith('*') ? percentDecoded(text) : text);
  }
  return pieces.length === 0 ? null : pieces.join('');
}

function partOf(source: string, number: string, depth: number, budget: { left: number }): MimePart {
  budget.left--;
  const [, body] = headAndBody(source);
  const headers = headersOf(source);
  const fieldOf = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
  const contentType = fieldOf('content-type') ?? 'text/plain';
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase() || 'text/plain';
  const boundary = type.startsWith('multipart/') ? parameterOf(contentType, 'boundary') : null;
  const pieces = boundary === null || depth >= MAX_DEPTH ? [] : piecesOf(body, boundary);
  const parts: MimePart[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (budget.left <= 0) break;
    parts.push(partOf(piece, number === '' ? String(index + 1) : `${number}.${index + 1}`, depth + 1, budget));
  }
  const disposition = fieldOf('content-disposition');
  return {
    number: number === '' ? 'mail' : number,
    type,
    headers,
    filename: (disposition && parameterOf(disposition, 'filename')) ?? parameterOf(contentType, 'name'),
    // Some programs quote it, or put a comment behind it.
    encoding: /[\w-]+/.exec(fieldOf('content-transfer-encoding') ?? '')?.[0].toLowerCase() ?? null,
    charset: parameterOf(contentType, 'charset'),
    sizeBytes: body.length,
    body,
    parts,
  };
}

function headAndBody(source: string): [head: string, body: string] {
  const blank = /\r?\n\r?\n/.exec(source);
  if (/^\r?\n/.test(source)) return ['', source.replace(/^\r?\n/, '')];
  if (blank === null) return [source, ''];
  return [source.slice(0, blank.index), source.slice(blank.index + blank[0].length)];
}

/** Splits a multipart body at its boundary lines (RFC 2046 5.1.1). */
function piecesOf(body: string, boundary: string): string[] {
  const pieces: string[] = [];
  const mark = `--${boundary}`;
  let start = -1;
  let at = body.startsWith(mark) ? 0 : nextMark(body, mark, 0);
  while (at >= 0) {
    if (start >= 0) pieces.push(body.slice(start, at).replace(/\r?\n$/, ''));
    const lineEnd = body.indexOf('\n', at);
    const isLast = body.startsWith('--', at + mark.length);
    if (isLast || lineEnd < 0) return pieces;
    start = lineEnd + 1;
    at = nextMark(body, mark, lineEnd);
  }
  if (start >= 0) pieces.push(body.slice(start));
  return pieces;
}

function nextMark(body: string, mark: string, from: number): number {
  const at = body.indexOf(`\n${mark}`, from);
  return at < 0 ? -1 : at + 1;
}

function percentDecoded(text: string): string {
  const value = text.replace(/^[^']*'[^']*'/, '');
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** One hop of a mail, parsed from a Received header. */
export interface Hop {
  readonly from: string | null;
  readonly by: string | null;
  readonly with: string | null;
  readonly for: string | null;
  /** Milliseconds since 1970; null if the header has no valid date. */
  readonly at: number | null;
  /** The milliseconds since the previous hop; null if one of the two dates is missing. */
  readonly tookMs: number | null;
}

/** Returns the hops of a mail, oldest first. Each server adds its Received header at the top (RFC 5321 4.4). */
export function trace(headers: readonly SourceHeader[]): readonly Hop[] {
  const hops: Hop[] = [];
  for (const [name, value] of [...headers].reverse()) {
    if (name.toLowerCase() !== 'received') continue;
    const semicolon = value.lastIndexOf(';');
    const said = semicolon < 0 ? value : value.slice(0, semicolon);
    const time =
      semicolon < 0
        ? Number.NaN
        : Date.parse(
            value
              .slice(semicolon + 1)
              .replace(/\([^()]*\)/g, '')
              .trim(),
          );
    const at = Number.isNaN(time) ? null : time;
    const before = hops.at(-1)?.at ?? null;
    const word = (key: string) => new RegExp(`(?:^|\\s)${key}\\s+(<[^<>]*>|[^\\s;()]+)`, 'i').exec(said)?.[1] ?? null;
    hops.push({
      from: word('from'),
      by: word('by'),
      with: word('with'),
      for: word('for'),
      at,
      tookMs: at === null || before === null ? null : at - before,
    });
  }
  return hops;
}

/** The number of lines from which base64 data is folded. */
const LONG_RUN = 12;

/** A piece of a body. A folded piece stands for lines that are shown when the reader asks for them. */
export interface BodyPiece {
  readonly text: string;
  readonly folded: boolean;
}

/** Splits the body of a mail's source so that long base64 data can be folded. */
export function foldedBody(body: string): readonly BodyPiece[] {
  const pieces: BodyPiece[] = [];
  let run: string[] = [];
  let plain: string[] = [];
  const flush = () => {
    if (run.length >= LONG_RUN) {
      if (plain.length > 0) pieces.push({ text: `${plain.join('\n')}\n`, folded: false });
      plain = [];
      pieces.push({ text: `… ${run.length} lines of base64: show`, folded: true }, { text: '\n', folded: false });
    } else plain.push(...run);
    run = [];
  };
  for (const line of body.split('\n')) {
    const isBase64 = /^[A-Za-z0-9+/]{56,}={0,2}$/.test(line);
    if (isBase64) run.push(line);
    // Padding ends base64. A line of quoted-printable may end with `=` and be followed by another one.
    if (!isBase64 || line.endsWith('=')) flush();
    if (!isBase64) plain.push(line);
  }
  flush();
  if (plain.length > 0) pieces.push({ text: plain.join('\n'), folded: false });
  return pieces;
}

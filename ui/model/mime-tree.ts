// The structure of a mail as its bytes say it, for people to look at: what to make of it is the server's affair.

export type Header = readonly [name: string, value: string];

export interface MimePart {
  /** `1`, `1.2`: as IMAP numbers them. */
  readonly number: string;
  /** `text/plain`; in lower case. */
  readonly type: string;
  readonly headers: readonly Header[];
  readonly filename: string | null;
  readonly encoding: string | null;
  readonly charset: string | null;
  /** As they stand in the mail, encoded. */
  readonly sizeBytes: number;
  /** The text between the blank line and the end of the part. */
  readonly body: string;
  readonly parts: readonly MimePart[];
}

const MAX_PARTS = 500;
const MAX_DEPTH = 12;

/** Headers and parts of a mail. `source`: its bytes, each as the character of its value (Latin-1). */
export function mimeTree(source: string): MimePart {
  return partOf(source, '', 0, { left: MAX_PARTS });
}

/** The header fields of a source, unfolded, in order. */
export function headersOf(source: string): Header[] {
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

/** A parameter of a header as `boundary` of Content-Type, RFC 2231 continuations joined. */
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
    encoding: fieldOf('content-transfer-encoding')?.toLowerCase() ?? null,
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

/** What stands between the lines of a boundary (RFC 2046 5.1.1). */
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

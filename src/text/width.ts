import stringWidth from 'string-width';

// Computes the width of text in terminal columns. A wide glyph takes two columns and a combining mark none. Plain text
// has a fast path.

// It is made for the first text that is not plain, because that takes time.
let segmenter: Intl.Segmenter | null = null;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** ASCII, Latin letters and our own symbols. Each takes one column and one UTF-16 unit. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f–—‘’“”•…←↑→↓─│●○✕❯]*$/;

/** A cache of widths. Most text on a screen was there in the previous frame. */
const KNOWN = new Map<string, number>();
const MAX_KNOWN = 8_000;
const MAX_KNOWN_LENGTH = 300;

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  if (text.length > MAX_KNOWN_LENGTH) return stringWidth(text);
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  const width = stringWidth(text);
  KNOWN.set(text, width);
  return width;
}

/** Cuts a text without styles to `width` columns. A cut text ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  // Only the beginning is segmented. A glyph has at most two columns, and few have more than eight UTF-16 units.
  const head = text.length > 16 * width ? text.slice(0, 16 * width) : text;
  if (head === text && widthOf(text) <= width) return text;
  return `${fitting(graphemesOf(head), width - 1).join('')}…`;
}

/** Returns the first glyphs that fit into some columns. */
function fitting(glyphs: Iterable<Intl.SegmentData>, columns: number): string[] {
  const kept: string[] = [];
  let left = columns;
  for (const { segment } of glyphs) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept.push(segment);
  }
  return kept;
}

/**
 * Cuts a text without styles to `width` columns, at the end of a word if that leaves a good part of it. A cut text ends
 * with an ellipsis.
 */
export function cutAtWord(text: string, width: number): string {
  const shown = cut(text, width);
  if (shown === text) return text;
  const kept = shown.slice(0, -1);
  if (text.startsWith(`${kept} `)) return `${kept.trimEnd()}…`;
  const end = kept.lastIndexOf(' ');
  return end * 2 < kept.length ? shown : `${kept.slice(0, end).trimEnd()}…`;
}

/** Cuts a text without styles to `width` columns and keeps its end. A cut text begins with an ellipsis. */
function cutStart(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  const backwards = [...graphemesOf(text.slice(-16 * width))].reverse();
  const kept = fitting(backwards, width - 1).reverse();
  return `…${kept.join('')}`;
}

/** Cuts a text without styles to `width` columns and keeps its beginning and its end, with an ellipsis between them. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const beginning = cut(text, Math.max(1, Math.ceil(width / 2)));
  return beginning.slice(0, -1) + cutStart(text, width - widthOf(beginning) + 1);
}

/** Cuts a text, or pads it on the right, to exactly `width` columns. */
export function fill(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

/** Cuts a text, or pads it on the left, to exactly `width` columns. */
export function fillRight(text: string, width: number): string {
  const shown = cut(text, width);
  return ' '.repeat(Math.max(0, width - widthOf(shown))) + shown;
}

/** Wraps a line to `width` columns, at spaces if possible. */
export function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  let columns = 0;
  for (const word of line.split(/(?<=[ \u3000])/)) {
    const wide = widthOf(word);
    if (columns + widthOf(word.trimEnd()) <= width) {
      current += word;
      columns += wide;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    const pieces = widthOf(word.trimEnd()) <= width ? [word] : piecesOf(word.trimEnd(), width);
    const isSplit = pieces.length > 1;
    // The spaces behind a split word stand before the next one.
    current = (pieces.pop() ?? '') + (isSplit ? word.slice(word.trimEnd().length) : '');
    columns = widthOf(current);
    lines.push(...pieces);
  }
  lines.push(current.trimEnd());
  return lines;
}

/** Splits a word that is wider than a line. */
function piecesOf(word: string, width: number): string[] {
  if (PLAIN.test(word)) return word.match(new RegExp(`.{1,${Math.max(1, width)}}`, 'g')) ?? [];
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const { segment } of graphemesOf(word)) {
    const next = widthOf(segment);
    if (columns + next > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      columns = 0;
    }
    piece += segment;
    columns += next;
  }
  pieces.push(piece);
  return pieces;
}

const MAX_LINES = 20_000;
const MAX_CHARACTERS = 1_000_000;

/**
 * Wraps a text to a column and expands tabs. It cuts the text at a million characters or 20,000 lines and adds a note
 * that says so.
 */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const line of text.slice(0, MAX_CHARACTERS).split('\n')) {
    for (const piece of wrapLine(line.replaceAll('\t', '    ').trimEnd(), width)) lines.push(piece);
    if (lines.length >= MAX_LINES) break;
  }
  const isCut = text.length > MAX_CHARACTERS || lines.length >= MAX_LINES;
  return isCut ? [...lines.slice(0, MAX_LINES), '', '… the rest is not shown'] : lines;
}

/**
 * Characters whose width terminals may compute differently: all but Latin letters, punctuation, arrows, boxes and our
 * escape sequences.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own escape sequences begin with ESC
const DOUBTFUL = /[^\u001b\u0020-\u024f\u2010-\u205e\u2190-\u23e8\u2400-\u25f9\u276f\u2715]/;

/** Adds a mark after each glyph whose width is in doubt. `mark` receives the column in which the glyph should end. */
export function markDoubtful(line: string, mark: (column: number) => string): string {
  if (!DOUBTFUL.test(line)) return line;
  let marked = '';
  let column = 0;
  for (const piece of line.split(STYLES)) {
    if (piece.startsWith('\u001b')) {
      marked += piece;
      continue;
    }
    for (const { segment } of graphemesOf(piece)) {
      column += widthOf(segment);
      marked += segment;
      if (!PLAIN.test(segment)) marked += mark(column);
    }
  }
  return marked;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match our own escape sequences
const STYLES = /(\u001b\[[0-9;]*m)/;

/** The smallest width at which the end of an address is useful beside the host. */
const LEAST_END = 8;

/**
 * Shortens a URL to `width` columns. It keeps the host, which shows the owner, and the end, which differs between
 * similar URLs. It drops the user name, because it may look like a host.
 */
export function shortUrl(url: string, width: number): string {
  if (widthOf(url) <= width) return url;
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === '') return cutMiddle(url, width);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isWeb = /^https?:$/i.test(scheme);
  // For an app link the scheme identifies the owner, as a host does.
  const head = isWeb ? host : `${scheme}//${host}`;
  const short = `${head}${rest}`;
  if (widthOf(short) <= width) return short;
  const end = width - widthOf(head) - 1;
  if (rest.length <= 1) return isWeb ? cutStart(head, width) : cutMiddle(head, width);
  if (end >= LEAST_END) return `${head}/${cutStart(rest.slice(1), end)}`;
  // The end of a long host name is the registered domain, so the end is kept.
  const room = Math.max(1, width - LEAST_END - 1);
  return cut(`${isWeb ? cutStart(head, room) : cutMiddle(head, room)}/${cutStart(rest.slice(1), LEAST_END)}`, width);
}

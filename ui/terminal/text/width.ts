import stringWidth from 'string-width';

// Columns of a terminal: a wide glyph takes two, a mark none. What most text is made of is not looked at glyph by glyph.

/** ASCII, Latin letters and the signs of our own: a column each, and a character of one unit. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f–—‘’“”•…←↑→↓─│●○✕❯]*$/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Of what a screen shows most was on it a moment ago. */
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

/** At most `width` columns of a text without styles; what is cut off is told by an ellipsis. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  // No glyph is wider than two columns, and few are made of more than eight units.
  const head = text.length > 16 * width ? text.slice(0, 16 * width) : text;
  if (head === text && widthOf(text) <= width) return text;
  let kept = '';
  let columns = 0;
  for (const { segment } of GRAPHEMES.segment(head)) {
    const next = widthOf(segment);
    if (columns + next > width - 1) break;
    kept += segment;
    columns += next;
  }
  return `${kept}…`;
}

/** Exactly `width` columns: cut, or filled up with spaces on the right. */
export function fill(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

/** Exactly `width` columns, the spaces on the left. */
export function fillRight(text: string, width: number): string {
  const shown = cut(text, width);
  return ' '.repeat(Math.max(0, width - widthOf(shown))) + shown;
}

/** A line broken into lines of at most `width` columns, at spaces where there are some. */
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
    current = pieces.pop() ?? '';
    columns = widthOf(current);
    lines.push(...pieces);
  }
  lines.push(current.trimEnd());
  return lines;
}

/** A word that has no room in a line, in pieces that have. */
function piecesOf(word: string, width: number): string[] {
  if (PLAIN.test(word)) return word.match(new RegExp(`.{1,${Math.max(1, width)}}`, 'g')) ?? [];
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const { segment } of GRAPHEMES.segment(word)) {
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

/** A text laid out in a column, tabs as spaces. What is beyond a million characters or 20,000 lines is left out, and said so. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const line of text.slice(0, MAX_CHARACTERS).split('\n')) {
    for (const piece of wrapLine(line.replaceAll('\t', '    ').trimEnd(), width)) lines.push(piece);
    if (lines.length >= MAX_LINES) break;
  }
  const isCut = text.length > MAX_CHARACTERS || lines.length >= MAX_LINES;
  return isCut ? [...lines.slice(0, MAX_LINES), '', '… the rest is not shown here'] : lines;
}

/** Beyond Latin letters, punctuation, arrows, boxes and our own escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins our own escape sequences
const DOUBTFUL = /[^\u001b\u0020-\u024f\u2010-\u205e\u2190-\u23e8\u2400-\u25f9\u276f\u2715]/;

/** Text with each glyph that terminals disagree on followed by `mark`, told the column it is to end at. */
export function markDoubtful(line: string, mark: (column: number) => string): string {
  if (!DOUBTFUL.test(line)) return line;
  let marked = '';
  let column = 0;
  for (const piece of line.split(STYLES)) {
    if (piece.startsWith('\u001b')) {
      marked += piece;
      continue;
    }
    for (const { segment } of GRAPHEMES.segment(piece)) {
      column += widthOf(segment);
      marked += segment;
      if (!PLAIN.test(segment)) marked += mark(column);
    }
  }
  return marked;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of our own making
const STYLES = /(\u001b\[[0-9;]*m)/;

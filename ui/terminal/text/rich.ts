import { harmlessText } from '../../../src/text/harmless.ts';
import { widthOf, wrapLine } from '../../../src/text/width.ts';
import type { RichText } from '../model/resources.ts';
import type { Paint, Style } from './style.ts';

const MAX_LINES = 20_000;
/** The start of a line: quote signs, indentation, and a bullet or a number. */
const BEGINNING = /^(?:> ?)*\s*(?:(?:•|\[?\d{1,4}[.\]]) )?/;

/** Wraps a styled text to a column. Continued lines align with the text after a bullet or a quote sign. */
export function wrapRich({ text, spans }: Pick<RichText, 'text' | 'spans'>, width: number, style: Style): string[] {
  const paints: Record<RichText['spans'][number]['look'], Paint> = {
    bold: style.bold,
    italic: style.italic,
    link: style.accent,
    aside: style.dim,
  };
  const lines: string[] = [];
  let at = 0;
  let next = 0;
  const painted = (start: number, end: number): string => {
    let shown = '';
    let from = start;
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    for (let i = next; from < end; i++) {
      const span = spans[i];
      if (span === undefined || span.start >= end) break;
      const begins = Math.max(span.start, start);
      const ends = Math.min(span.end, end);
      shown += text.slice(from, begins) + paints[span.look](text.slice(begins, ends));
      from = ends;
    }
    return shown + text.slice(from, end);
  };
  for (const line of text.split('\n')) {
    if (lines.length >= MAX_LINES) return [...lines.slice(0, MAX_LINES), '', '… the rest is not shown'];
    const [beginning = ''] = BEGINNING.exec(line) ?? [];
    const hang = Math.min(widthOf(beginning), width >> 1);
    const content = line.slice(beginning.length);
    // A continued line repeats quote signs and replaces a bullet by spaces.
    const below = beginning.replace(/[^>\s]/g, ' ').slice(0, hang);
    let searched = 0;
    for (const [number, piece] of wrapLine(content, Math.max(1, width - hang)).entries()) {
      // The pieces come in order. Only spaces are missing between them.
      const found = content.indexOf(piece, searched);
      const start = at + beginning.length + found;
      searched = found + piece.length;
      const shown = (number === 0 ? beginning.slice(0, hang) : below) + painted(start, start + piece.length);
      lines.push(shown.trimEnd());
    }
    at += line.length + 1;
  }
  return lines;
}

/** Makes a styled text safe. Each style and each link moves along with its words. */
export function harmlessRich({ text, spans, links }: RichText): RichText {
  let shown = '';
  let at = 0;
  const kept = spans.map(({ start, end, look }) => {
    shown += harmlessText(text.slice(at, start));
    const from = shown.length;
    shown += harmlessText(text.slice(start, end));
    at = end;
    return { start: from, end: shown.length, look };
  });
  return { text: shown + harmlessText(text.slice(at)), spans: kept, links };
}

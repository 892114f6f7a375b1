import type { Shape } from './code-shapes.ts';
import { firstIndex } from './first-index.ts';
import type { Emphasis } from './visible-text.ts';

/** The position of a candidate in the text. */
export interface ShapePosition {
  /** Tells whether nothing else is on its line or in its cell. */
  readonly isAlone: boolean;
  /** Tells whether empty lines, or the ends of the text, surround it. */
  readonly isParagraph: boolean;
  /** Tells whether it begins the text. */
  readonly isFirst: boolean;
  readonly look: Emphasis['look'] | null;
  /** Tells whether it is a cell of a row of data, below the heads of its columns. */
  readonly isData: boolean;
  /** Tells whether it is the value of one of several labels. */
  readonly isFact: boolean;
}

const LOOK_AROUND = 12;
const NOTHING_BESIDE = /^[\s"'“”„«»*_()[\]{}|>.:·•–—-]*$/;
/** The number of a list item. */
const COUNT = /^\s*\(?[0-9]{1,2}[.):]\s+/;

export function shapePosition(text: string, emphasis: readonly Emphasis[], shape: Shape): ShapePosition {
  return {
    isAlone: standsAlone(text, shape),
    isParagraph: isParagraph(text, shape),
    isFirst: shape.start < LOOK_AROUND && !/[\p{L}\p{N}]/u.test(text.slice(0, shape.start)),
    look: lookAt(emphasis, shape),
    ...factsAbout(text, shape),
  };
}

function standsAlone(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  const cut = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t'));
  const stop = after.search(/[\n\t]/);
  const left = before.slice(cut + 1).replace(COUNT, '');
  const right = stop < 0 ? after : after.slice(0, stop);
  if (cut < 0 && start > LOOK_AROUND) return false;
  if (stop < 0 && end + LOOK_AROUND < text.length) return false;
  return NOTHING_BESIDE.test(left) && NOTHING_BESIDE.test(right);
}

function isParagraph(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  return /(?:^|\n[ \t]*\n)[^\n]*$/.test(before) && /^[^\n]*(?:$|\n[ \t]*(?:\n|$))/.test(after);
}

/** The characters of a line and of its neighbours that are read. */
const LINE = 200;
/** Tells whether a line is a label with its value: `Serial number: 4815`, or two cells. */
function isLabelled(line: string | undefined): boolean {
  const end = line?.search(/[\t:：]/) ?? -1;
  if (line === undefined || end < 0) return false;
  const value = line.slice(end + 1).trim();
  return /\p{L}/u.test(line.slice(0, end)) && value !== '' && !value.includes('\t');
}

/**
 * Reads whether a number stands in a row of at least three cells with words, or in a list of labels with their values.
 * A mail with a code shows it beside no other facts.
 */
function factsAbout(text: string, { start, end }: Shape): Pick<ShapePosition, 'isData' | 'isFact'> {
  const before = text.slice(Math.max(0, start - LINE), start).split('\n');
  const after = text.slice(end, end + LINE).split('\n');
  const line = (before.at(-1) ?? '') + text.slice(start, end) + (after[0] ?? '');
  const cells = line.split('\t').filter((cell) => cell.trim() !== '');
  const isData = cells.length >= 3 && /\p{L}{2}/u.test(line);
  return { isData, isFact: isLabelled(line) && (isLabelled(before.at(-2)) || isLabelled(after[1])) };
}

function lookAt(emphasis: readonly Emphasis[], { start, end }: Shape): Emphasis['look'] | null {
  const span = emphasis[firstIndex(emphasis.length, (i) => (emphasis[i]?.start ?? 0) > start) - 1];
  return span !== undefined && span.end >= end ? span.look : null;
}

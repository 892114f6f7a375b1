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

function lookAt(emphasis: readonly Emphasis[], { start, end }: Shape): Emphasis['look'] | null {
  const span = emphasis[firstIndex(emphasis.length, (i) => (emphasis[i]?.start ?? 0) > start) - 1];
  return span !== undefined && span.end >= end ? span.look : null;
}

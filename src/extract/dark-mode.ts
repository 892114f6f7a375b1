import { type Color, linear, parseColor, writeColor } from './color.ts';

// This module simulates what some mail programs do to the colours of a mail in the dark, where they ask no style sheet.
// Its rules are those that are published, and no program was copied:
// - Which colours change: those of `color`, `bgcolor`, `background` and `background-color`, in attributes and style
//   sheets. Elements that were changed get `data-ogsc` and `data-ogsb`, by which a sender sets other colours
//   (https://www.hteumeuleu.com/2019/dealing-with-outlook-com-s-dark-mode/).
// - To which colour: the lightness of CIELAB is mirrored above that of the ground, which is #333 in Outlook
//   (`getDarkColor` of https://github.com/microsoft/roosterjs). Gmail publishes nothing; black and white change places
//   (https://hteumeuleu.medium.com/fixing-gmails-dark-mode-issues-with-css-blend-modes-1b26174fcfd9).
// - In part or in full: Outlook.com, the apps of Outlook and Gmail on Android leave what is dark already. Outlook on
//   Windows and Gmail on iOS turn every colour around, so that a dark mail becomes light
//   (https://www.litmus.com/blog/the-ultimate-guide-to-dark-mode-for-email-marketers).

export const DARK_MODES = ['outlook', 'outlook-windows', 'gmail-android', 'gmail-ios'] as const;
/** A mail program whose dark mode is simulated. */
export type DarkMode = (typeof DARK_MODES)[number];

interface DarkRule {
  /** The lightness of the ground that white becomes. */
  readonly ground: number;
  /** Tells whether colours change that are dark already, and light texts. */
  readonly isFull: boolean;
}

/** The lightness of #333. */
const OUTLOOK_GROUND = 21.247;

const RULES: Readonly<Record<DarkMode, DarkRule>> = {
  outlook: { ground: OUTLOOK_GROUND, isFull: false },
  'outlook-windows': { ground: OUTLOOK_GROUND, isFull: true },
  'gmail-android': { ground: 0, isFull: false },
  'gmail-ios': { ground: 0, isFull: true },
};

type ColorRole = 'text' | 'ground';

/** Declarations of colours. The longer names come first. */
const DECLARED = /(?<![\w-])(background-color|background|color)(\s{0,20}:)([^;{}]*)/gi;
/** Colours in a value, and addresses, in which words are no colours. */
const COLOURS = /url\([^)]{0,1000}\)?|#[0-9a-f]{3,6}\b|\brgba?\([^()]{1,60}\)|(?<![\w-])[a-z]{3,12}(?![\w-])/gi;
/** Blocks that a sender wrote for the dark. */
const FOR_THE_DARK = /prefers-color-scheme\s{0,20}:\s{0,20}dark|data-ogs[bc]/i;

/** Returns the style sheet at the start of a page, for what no colour of the mail covers. */
export function darkGround(mode: DarkMode): string {
  const [ground, text] = [darkColor([255, 255, 255], 'ground', mode), darkColor([0, 0, 0], 'text', mode)];
  return `html{color-scheme:dark;background:${writeColor(ground)};color:${writeColor(text)}}`;
}

/** Changes the colours of a style sheet, except in blocks that a sender wrote for the dark. Its cost is linear. */
export function darkSheet(css: string, mode: DarkMode): string {
  const written: string[] = [];
  const kept: boolean[] = [];
  let from = 0;
  const changed = (piece: string) => (kept.at(-1) === true ? piece : darkStyle(piece, mode));
  for (const { index, 0: sign } of css.matchAll(/[{}]/g)) {
    const piece = css.slice(from, index);
    if (sign === '{') {
      const selectorAt = piece.lastIndexOf(';') + 1;
      const selector = piece.slice(selectorAt);
      written.push(changed(piece.slice(0, selectorAt)), selector);
      kept.push(kept.at(-1) === true || FOR_THE_DARK.test(selector));
    } else {
      written.push(changed(piece));
      kept.pop();
    }
    written.push(sign);
    from = index + 1;
  }
  written.push(changed(css.slice(from)));
  return written.join('');
}

/** Changes the colours of declarations. */
export function darkStyle(declarations: string, mode: DarkMode): string {
  return declarations.replace(DECLARED, (_all, name: string, colon: string, value: string) => {
    const role = name.toLowerCase() === 'color' ? 'text' : 'ground';
    return name + colon + value.replace(COLOURS, (written) => darkWritten(written, role, mode));
  });
}

/** Changes the colour of an attribute, such as `bgcolor`. */
export function darkAttribute(element: string, name: string, value: string, mode: DarkMode): string {
  if (name === 'style') return darkStyle(value, mode);
  if (name === 'bgcolor') return darkWritten(value, 'ground', mode);
  const isText = (name === 'color' && element === 'font') || (name === 'text' && element === 'body');
  return isText ? darkWritten(value, 'text', mode) : value;
}

/** Returns the attributes by which Outlook marks an element whose colours it changed. */
export function darkMarks(before: string, after: string): string {
  return before === after ? '' : ' data-ogsc="" data-ogsb=""';
}

function darkWritten(written: string, role: ColorRole, mode: DarkMode): string {
  const color = parseColor(written);
  return color === null ? written : writeColor(darkColor(color, role, mode));
}

/** Returns the colour that a colour becomes in the dark. */
export function darkColor(color: Color, role: ColorRole, mode: DarkMode): Color {
  const { ground, isFull } = RULES[mode];
  const [lightness, a, b] = toLab(color);
  const isDone = role === 'ground' ? lightness < 50 : lightness > 50;
  if (isDone && !isFull) return color;
  return fromLab([((100 - lightness) * (100 - ground)) / 100 + ground, a, b]);
}

type Lab = readonly [lightness: number, a: number, b: number];

/** The white of sRGB, D65. */
const WHITE = [0.95047, 1, 1.08883] as const;
const EDGE = 6 / 29;

function toLab([red, green, blue]: Color): Lab {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const x = bent((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / WHITE[0]);
  const y = bent(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = bent((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / WHITE[2]);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function fromLab([lightness, a, b]: Lab): Color {
  const middle = (lightness + 16) / 116;
  const [x, y, z] = [WHITE[0] * unbent(middle + a / 500), unbent(middle), WHITE[2] * unbent(middle - b / 200)];
  return [
    curved(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
    curved(-0.969266 * x + 1.8760108 * y + 0.041556 * z),
    curved(0.0556434 * x - 0.2040259 * y + 1.0572252 * z),
  ];
}

function bent(share: number): number {
  return share > EDGE ** 3 ? Math.cbrt(share) : share / (3 * EDGE ** 2) + 4 / 29;
}

function unbent(share: number): number {
  return share > EDGE ? share ** 3 : 3 * EDGE ** 2 * (share - 4 / 29);
}

function curved(share: number): number {
  const value = share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, value)));
}

/** A colour without transparency, each part from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

export const WHITE: Color = [255, 255, 255];

/** The colour names that mails use. */
const NAMES: Readonly<Record<string, string>> = {
  black: '000000',
  silver: 'c0c0c0',
  gray: '808080',
  grey: '808080',
  white: 'ffffff',
  maroon: '800000',
  red: 'ff0000',
  purple: '800080',
  fuchsia: 'ff00ff',
  green: '008000',
  lime: '00ff00',
  olive: '808000',
  yellow: 'ffff00',
  navy: '000080',
  blue: '0000ff',
  teal: '008080',
  aqua: '00ffff',
  orange: 'ffa500',
  darkgray: 'a9a9a9',
  darkgrey: 'a9a9a9',
  dimgray: '696969',
  dimgrey: '696969',
  lightgray: 'd3d3d3',
  lightgrey: 'd3d3d3',
  whitesmoke: 'f5f5f5',
  gainsboro: 'dcdcdc',
};
const RGB = /^rgba?\(\s*(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)$/;

/** Parses a colour. Returns null for one that is transparent, or written in another way. */
export function parseColor(text: string): Color | null {
  const value = text
    .trim()
    .toLowerCase()
    .replace(/(?<!\s)\s*!important$/, '');
  const named = Object.hasOwn(NAMES, value) ? NAMES[value] : undefined;
  const hex = named ?? /^#?([0-9a-f]{6}|[0-9a-f]{3})$/.exec(value)?.[1];
  if (hex !== undefined) {
    const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
    const number = Number.parseInt(digits, 16);
    return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
  }
  const rgb = RGB.exec(value);
  if (rgb === null) return null;
  const [red, green, blue] = rgb.slice(1, 4).map((part) => Math.min(255, Number(part)));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

/** Returns the contrast of two colours from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(one: Color, other: Color): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance([red, green, blue]: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Returns the share of light of a part of a colour (sRGB). */
export function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

export function writeColor(color: Color): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

// This module defuses text from unknown senders. Such text could contain escape sequences that control the reader's
// terminal, or bidi controls that reorder the line (CVE-2021-42574, "Trojan Source").

/**
 * Bidi controls, invisible format characters and tags. They print nothing and can hide or reorder the text around them.
 */
export const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** More combining marks on one letter than any script uses. They would overlap the lines above and below. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Makes a text of several lines safe to show. It replaces control characters by visible symbols, and it removes
 * invisible ones. Line breaks and tabs stay.
 */
export function harmlessText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, (sign) => (sign === '\u2028' || sign === '\u2029' ? '\n' : ''))
    .replace(CONTROL, picture)
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(PILED_MARKS, '$1');
}

/**
 * Makes a text safe and joins it to one line of at most `length` characters. A much longer text is cut before it is
 * scanned.
 */
export function harmlessLine(text: string, length = 500): string {
  const head = text.length > 4 * length ? text.slice(0, 4 * length) : text;
  const line = harmlessText(head).replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  return `${[...line.slice(0, 2 * length)].slice(0, length - 1).join('')}…`;
}

/** Returns the Unicode control picture of a control character (U+2400 and following), if one exists. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

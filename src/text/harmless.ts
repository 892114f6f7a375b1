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

// This module makes text from unknown senders harmless where it is printed: at a terminal, in a log, and in the output
// of a test. A machine may read this output. A CI runner obeys each line that looks like one of its commands:
// - GitHub Actions: a line that begins with `::`, as in `::error::text`, and `##[` anywhere
// - Azure Pipelines: `##[` and `##vso[` anywhere
// - TeamCity: `##teamcity[`
// The runners trim a line first. They compare by the rules of a culture, which ignore some invisible characters.
// So this step comes after the removal of invisible characters, and skips those that stay.

/** A style or a move of the cursor that mailcap prints itself: SGR, CHA and EL (ECMA-48 8.3). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with a control character
const OWN_SEQUENCE = /(\u001b\[(?:\d{1,3}(?:;\d{1,3})*m|\d{1,4}G|K))/;
/** `::` at the beginning of a line, after what a runner skips and a few styles. */
const COMMAND_LINE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a style begins with a control character
  /^((?:[\p{Zs}\p{Default_Ignorable_Code_Point}\t]*\u001b\[[\d;]{0,20}[mGK]){0,8}[\p{Zs}\p{Default_Ignorable_Code_Point}\t]*):(?=\p{Default_Ignorable_Code_Point}*:)/gmu;
/** The beginning of `##[`, `##vso[` or `##teamcity[`. */
const COMMAND_SIGN =
  /#(?=\p{Default_Ignorable_Code_Point}*#\p{Default_Ignorable_Code_Point}*(?:[a-z]\p{Default_Ignorable_Code_Point}*){0,16}\[)/giu;

/**
 * Makes a text harmless that is printed. Control characters become visible symbols, and invisible ones are removed. A
 * backslash breaks what a CI runner would read as its command: `\::error::text`, `#\#[group]`. Line breaks and tabs
 * stay.
 */
export function printed(text: string): string {
  return withoutCommands(harmlessText(text));
}

/** Like {@link printed}, for a text with mailcap's own styles, which stay. Text from outside must have none by then. */
export function printedWithStyles(text: string): string {
  return withoutCommands(
    text
      .split(OWN_SEQUENCE)
      .map((part, at) => (at % 2 === 1 ? part : harmlessText(part)))
      .join(''),
  );
}

/**
 * Makes JSON harmless that is printed, without a change of its values. JSON escapes such as `\u202e` and `\u0023` stand
 * for every character that {@link printed} would replace or remove. A line of JSON never begins with `::`.
 */
export function printedJson(json: string): string {
  return json.replace(INVISIBLE, escaped).replace(UNESCAPED_BY_JSON, escaped).replace(COMMAND_SIGN, escaped);
}

/** The control characters and lone surrogates that `JSON.stringify` and a pretty-printed JSON may hold. */
const UNESCAPED_BY_JSON = /[\u007f-\u009f\p{Surrogate}]/gu;

function withoutCommands(text: string): string {
  return text.replace(COMMAND_LINE, '$1\\:').replace(COMMAND_SIGN, '#\\');
}

/** Writes a character as JSON escapes, one for each UTF-16 unit. */
function escaped(sign: string): string {
  let escapes = '';
  for (let at = 0; at < sign.length; at++) escapes += `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escapes;
}

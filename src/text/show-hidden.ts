// This module makes hidden characters visible, because a language model reads them although a person does not see them:
// characters without a glyph, tag characters that spell a second text (U+E0000), variation selectors that encode bytes,
// and bidi controls that reorder the text.

/** The characters that show nothing, or change how others are shown. */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the pattern must match combining characters
  /(?:[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[^\P{Cc}\t\n]|\p{Surrogate}|\p{Co}|(?<=\p{M}{4})\p{M})+/gu;

/**
 * The hidden characters that scripts and emoji need: a joiner, or one selector, between two characters that it joins. The
 * joiner comes before the look-behind over the marks, which would walk back over all of them at each character otherwise.
 */
const IN_PLACE =
  /(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\ufe0f(?![\ufe00-\ufe0f])|[\u200c\u200d](?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}]\p{M}*[\u200c\u200d])(?=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}])/gu;

/** The most pieces of text between the characters in place that are looked at one by one. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Replaces each run of hidden characters by a note that names the first and counts them: `‹U+202E›`, `‹U+E0069 and 11
 * more hidden›`. Line breaks become `\n`, and tabs stay. A joiner within an emoji or a word of its script stays. A text
 * over a million characters is cut.
 */
export function showHidden(text: string): string {
  const whole = text.slice(0, MAX_CHARACTERS).replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n');
  const kept = new Set(Array.from(whole.matchAll(IN_PLACE), ({ index }) => index));
  return whole.replace(HIDDEN, (run: string, at: number) => noted(run, at, kept));
}

function noted(run: string, at: number, kept: ReadonlySet<number>): string {
  if (run.length === 1 && kept.has(at)) return run;
  const [first = '', ...more] = run;
  const name = `U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return more.length === 0 ? `‹${name}›` : `‹${name} and ${more.length} more hidden›`;
}

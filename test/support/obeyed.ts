/** The characters that a CI runner skips at the beginning of a line, and those that its comparison of texts ignores. */
const SKIPPED = /^[\s\p{Default_Ignorable_Code_Point}]+/u;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Returns what a terminal, a reader or a CI runner would obey in an output without styles: the lines that are commands
 * of a runner, and the characters that move the cursor or reorder the text. It splits and trims lines as runners do.
 */
export function obeyedIn(output: string): string[] {
  const commands = output
    .split(/[\n\r\u2028\u2029]/)
    .filter((line) => /^::/.test(bare(line.replace(SKIPPED, ''))) || /##(?:vso|teamcity)?\[/i.test(bare(line)));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  const signs = output.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? [];
  return [...commands, ...signs.map((sign) => `U+${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)];
}

function bare(text: string): string {
  return text.replace(IGNORED, '');
}

const STEP = '  ';
/** The most levels that are indented. The lines of deeper ones would be mostly spaces. */
const MOST_LEVELS = 100;

/**
 * Indents a JSON text and changes nothing else: a long number keeps its digits, a repeated name both its values, and a
 * text its escapes. Returns null if the text is no JSON, or nests too deep to be read so.
 */
export function indentedJson(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let [indented, level, before] = ['', 0, ''];
  // The signs between values, and the values, but of a text only the first quotation mark.
  const tokens = /"|[[\]{},:]|[^\s[\]{},:"]+/g;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    if (found[0] === '"') tokens.lastIndex = endOfText(text, found.index);
    const token = text.slice(found.index, tokens.lastIndex);
    const closes = token === ']' || token === '}';
    if (closes) level--;
    const isEmpty = closes && (before === '[' || before === '{');
    if (!isEmpty && (closes || before === '[' || before === '{' || before === ','))
      indented += `\n${STEP.repeat(level)}`;
    indented += token === ':' ? ': ' : token;
    if (token === '[' || token === '{') level++;
    if (level > MOST_LEVELS) return null;
    before = token;
  }
  return indented;
}

/** Returns the place behind a text in quotation marks. An expression that matches it would fill the stack. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

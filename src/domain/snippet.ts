/** The number of characters in a list row. */
const SHOWN = 160;
/** The number of characters that are read of the text. */
const READ = 4_096;

/** Returns the first words of a text in one line. Lists show it next to the subject. */
export function snippetOf(text: string): string {
  const line = text.slice(0, READ).replace(/\s+/g, ' ').trim();
  return [...line].slice(0, SHOWN).join('');
}

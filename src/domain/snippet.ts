/** Characters of a text that a row of a list shows. */
const SHOWN = 160;
/** Of what is cut off nothing is looked at. */
const READ = 4_096;

/** The first words of a text on one line, as a list shows them beside the subject. */
export function snippetOf(text: string): string {
  const line = text.slice(0, READ).replace(/\s+/g, ' ').trim();
  return [...line].slice(0, SHOWN).join('');
}

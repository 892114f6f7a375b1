/** One entry of the command palette. */
export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  /** The kind of the entry: a place, a mailbox or an action. */
  readonly group: string;
  /** The keyboard shortcut of the entry, if it has one. */
  readonly key?: string | undefined;
}

/** Returns the entries that match a text, best match first. An empty text returns all of them in their order. */
export function paletteFind<Item extends PaletteItem>(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return items;
  return items
    .map((item, order) => ({ item, order, score: scoreOf(item, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map(({ item }) => item);
}

/** Tells whether an entry has no more of a text than its letters in order. */
export function isScattered(item: PaletteItem, text: string): boolean {
  return scoreOf(item, text.trim().toLowerCase()) === SCATTERED;
}

const SCATTERED = 20;

/**
 * Scores how well an entry matches. A prefix scores highest, then the start of a word, then any substring, then the
 * letters in order; 0 is no match.
 */
function scoreOf({ title, group }: PaletteItem, wanted: string): number {
  const name = title.toLowerCase();
  if (name.startsWith(wanted)) return 100;
  const at = name.indexOf(wanted);
  if (at > 0) return /\W/.test(name.charAt(at - 1)) ? 80 : 60;
  if (`${group} ${name}`.toLowerCase().includes(wanted)) return 40;
  let place = 0;
  for (const letter of wanted) {
    place = name.indexOf(letter, place) + 1;
    if (place === 0) return 0;
  }
  return SCATTERED;
}

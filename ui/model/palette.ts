/** Something the palette can do or go to. */
export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  /** What it is: a place, a mailbox, an action. */
  readonly group: string;
  /** Its key, where it has one. */
  readonly key?: string | undefined;
}

/** The items a text finds, best first; all, in their order, where the text is ''. */
export function paletteFind<Item extends PaletteItem>(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return items;
  return items
    .map((item, order) => ({ item, order, score: scoreOf(item, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map(({ item }) => item);
}

/** How well a text fits: its letters in order at least; better at the beginning of words, best as a whole. */
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
  return 20;
}

/** One entry of the command palette. */
export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  /** The kind of the entry: a place, a mailbox or an action. */
  readonly group: string;
  /** Other words that find the entry. */
  readonly also?: string | undefined;
  /** The keyboard shortcut of the entry, if it has one. */
  readonly key?: string | undefined;
}

const PREFIX = 4;
const WORD = 3;
const INSIDE = 2;
const OTHERWISE = 1;

/**
 * Returns the entries that have a text, best match first: a title that begins with it, then one with a word that does,
 * then one that has it inside a word, then other words of the entry. One or two letters are the beginning of a word, or
 * they would be in everything. An empty text returns all entries in their order.
 */
export function paletteFind<Item extends PaletteItem>(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return items;
  const least = wanted.length < 3 ? WORD : OTHERWISE;
  return best(items, (item) => {
    const score = scoreOf(item, wanted);
    return score < least ? 0 : score;
  });
}

/** Returns the entries that have no more of a text than its letters in order, those that have them close together first. */
export function paletteGuess<Item extends PaletteItem>(items: readonly Item[], text: string): readonly Item[] {
  const letters = text.trim().toLowerCase();
  if (letters.length < 3) return [];
  return best(items, ({ title }) => 1 / spanOf(title.toLowerCase(), letters));
}

/** Sorts entries by their score, and leaves out those that have none. Those of one score stay in their order. */
function best<Item>(items: readonly Item[], scoreOfItem: (item: Item) => number): readonly Item[] {
  return items
    .map((item) => ({ item, score: scoreOfItem(item) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function scoreOf({ title, group, also = '' }: PaletteItem, wanted: string): number {
  const name = title.toLowerCase();
  if (name.startsWith(wanted)) return PREFIX;
  let score = 0;
  for (let at = name.indexOf(wanted); at >= 0 && score < WORD; at = name.indexOf(wanted, at + 1))
    score = /\W/.test(name.charAt(at - 1)) ? WORD : INSIDE;
  return score || (`${group} ${name} ${also}`.toLowerCase().includes(wanted) ? OTHERWISE : 0);
}

/** Returns the shortest stretch of a name that has these letters in order. Infinity if there is none. */
function spanOf(name: string, letters: string): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let start = name.indexOf(letters.charAt(0)); start >= 0; start = name.indexOf(letters.charAt(0), start + 1)) {
    let end = start;
    for (const letter of letters) {
      end = name.indexOf(letter, end) + 1;
      if (end === 0) return shortest;
    }
    shortest = Math.min(shortest, end - start);
  }
  return shortest;
}

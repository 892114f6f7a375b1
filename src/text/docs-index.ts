import { firstIndex } from './first-index.ts';

// The search of the documentation. The build makes the index; a server and the command line search it.

/** The part of a page below one heading. */
export interface DocsSection {
  /** The name of the page: `faults` for docs/faults.md. */
  readonly page: string;
  /** The id of the heading on the page; empty for the text before the first one. */
  readonly anchor: string;
  /** The title of the page, and below it the headings that lead to this part. */
  readonly titles: readonly string[];
  readonly text: string;
}

/** All sections, and where each word occurs. */
export interface DocsIndex {
  readonly sections: readonly DocsSection[];
  /** All words of all sections, sorted. */
  readonly words: readonly string[];
  /** For each word, in turn: the position of a section that has it, and how much it says about that section. */
  readonly places: readonly (readonly number[])[];
}

/** A section that a search found, with a piece of its text. */
export interface FoundSection extends DocsSection {
  readonly snippet: readonly SnippetPart[];
}

/** A part of a snippet. `isHit` tells whether it is a word that was searched for. */
export interface SnippetPart {
  readonly text: string;
  readonly isHit: boolean;
}

/** The weights of a word in the title of a page, in a heading, and in the text below it. */
const WEIGHTS = { page: 12, heading: 8, text: 1 };
/** The most that one word in the text adds, however often it occurs. */
const MOST_IN_TEXT = 4;
/** What a word counts that only begins with the one that was searched for. */
const BEGINNING = 0.5;
/** Words that almost every section has. A search for nothing else looks for them. */
const COMMON = new Set(
  'a an and are as at be by for from how i if in is it its my no of on or that the this to with'.split(' '),
);

/** Returns the words of a text in lower case, and those that a name such as `waitForCode` is made of. */
export function docsWords(text: string): string[] {
  return [...text.normalize('NFKC').matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([whole]) => {
    const parts = whole.split(/(?<=\p{Ll})(?=\p{Lu})/u);
    return [whole, ...(parts.length > 1 ? parts : [])].map((word) => word.toLowerCase());
  });
}

/** Builds the index of sections. */
export function docsIndexOf(sections: readonly DocsSection[]): DocsIndex {
  const found = new Map<string, Map<number, number>>();
  for (const [at, { titles, text }] of sections.entries()) {
    const add = (part: string, weight: number, most: number) => {
      const counts = new Map<string, number>();
      for (const word of docsWords(part)) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const [word, count] of counts) {
        const places = found.get(word) ?? new Map<number, number>();
        found.set(word, places.set(at, (places.get(at) ?? 0) + Math.min(count * weight, most)));
      }
    };
    const [page = '', ...headings] = titles;
    // The first section stands for its page.
    add(page, headings.length === 0 ? WEIGHTS.page : 1, WEIGHTS.page);
    add(headings.at(-1) ?? '', WEIGHTS.heading, WEIGHTS.heading);
    add(text, WEIGHTS.text, MOST_IN_TEXT);
  }
  const words = [...found.keys()].sort();
  return { sections, words, places: words.map((word) => [...(found.get(word) ?? [])].flat()) };
}

/**
 * Returns the sections that have most of the words of a query, the best ones first: those with all words if there are
 * any. A word also finds longer words that begin with it, and its singular.
 */
export function findInDocs(index: DocsIndex, query: string, most: number): FoundSection[] {
  const typed = [...new Set(docsWords(query))];
  const telling = typed.filter((word) => !COMMON.has(word));
  const asked = telling.length === 0 ? typed : telling;
  const scores = new Map<number, { words: number; score: number }>();
  for (const word of asked) {
    for (const [at, score] of scoresOf(index, word)) {
      const before = scores.get(at) ?? { words: 0, score: 0 };
      scores.set(at, { words: before.words + 1, score: before.score + score });
    }
  }
  const best = Math.max(0, ...[...scores.values()].map(({ words }) => words));
  return [...scores]
    .filter(([, { words }]) => words === best)
    .sort(([one, a], [other, b]) => b.score - a.score || one - other)
    .slice(0, most)
    .flatMap(([at]) => {
      const section = index.sections[at];
      return section === undefined ? [] : [{ ...section, snippet: snippetOf(section.text, asked) }];
    });
}

/** Returns how much each section is about a word. A word that few sections have says more. */
function scoresOf({ sections, words, places }: DocsIndex, word: string): Map<number, number> {
  const beginning = singularOf(word);
  const scores = new Map<number, number>();
  const first = firstIndex(words.length, (at) => (words[at] ?? '') >= beginning);
  for (let at = first; words[at]?.startsWith(beginning); at += 1) {
    const isWhole = words[at] === word || words[at] === beginning;
    const list = places[at] ?? [];
    const rarity = Math.log(1 + sections.length / (list.length / 2));
    for (let place = 0; place < list.length; place += 2) {
      const score = (list[place + 1] ?? 0) * rarity * (isWhole ? 1 : BEGINNING);
      const section = list[place] ?? 0;
      scores.set(section, Math.max(scores.get(section) ?? 0, score));
    }
  }
  return scores;
}

function singularOf(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** The characters of a snippet, and those before its first hit. */
const SNIPPET = 180;
const BEFORE_HIT = 50;

/** Returns the piece of a text with the most of the words, in parts. */
function snippetOf(text: string, asked: readonly string[]): SnippetPart[] {
  const hits = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(([run]) => {
    const words = docsWords(run);
    return asked.some((word) => words.some((one) => one.startsWith(singularOf(word))));
  });
  const starts = hits.map(({ index }) => Math.max(0, index - BEFORE_HIT));
  const countFrom = (start: number) =>
    new Set(hits.filter(({ index }) => index >= start && index < start + SNIPPET).map(([run]) => run.toLowerCase()))
      .size;
  const [start = 0] = [...starts].sort((one, other) => countFrom(other) - countFrom(one) || one - other);
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1;
  const cut = text.length <= from + SNIPPET ? text.length : text.lastIndexOf(' ', from + SNIPPET);
  const end = cut > from ? cut : Math.min(text.length, from + SNIPPET);
  const parts: SnippetPart[] = from > 0 ? [{ text: '… ', isHit: false }] : [];
  let at = from;
  for (const { index, 0: run } of hits) {
    if (index < from || index + run.length > end) continue;
    if (index > at) parts.push({ text: text.slice(at, index), isHit: false });
    parts.push({ text: run, isHit: true });
    at = index + run.length;
  }
  if (at < end) parts.push({ text: text.slice(at, end), isHit: false });
  if (end < text.length) parts.push({ text: ' …', isHit: false });
  return parts;
}

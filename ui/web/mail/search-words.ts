/** A search that one click adds and another one removes. */
export interface SearchChip {
  readonly word: string;
  readonly name: string;
}

export const SEARCH_CHIPS: readonly SearchChip[] = [
  { word: 'is:unread', name: 'Unread' },
  { word: 'has:code', name: 'With code' },
  { word: 'after:1h', name: 'Last hour' },
  { word: 'is:starred', name: 'Starred' },
];

/** Splits a query at the spaces outside quotes. */
function wordsOf(query: string): string[] {
  return query.match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g) ?? [];
}

/** Tells whether a query has a word, outside quotes and in any case. */
export function hasWord(query: string, word: string): boolean {
  return wordsOf(query).some((one) => one.toLowerCase() === word);
}

/** Adds a word at the end of a query, or removes it wherever it is. */
export function toggledWord(query: string, word: string): string {
  const words = wordsOf(query);
  const others = words.filter((one) => one.toLowerCase() !== word);
  return (others.length === words.length ? [...words, word] : others).join(' ');
}

/** The most searches that the browser keeps. */
const MOST_SAVED = 8;

/** Reads the saved searches. Any other text means none. */
export function readSaved(text: string | null): readonly string[] {
  try {
    const saved: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(saved) ? saved.filter((one) => typeof one === 'string').slice(0, MOST_SAVED) : [];
  } catch {
    return [];
  }
}

/** Adds a search to the saved ones, or removes it. The newest comes first. */
export function toggledSaved(saved: readonly string[], query: string): readonly string[] {
  const others = saved.filter((one) => one !== query);
  return others.length === saved.length ? [query, ...others].slice(0, MOST_SAVED) : others;
}

/** A place at which a search word matched, as the server tells it. */
export interface MatchedSnippet {
  readonly field: string;
  readonly snippet: string;
  readonly start: number;
  readonly length: number;
}

/** A snippet in three parts: the words before a match, the match, and the words after it. */
export interface AroundMatch {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/**
 * Splits a snippet around its match. About `most` characters before the match stay, because a narrow line would end before
 * it otherwise. An ellipsis marks the cut.
 */
export function aroundMatch({ snippet, start, length }: MatchedSnippet, most: number): AroundMatch {
  const end = start + length;
  const before = snippet.slice(0, start);
  const near = before.slice(-most).replace(/^\S*\s/, '');
  return {
    before: before.length <= most ? before : `…${near}`,
    text: snippet.slice(start, end),
    after: snippet.slice(end),
  };
}

/** The fields that every list of messages shows. */
const SHOWN: ReadonlySet<string> = new Set(['from', 'to', 'subject']);

/** Returns the first match that a list of messages does not show by itself. Null if there is none. */
export function hiddenMatch<Match extends MatchedSnippet>(matches: readonly Match[] | undefined): Match | null {
  return matches?.find(({ field }) => !SHOWN.has(field)) ?? null;
}

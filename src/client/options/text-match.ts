/** A text, which matches as a part in any case, or a pattern. */
export type TextFilter = string | RegExp;

/** Tells whether any of the texts matches the filter. An empty text matches everything. */
export function hasText(texts: readonly (string | null | undefined)[], filter: TextFilter): boolean {
  if (filter === '') return true;
  const matches = matcherOf(filter);
  return texts.some((text) => text !== null && text !== undefined && matches(text));
}

/** Formats a filter for a sentence. */
export function writeTextFilter(filter: TextFilter): string {
  return typeof filter === 'string' ? JSON.stringify(filter) : String(filter);
}

function matcherOf(filter: TextFilter): (text: string) => boolean {
  if (typeof filter === 'string') {
    const part = filter.toLowerCase();
    return (text) => text.toLowerCase().includes(part);
  }
  const pattern = stateless(filter);
  return (text) => pattern.test(text);
}

/** Returns a pattern without the flags g and y. They give a pattern a state, and the caller's must not change. */
export function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
}

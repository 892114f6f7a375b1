/** A part of a text in any case, or a pattern. */
export type TextFilter = string | RegExp;

/** Whether any of the texts has it. An empty part is in every text. */
export function hasText(texts: readonly (string | null | undefined)[], filter: TextFilter): boolean {
  if (filter === '') return true;
  const matches = matcherOf(filter);
  return texts.some((text) => text !== null && text !== undefined && matches(text));
}

/** As it may stand in a sentence. */
export function writeTextFilter(filter: TextFilter): string {
  return typeof filter === 'string' ? JSON.stringify(filter) : String(filter);
}

function matcherOf(filter: TextFilter): (text: string) => boolean {
  if (typeof filter === 'string') {
    const part = filter.toLowerCase();
    return (text) => text.toLowerCase().includes(part);
  }
  // A pattern with g or y remembers where it was; the caller's is left as it is.
  const pattern = new RegExp(filter.source, filter.flags.replace(/[gy]/g, ''));
  return (text) => pattern.test(text);
}

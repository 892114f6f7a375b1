import type { TagRules } from './marks.ts';
import type { SearchQuery } from './search/query.ts';

/** How new mail gets tags (docs/drop-in.md#tags): by rules of the mail alone, and by searches. */
export interface TagSettings extends TagRules {
  /** Tells that each word of such a tag begins with a capital. */
  readonly titleCase: boolean;
  /** Tells that the name with which a client signed in is a tag. */
  readonly user: boolean;
  readonly searches: readonly { readonly query: SearchQuery; readonly tags: readonly string[] }[];
}

/** Writes each word of a tag with a capital. */
export function titleCase(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/(^|[ \-_.@])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
}

import { type ErrorCode, refuse } from './errors.ts';

/** The reason why an entry of a list is refused, as a sentence for the user. */
export class Flaw extends Error {}

/**
 * Parses the entries of a list with at most `most` of them. Throws `code` with the `index` of the first invalid entry
 * and, as its `message`, the {@link Flaw} that `parse` threw. `what` names the entries, as in `rules`.
 */
export function parseEach<Entry>(
  given: readonly unknown[],
  { code, most, what }: { readonly code: ErrorCode; readonly most: number; readonly what: string },
  parse: (value: unknown) => Entry,
): Entry[] {
  if (given.length > most) throw refuse(code, { index: most, message: `There are more than ${most} ${what}.` });
  return given.map((value, index) => {
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof Flaw) throw refuse(code, { index, message: error.message });
      throw error;
    }
  });
}

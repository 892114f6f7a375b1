/** A pattern in which `*` stands for any text. It matches the whole text and ignores case. */
export interface Glob {
  readonly pattern: string;
  /** The texts between the stars, in lower case. */
  readonly pieces: readonly string[];
}

export function parseGlob(pattern: string): Glob {
  return { pattern, pieces: pattern.toLowerCase().split('*') };
}

/**
 * Matches a text that is already in lower case. Each piece is searched once after the previous one, so matching never
 * backtracks.
 */
export function matchesGlob({ pieces }: Glob, lower: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return lower === first;
  const last = pieces.at(-1) ?? '';
  const end = lower.length - last.length;
  if (end < first.length || !lower.startsWith(first) || !lower.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = lower.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

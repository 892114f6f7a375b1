/** A pattern in which `*` stands for any text, compared whole and in either case. */
export interface Glob {
  readonly pattern: string;
  /** What stands between the stars, lower-case. */
  readonly pieces: readonly string[];
}

export function parseGlob(pattern: string): Glob {
  return { pattern, pieces: pattern.toLowerCase().split('*') };
}

/** `lower` is the text, lower-case. Each piece is looked for once, behind the one before it: no pattern goes back over the text. */
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

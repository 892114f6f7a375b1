/** Finds the name closest to the typed text. Returns null if no name is close enough to be the intended one. */
export function nearest(typed: string, names: readonly string[]): string | null {
  return within(typed, names, (name) => Math.max(1, Math.floor(Math.min(typed.length, name.length) / 3)));
}

/** Like {@link nearest}, for names that may be valid elsewhere: it allows one typing error, or two in a long name. */
export function slipOf(typed: string, names: readonly string[]): string | null {
  return within(typed, names, () => (typed.length < 10 ? 1 : 2));
}

function within(typed: string, names: readonly string[], limitOf: (name: string) => number): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  return best === null || best.distance > limitOf(best.name) ? null : best.name;
}

/**
 * Returns the edit distance: the letters to add, drop, change or swap with a neighbour. Lengths that differ by more
 * than 8 give infinity.
 */
function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 8) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}

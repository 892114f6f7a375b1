import type { SourceHeader } from './mime-tree.ts';

/** One hop of a mail, parsed from a Received header. */
export interface Hop {
  readonly from: string | null;
  readonly by: string | null;
  readonly with: string | null;
  readonly for: string | null;
  /** Milliseconds since 1970; null if the header has no valid date. */
  readonly at: number | null;
  /** The milliseconds since the previous hop; null if one of the two dates is missing. */
  readonly tookMs: number | null;
}

/** Returns the hops of a mail, oldest first. Each server adds its Received header at the top (RFC 5321 4.4). */
export function trace(headers: readonly SourceHeader[]): readonly Hop[] {
  const hops: Hop[] = [];
  for (const [name, value] of [...headers].reverse()) {
    if (name.toLowerCase() !== 'received') continue;
    const semicolon = value.lastIndexOf(';');
    const said = semicolon < 0 ? value : value.slice(0, semicolon);
    const time =
      semicolon < 0
        ? Number.NaN
        : Date.parse(
            value
              .slice(semicolon + 1)
              .replace(/\([^()]*\)/g, '')
              .trim(),
          );
    const at = Number.isNaN(time) ? null : time;
    const before = hops.at(-1)?.at ?? null;
    const word = (key: string) => new RegExp(`(?:^|\\s)${key}\\s+(<[^<>]*>|[^\\s;()]+)`, 'i').exec(said)?.[1] ?? null;
    hops.push({
      from: word('from'),
      by: word('by'),
      with: word('with'),
      for: word('for'),
      at,
      tookMs: at === null || before === null ? null : at - before,
    });
  }
  return hops;
}

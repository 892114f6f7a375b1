import type { Header } from './mime-tree.ts';

/** One hop of a mail, as a Received header tells it. */
export interface Hop {
  readonly from: string | null;
  readonly by: string | null;
  readonly with: string | null;
  readonly for: string | null;
  /** Milliseconds since 1970, null where the header tells no time that can be read. */
  readonly at: number | null;
  /** Since the hop before, milliseconds; null where one of the two is not known. */
  readonly tookMs: number | null;
}

/** The way of a mail, oldest hop first (RFC 5321 4.4: each server puts its line on top). */
export function trace(headers: readonly Header[]): readonly Hop[] {
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
              .replace(/\([^)]*\)/g, '')
              .trim(),
          );
    const at = Number.isNaN(time) ? null : time;
    const before = hops.at(-1)?.at ?? null;
    const word = (key: string) => new RegExp(`(?:^|\\s)${key}\\s+(<[^>]*>|[^\\s;()]+)`, 'i').exec(said)?.[1] ?? null;
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

// A parser of regular expressions, as far as a test needs it to write texts that they match in part.

/** A regular expression is alternatives of sequences. */
export type Alternatives = readonly (readonly Term[])[];

export type Term =
  /** One character: a literal, an escape or a class, in the words of the pattern. */
  | ({ readonly kind: 'character'; readonly source: string } & Repeated)
  | ({ readonly kind: 'group'; readonly inner: Alternatives } & Repeated)
  /** A look-ahead or look-behind. It matches no characters itself. */
  | { readonly kind: 'look'; readonly inner: Alternatives; readonly isNegative: boolean }
  /** A place, such as `^` or `\b`, or a reference to a group. */
  | { readonly kind: 'place' };

export interface Repeated {
  readonly min: number;
  readonly max: number;
}

const ONCE: Repeated = { min: 1, max: 1 };

/** Parses the source of a valid regular expression. */
export function parsePattern(source: string, flags: string): Alternatives {
  let at = 0;
  const isUnicode = /[uv]/.test(flags);

  const alternatives = (): Alternatives => {
    const all: Term[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        all.push([]);
      } else all.at(-1)?.push(term());
    }
    return all;
  };

  const term = (): Term => {
    const start = at;
    const character = source[at++] ?? '';
    if (character === '^' || character === '$') return { kind: 'place' };
    if (character === '(') return group();
    if (character === '[') skipClass();
    else if (character === '\\') {
      skipEscape();
      if (/^\\(?:[bB]|[1-9]|k<)/.test(source.slice(start, at))) {
        repeated();
        return { kind: 'place' };
      }
    } else if (isUnicode && /[\ud800-\udbff]/.test(character)) at++;
    const written = source.slice(start, at);
    return { kind: 'character', source: written, ...repeated() };
  };

  const group = (): Term => {
    const [mark = ''] = /^\?(?:<?[=!]|[a-z-]*:|<[^>]+>)/.exec(source.slice(at)) ?? [];
    at += mark.length;
    const inner = alternatives();
    at++;
    const count = repeated();
    if (/[=!]$/.test(mark)) return { kind: 'look', inner, isNegative: mark.endsWith('!') };
    return { kind: 'group', inner, ...count };
  };

  const skipClass = (): void => {
    for (let depth = 1; depth > 0; at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === ']') depth--;
      else if (source[at] === '[' && flags.includes('v')) depth++;
    }
  };

  const skipEscape = (): void => {
    const [rest = ''] =
      /^(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]+>|[1-9]\d*|[\s\S])/u.exec(
        source.slice(at),
      ) ?? [];
    at += rest.length;
  };

  const repeated = (): Repeated => {
    const [mark = '', low, comma, high] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at)) ?? [];
    if (mark === '') return ONCE;
    at += mark.length;
    if (source[at] === '?') at++;
    if (mark === '*') return { min: 0, max: Number.POSITIVE_INFINITY };
    if (mark === '+') return { min: 1, max: Number.POSITIVE_INFINITY };
    if (mark === '?') return { min: 0, max: 1 };
    const min = Number(low);
    if (comma === '') return { min, max: min };
    return { min, max: high === '' ? Number.POSITIVE_INFINITY : Number(high) };
  };

  return alternatives();
}

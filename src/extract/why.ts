import type { FoundCode, ReadCodes } from './codes.ts';
import type { FoundLink } from './link-kinds.ts';

/** A candidate for the code or the link of a mail, with what was decided about it and why. */
export interface WhyCandidate {
  /** The code as the mail writes it, or the address of the link. */
  readonly value: string;
  /** The kind of a link; null for a code. */
  readonly kind: string | null;
  /** `chosen`: it is the one. `unsure`: another is equally likely. `further`: another is likelier. `no`: it is no code. */
  readonly verdict: 'chosen' | 'unsure' | 'further' | 'no';
  /** The reasons in words. */
  readonly reason: string;
}

/** Why a code or link of a mail was chosen. */
export interface Explanation {
  readonly candidates: readonly WhyCandidate[];
  /** What a test can write if no candidate or more than one is likely. Null if one was chosen. */
  readonly hint: string | null;
}

/** Explains the choice of a code. */
export function whyCode({ codes, refused }: ReadCodes): Explanation {
  const [first] = codes;
  const candidates = [
    ...codes.map((code) => candidate(code.written, null, code, code.reason)),
    ...refused.map(({ written, reason }): WhyCandidate => ({ value: written, kind: null, verdict: 'no', reason })),
  ];
  const equals = codes.filter(({ ambiguous }) => ambiguous);
  if (equals.length > 1) return { candidates, hint: hintForEquals(equals) };
  const called = refused.find(({ isCalledCode }) => isCalledCode);
  if (first !== undefined || called === undefined) return { candidates, hint: null };
  return { candidates, hint: `If ${called.written} is the code: code({ pattern: ${shapeOf(called.written)} }).` };
}

/** Explains the choice of a link. */
export function whyLink(links: readonly FoundLink[]): Explanation {
  const sorted = [...links].sort((a, b) => a.rank - b.rank);
  const candidates = sorted.map((link) => candidate(link.url, link.kind, link, link.reason));
  const equals = links.filter(({ ambiguous }) => ambiguous);
  const kinds = [...new Set(equals.map(({ kind }) => kind))];
  if (equals.length < 2) return { candidates, hint: null };
  const byKind = kinds.length === equals.length ? kinds.map((kind) => `link('${kind}')`).join(' or ') : null;
  return { candidates, hint: `Describe the link: ${byKind ?? "link({ text: 'Confirm', url: /\\/confirm/ })"}.` };
}

function candidate(
  value: string,
  kind: string | null,
  { rank, ambiguous }: Pick<FoundCode, 'rank' | 'ambiguous'>,
  reason: string,
): WhyCandidate {
  const isChosen = rank === 1 && kind !== 'unsubscribe';
  return { value, kind, verdict: ambiguous ? 'unsure' : isChosen ? 'chosen' : 'further', reason };
}

/** A pattern tells equally likely codes apart if their shapes differ; else the words beside them do. */
function hintForEquals(equals: readonly FoundCode[]): string {
  const shapes = equals.map(({ written }) => shapeOf(written));
  const isTold = new Set(shapes).size === shapes.length;
  if (!isTold) return 'Add the words beside the code: code({ pattern: /Your code is (\\S+)/ }).';
  return equals.map(({ written }, at) => `If ${written} is the code: code({ pattern: ${shapes[at]} }).`).join(' ');
}

/** Writes the pattern of a text: its digits and letters by their number, all else as it is. */
function shapeOf(written: string): string {
  const parts = written.match(/[0-9]+|[A-Z]+|[a-z]+|[^0-9A-Za-z]+/g) ?? [];
  const pattern = parts.map((part) => {
    const kind = /^[0-9]/.test(part) ? '\\d' : /^[A-Z]/.test(part) ? '[A-Z]' : /^[a-z]/.test(part) ? '[a-z]' : null;
    return kind === null ? part.replace(/[\\/.*+?^${}()|[\]]/g, '\\$&') : `${kind}{${part.length}}`;
  });
  return `/^${pattern.join('')}$/`;
}

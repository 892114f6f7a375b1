import { MAX_CHARACTERS } from './bounds.ts';
import { cleanText } from './clean-text.ts';
import { carriesSecret } from './link-address.ts';
import {
  decide,
  type Evidence,
  evidenceOf,
  evidenceOfSubject,
  isAddress,
  type Judged,
  saysNothing,
} from './link-evidence.ts';
import type { FoundLink } from './link-kinds.ts';
import { type Mention, mentionsInHtml, mentionsInText } from './link-mentions.ts';
import { isBeside, ranked } from './link-role.ts';
import { type Target, targetOf, type Which, webUrl } from './link-target.ts';
import { readWords } from './link-words.ts';
import { trackerOf } from './trackers.ts';
import { visibleText } from './visible-text.ts';

export interface LinkText {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

export type { FoundLink };

/** A link before its kind and its rank are decided. */
interface Open {
  readonly target: Target;
  readonly tracker: string | null;
  readonly judged: Judged;
  readonly evidence: Evidence[];
  text: string;
  part: FoundLink['part'];
  /** Tells whether all its mentions are below a signature. */
  isSigned: boolean;
  mentions: number;
}

const MAX_LINKS = 500;
/** The mentions of one link whose words are read. */
const MAX_MENTIONS = 20;
const MAX_SUBJECT = 1_000;

/**
 * Finds the links of a mail in order, each once. `which` selects the kinds of links; by default http and https. It
 * reads the first 512 Ki characters of each body in linear time and never throws.
 */
export function findLinks({ subject, text, html }: LinkText, which: Which = 'web'): FoundLink[] {
  const found = new Map<string, Open>();
  const schemes = which === 'web' ? 'web' : 'any scheme';
  if (html !== null) {
    const seen = visibleText(html);
    const base = webUrl(seen.baseHref ?? '', null)?.href ?? null;
    for (const mention of mentionsInHtml(seen, schemes))
      add(found, mention, targetOf(mention.href, base, which), 'html');
  }
  if (text !== null) {
    const plain = cleanText(text.slice(0, MAX_CHARACTERS));
    for (const mention of mentionsInText(plain, schemes, which === 'followed'))
      add(found, mention, targetOf(mention.href, null, which), 'text');
  }
  const all = [...found.values()];
  const above = aboveSignature(all);
  const said = readWords(cleanText((subject ?? '').slice(0, MAX_SUBJECT)));
  const fromSubject = evidenceOfSubject(said);
  if (fromSubject.length > 0) for (const open of linksOfSubject(above, fromSubject)) open.evidence.push(...fromSubject);
  const meant = new Set(above.map(({ target }) => target.url));
  return ranked(all.map(told), said.isTrade ? null : (said.said?.kind ?? null), meant);
}

/** Returns the links that a mail may be about: not those of its signature, unless all are there. */
function aboveSignature(all: readonly Open[]): readonly Open[] {
  const above = all.filter(({ isSigned }) => !isSigned);
  return above.length > 0 ? above : all;
}

function add(found: Map<string, Open>, mention: Mention, target: Target | null, part: 'html' | 'text'): void {
  if (target === null) return;
  const known = found.get(target.url);
  if (known === undefined && found.size >= MAX_LINKS) return;
  const open = known ?? opened(target, mention, part);
  if (known === undefined) found.set(target.url, open);
  if (open.part !== part) open.part = 'both';
  open.isSigned &&= mention.isSigned;
  if (++open.mentions > MAX_MENTIONS) return;
  if (isAddress(open.text, target.url)) open.text = mention.text;
  open.evidence.push(...evidenceOf(mention, open.judged));
}

function opened(target: Target, mention: Mention, part: 'html' | 'text'): Open {
  const tracker = target.form === undefined ? trackerOf(target.judged) : null;
  const address = target.judged;
  const judged = { address, isTracked: tracker !== null, isSecret: carriesSecret(address) };
  return { target, tracker, judged, evidence: [], text: mention.text, part, isSigned: mention.isSigned, mentions: 0 };
}

/**
 * Returns the links that a subject speaks of: the first personal one of each part, or the only link that may be meant
 * if none is personal. None if a link says the same itself.
 */
function linksOfSubject(all: readonly Open[], subject: readonly Evidence[]): readonly Open[] {
  const isSaid = ({ evidence }: Open) =>
    evidence.some(({ kind, points }) => points >= CERTAIN && subject.some((one) => one.kind === kind));
  if (all.some(isSaid)) return [];
  const open = all.filter((one) => mayBeMeant(one));
  const personal = open.filter(({ judged }) => judged.isTracked || judged.isSecret);
  if (personal.length === 0) return open.length === 1 && open.every(isSilent) ? open : [];
  const first = [personal.find(({ part }) => part !== 'text'), personal.find(({ part }) => part !== 'html')];
  return [...new Set(first)].filter((one) => one !== undefined);
}

/** The points of a link that says itself what it does. */
const CERTAIN = 6;

function isSilent({ text, target }: Open): boolean {
  return saysNothing(text, target.url);
}

function mayBeMeant({ evidence, target, text, tracker }: Open): boolean {
  if (evidence.some(({ kind, points }) => kind === 'unsubscribe' && points >= CERTAIN)) return false;
  const { isTrade, isOfCode } = readWords(text);
  if (!isAddress(text, target.url) && (isTrade || isOfCode)) return false;
  return !isBeside({ url: target.url, text, tracker });
}

function told({ target, tracker, judged, evidence, text, part }: Open): Omit<FoundLink, 'rank' | 'ambiguous'> {
  const { kind, reasons } = decide(evidence, judged);
  const { url, form } = target;
  return {
    ...{ url, text, kind, reason: reasons.join(', '), part },
    ...(tracker !== null && { tracker }),
    ...(form !== undefined && { form }),
  };
}

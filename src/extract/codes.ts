import { cleanText } from './clean-text.ts';
import { type Evidence, evidenceFor, type Source } from './code-evidence.ts';
import { lexemesOf, type Shape, shapesOf } from './code-shapes.ts';
import { sayingWords, type Word } from './code-words.ts';
import { firstIndex } from './first-index.ts';
import { type Emphasis, MAX_CHARACTERS, visibleText } from './visible-text.ts';

export interface FoundCode {
  /** As it is to be entered: without the spaces or hyphens inside. */
  readonly code: string;
  readonly written: string;
  /** Why it is taken for a code. */
  readonly reason: string;
  readonly confidence: 'high' | 'medium' | 'low';
  /** 1 is the likeliest; what can't be told apart has the same. */
  readonly rank: number;
  /** It shares the first rank with another. */
  readonly ambiguous: boolean;
}

export interface CodeText {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

interface Scored {
  readonly shape: Shape;
  readonly points: number;
  readonly reasons: readonly string[];
}

const MAX_FOUND = 20;
const MAX_SHAPES = 1_000;
const ENOUGH = 45;
/** Closer than this, one is no likelier than the other. */
const APART = 15;

/** The one-time codes a person would see in a mail, likeliest first. Linear, never throws; reads the first 512 Ki characters of each body. */
export function findCodes({ subject, text, html }: CodeText): FoundCode[] {
  const seen = html === null ? null : visibleText(html);
  const sources = [
    { text: clean(subject ?? '').replace(/\s+/g, ' '), emphasis: [], inSubject: true },
    ...(seen === null ? [] : [{ text: seen.text, emphasis: seen.emphasis, inSubject: false }]),
    ...(text === null ? [] : [{ text: clean(text), emphasis: [], inSubject: false }]),
  ].map((source) => ({ ...source, lexemes: lexemesOf(source.text), words: sayingWords(source.text) }));
  const mail = aboutMail(
    sources.flatMap(({ words, inSubject }) => (inSubject ? words : [])),
    sources.flatMap(({ words }) => words),
  );
  const best = new Map<string, Scored>();
  const inSubject = new Set<string>();
  for (const source of sources) {
    for (const scored of scoresIn(source, source.emphasis, mail)) {
      const { code } = scored.shape;
      if (source.inSubject) inSubject.add(code);
      const known = best.get(code);
      if (known === undefined || known.points < scored.points) best.set(code, scored);
    }
  }
  return ranked([...best.values()].map((scored) => (inSubject.has(scored.shape.code) ? withSubject(scored) : scored)));
}

function clean(text: string): string {
  return cleanText(text.slice(0, MAX_CHARACTERS)).replace(/\r\n?/g, '\n');
}

/** What all of a mail says of the codes in it. */
interface Mail {
  /** By its subject. */
  readonly isAboutCodes: boolean;
  readonly namesCodes: boolean;
  readonly isOffer: boolean;
  readonly isTravel: boolean;
}

const OFFER =
  /^(?:promo|promotion|discount|% off|off your|checkout|coupon|voucher|rabatt|gutschein)|(?:promo|discount|coupon|offer|gutschein|rabatt|korting)/;
const TRAVEL = /^(?:booking|reservation|itinerary|flight|réservation|reserva|prenotazione|boeking|rezervasyon)/;

function aboutMail(subject: readonly Word[], words: readonly Word[]): Mail {
  return {
    isAboutCodes: subject.some(({ saying }) => saying === 'strong'),
    namesCodes: words.some(({ saying }) => saying === 'strong'),
    isOffer: words.some((word) => word.saying === 'not' && OFFER.test(word.words)),
    isTravel: words.some((word) => word.saying === 'not' && TRAVEL.test(word.words)),
  };
}

function scoresIn(source: Source, emphasis: readonly Emphasis[], mail: Mail): Scored[] {
  const found: Scored[] = [];
  let taken = -1;
  for (const shape of shapesOf(source.text, source.lexemes).slice(0, MAX_SHAPES)) {
    const isAlone = standsAlone(source.text, shape);
    const evidence = evidenceFor(source, shape, isAlone, taken);
    const scored = score(shape, evidence, isAlone, lookAt(emphasis, shape), mail);
    if (scored.points < ENOUGH) continue;
    found.push(scored);
    taken = shape.end;
  }
  return found;
}

function score(shape: Shape, evidence: Evidence, isAlone: boolean, look: Emphasis['look'] | null, mail: Mail): Scored {
  const reasons = [...evidence.reasons];
  let points = evidence.points;
  const refused = { shape, points: 0, reasons };
  if (evidence.saying === 'not') return refused;
  if (evidence.saying === 'nothing') {
    const isLikely = mail.isAboutCodes || (mail.namesCodes && look === 'large');
    if (!isAlone || !isLikely) return refused;
    points += 30;
    reasons.push('in a mail about a code');
  }
  if (mail.isTravel && reasons.some((reason) => reason.includes('confirmation code'))) return refused;
  if (shape.kind === 'letters') {
    if (evidence.saying !== 'strong' && (evidence.saying !== 'medium' || mail.isOffer)) return refused;
    points -= 5;
  }
  if (/^(?:19|20)[0-9]{2}$/.test(shape.code)) points -= 25;
  if (isAlone) {
    points += 20;
    reasons.push('alone on its line');
  }
  if (look !== null) {
    points += look === 'large' ? 20 : 10;
    reasons.push(look);
  }
  return { shape, points, reasons };
}

function withSubject(scored: Scored): Scored {
  return { ...scored, points: scored.points + 20, reasons: [...scored.reasons, 'in the subject'] };
}

const LOOK_AROUND = 12;
const NOTHING_BESIDE = /^[\s"'“”„«»*_()[\]{}|>.:·•–—-]*$/;

function standsAlone(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  const cut = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t'));
  const stop = after.search(/[\n\t]/);
  const left = before.slice(cut + 1);
  const right = stop < 0 ? after : after.slice(0, stop);
  if (cut < 0 && start > LOOK_AROUND) return false;
  if (stop < 0 && end + LOOK_AROUND < text.length) return false;
  return NOTHING_BESIDE.test(left) && NOTHING_BESIDE.test(right);
}

function lookAt(emphasis: readonly Emphasis[], { start, end }: Shape): Emphasis['look'] | null {
  const span = emphasis[firstIndex(emphasis.length, (i) => (emphasis[i]?.start ?? 0) > start) - 1];
  return span !== undefined && span.end >= end ? span.look : null;
}

function ranked(all: readonly Scored[]): FoundCode[] {
  const sorted = [...all].sort((a, b) => b.points - a.points).slice(0, MAX_FOUND);
  const ranks: number[] = [];
  let head = Number.POSITIVE_INFINITY;
  let rank = 0;
  for (const [index, { points }] of sorted.entries()) {
    if (head - points >= APART) {
      rank = index + 1;
      head = points;
    }
    ranks.push(rank);
  }
  const isAmbiguous = ranks.filter((each) => each === 1).length > 1;
  return sorted.map(({ shape, points, reasons }, index) => ({
    code: shape.code,
    written: shape.written,
    reason: reasons.join(', '),
    confidence: points >= 80 ? 'high' : points >= 60 ? 'medium' : 'low',
    rank: ranks[index] ?? 1,
    ambiguous: isAmbiguous && ranks[index] === 1,
  }));
}

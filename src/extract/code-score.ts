import type { Evidence, SearchedText } from './code-evidence.ts';
import { isRetired } from './code-introduced.ts';
import { isCodeLike, MISREADINGS, type Shape } from './code-shapes.ts';
import type { Word } from './code-words.ts';
import { firstIndex } from './first-index.ts';
import type { Emphasis } from './visible-text.ts';

/** The facts about a whole mail that affect its codes. */
export interface MailEvidence {
  /** Tells whether the subject speaks of a code. */
  readonly isAboutCodes: boolean;
  readonly namesCodes: boolean;
  readonly isOffer: boolean;
  readonly isTravel: boolean;
}

/** A number with its points and the reasons for and against it. */
export interface Scored {
  readonly shape: Shape;
  readonly points: number;
  readonly reasons: readonly string[];
  /** The reason why it is no code. */
  readonly refused?: string;
  /** Tells whether a word for a code introduces it directly, although it does not look like a code. */
  readonly isCalledCode: boolean;
}

/** The position of a candidate in the text. */
export interface ShapePosition {
  readonly isAlone: boolean;
  readonly isParagraph: boolean;
  readonly look: Emphasis['look'] | null;
}

const OFFER =
  /^(?:promo|promotion|discount|% off|off your|checkout|coupon|voucher|rabatt|gutschein)|(?:promo|discount|coupon|offer|gutschein|rabatt|korting)/;
const TRAVEL = /^(?:booking|reservation|itinerary|flight|réservation|reserva|prenotazione|boeking|rezervasyon)/;
const YEAR = /^(?:19|20)[0-9]{2}$/;
/** The points for a number that stands alone on its line or is introduced by its sentence. */
const PRESENTED = 20;
const ABOUT_CODES = 25;
/**
 * The points for emphasis. They are fewer than the difference between two kinds of words, so emphasis alone decides
 * nothing.
 */
const LOOKS = { large: 6, bold: 4 } as const;

const BOOKING = 'of a booking';
const MISREAD = new Set<string>([...MISREADINGS, BOOKING]);

export function aboutMail(subject: readonly Word[], words: readonly Word[]): MailEvidence {
  return {
    isAboutCodes: subject.some(({ saying }) => saying === 'strong'),
    namesCodes: words.some(({ saying }) => saying === 'strong'),
    isOffer: words.some((word) => word.saying === 'not' && OFFER.test(word.words)),
    isTravel: words.some((word) => word.saying === 'not' && TRAVEL.test(word.words)),
  };
}

export function score(
  text: string,
  shape: Shape,
  evidence: Evidence,
  place: ShapePosition,
  mail: MailEvidence,
): Scored {
  const { isAlone, look } = place;
  const reasons = [...evidence.reasons];
  const refusal = refusalOf(text, shape, evidence, place, mail);
  let points = evidence.saying === 'nothing' ? ABOUT_CODES : evidence.points;
  if (evidence.saying === 'nothing' && refusal === null) reasons.push('in a mail about a code');
  if (isAlone || evidence.introduced !== 'not') points += PRESENTED;
  if (shape.kind === 'letters') points -= 5;
  if (shape.kind === 'loose') points -= 10;
  if (YEAR.test(shape.code)) points -= 15;
  if (isAlone) reasons.push('alone on its line');
  if (look !== null) {
    points += LOOKS[look];
    reasons.push(look);
  }
  const scored = { shape, points, reasons, isCalledCode: false };
  if (refusal === null) return scored;
  const isCalled = evidence.introduced === 'explicitly' && evidence.isDirect && isCodeLike(shape);
  return { ...scored, refused: refusal, isCalledCode: isCalled && MISREAD.has(refusal) };
}

/** Returns the reason why a shape is no code, or null if it may be one. */
function refusalOf(
  text: string,
  shape: Shape,
  evidence: Evidence,
  place: ShapePosition,
  mail: MailEvidence,
): string | null {
  const { saying, introduced, reasons } = evidence;
  const isNamed = saying === 'strong' || saying === 'medium';
  if (saying === 'not') return 'another kind of number';
  if (saying === 'nothing' && !isExpected(shape, place, mail)) return shape.refused ?? 'no word for a code near it';
  if (saying !== 'nothing' && introduced === 'not') return 'the mail does not say that it is the code';
  if (isRetired(text, shape.end)) return 'the mail says that it is no longer valid';
  if (mail.isTravel && reasons.some((reason) => reason.includes('confirmation code'))) return BOOKING;
  if (shape.kind === 'letters' || shape.kind === 'loose') {
    if (!isNamed) return 'a name, without a word for a code near it';
    if (saying === 'medium' && mail.isOffer) return 'of an offer';
  }
  if (shape.kind === 'loose' && !(introduced === 'explicitly' && evidence.isDirect)) return 'a name or a word';
  if (YEAR.test(shape.code) && introduced !== 'explicitly' && !place.isAlone) return 'a year';
  return shape.refused ?? null;
}

/** Tells whether a number is where a reader expects a code, in a mail about codes. */
function isExpected({ code }: Shape, { isAlone, isParagraph, look }: ShapePosition, mail: MailEvidence): boolean {
  if (!isAlone) return false;
  // A short number among other lines may belong to a postal address.
  const isApart = isParagraph || look !== null || code.length >= 6;
  return (mail.isAboutCodes && isApart) || (mail.namesCodes && look === 'large');
}

const LOOK_AROUND = 12;
const NOTHING_BESIDE = /^[\s"'“”„«»*_()[\]{}|>.:·•–—-]*$/;
/** The number of a list item. */
const COUNT = /^\s*\(?[0-9]{1,2}[.):]\s+/;

export function shapePosition({ text }: SearchedText, emphasis: readonly Emphasis[], shape: Shape): ShapePosition {
  return { isAlone: standsAlone(text, shape), isParagraph: isParagraph(text, shape), look: lookAt(emphasis, shape) };
}

function standsAlone(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  const cut = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t'));
  const stop = after.search(/[\n\t]/);
  const left = before.slice(cut + 1).replace(COUNT, '');
  const right = stop < 0 ? after : after.slice(0, stop);
  if (cut < 0 && start > LOOK_AROUND) return false;
  if (stop < 0 && end + LOOK_AROUND < text.length) return false;
  return NOTHING_BESIDE.test(left) && NOTHING_BESIDE.test(right);
}

function isParagraph(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  return /(?:^|\n[ \t]*\n)[^\n]*$/.test(before) && /^[^\n]*(?:$|\n[ \t]*(?:\n|$))/.test(after);
}

function lookAt(emphasis: readonly Emphasis[], { start, end }: Shape): Emphasis['look'] | null {
  const span = emphasis[firstIndex(emphasis.length, (i) => (emphasis[i]?.start ?? 0) > start) - 1];
  return span !== undefined && span.end >= end ? span.look : null;
}

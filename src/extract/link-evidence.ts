import { isHelpPage, isHomePage, isMagicAddress, kindInUrl } from './link-address.ts';
import type { LinkKind, Said, SaidKind } from './link-kinds.ts';
import type { Around, Mention } from './link-mentions.ts';
import { declines, type Reading, readWords } from './link-words.ts';

/** One piece of evidence about the kind of a link: what says it, and how much that counts. */
export interface Evidence {
  readonly kind: SaidKind;
  readonly points: number;
  /** Tells whether the words alone decide little. Any number of them decides no more than one address. */
  readonly isWeak: boolean;
  /** The evidence in words: `its text says "verify"`. */
  readonly reason: string;
}

/** What is known about a link before its kind is decided. */
export interface Judged {
  readonly address: URL;
  readonly isTracked: boolean;
  /** Tells whether the address carries a secret, so that it is meant for one reader. */
  readonly isSecret: boolean;
}

/** The kind of a link, and why. */
export interface Verdict {
  readonly kind: LinkKind;
  readonly reasons: readonly string[];
}

/** The points of each source. Words of the link itself outweigh all words around it. */
const POINTS = {
  text: 8,
  hints: 6,
  address: 7,
  line: 5,
  after: 3,
  above: 4,
  far: 2.5,
  below: 1,
  subject: 3.5,
} as const;
/** The points of words that decide little, such as "Confirm" on a button that may reset a password. */
const WEAK = { text: 2.5, signIn: 2.9, hints: 2.5, address: 2.5 } as const;
/** Words around a link whose own words say something else, such as "Get started". */
const BESIDE = 2.5;
/** A password in the words around a link, which a new account has too. It needs the subject or the link beside it. */
const PASSWORD = 2.4;
/** The points that a kind needs. The line below a link only confirms it. */
const ENOUGH = 2.5;
/** The points that a magic link needs. A mail about a new sign-in has other links, too. */
const ENOUGH_FOR_MAGIC = 2.5;
/** The points of all words together that decide little. */
const MOST_WEAK = 6;

/** The reasons that are told, the strongest first. */
const MOST_REASONS = 3;

const IS_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/\S*$/i;
/** Texts that say nothing in any language: an arrow, a single word, "click here". */
const SAYS_NOTHING =
  /^(?:(?:please |just )?(?:click |tap |press )?(?:on )?(?:here|this link|the link|link|continue|open|go|next|start|hier|hier klicken|ici|cliquez ici|aquí|haz clic aquí|aqui|clique aqui|qui|clicca qui|tutaj|kliknij tutaj|здесь|сюда|нажмите здесь|buraya|buraya tıklayın|こちら|こちらをクリック|这里|点击这里|點此|여기|여기를 클릭|هنا|اضغط هنا|כאן|לחץ כאן|ici\.))[.!:→»>› ]*$/i;

/** Words that confirm, and that also look at something: "Check your order". */
const LOOK =
  /^(?:確認|확인|пр[оа]вер|перевір|шалга|тексер|tekshir|pr[eo]ver|provjer|pārbaud|ellenőriz|kontrol|gwirio|ตรวจสอบ|ກວດສອບ|စစ်ဆေး)/;

function isLook(said: Said | null): boolean {
  return said?.kind === 'verify' && said.isWeak && LOOK.test(said.words);
}

const HAS_WORD = /\p{L}{2}|[^\P{L}A-Za-z]/u;

const NOTHING: Reading = { said: null, isTrade: false, isOfCode: false };

export function isAddress(text: string, href: string): boolean {
  return text === href || IS_ADDRESS.test(text);
}

/** Tells whether the text of a link is its address or says nothing, so that the words around it count. */
export function saysNothing(text: string, href: string): boolean {
  return isAddress(text, href) || !/\p{L}/u.test(text) || SAYS_NOTHING.test(text);
}

/** Collects the evidence that one mention of a link gives. */
export function evidenceOf(mention: Mention, { address, isTracked, isSecret }: Judged): Evidence[] {
  const isPersonal = isTracked || isSecret;
  const isBare = isAddress(mention.text, mention.href);
  const own: Reading = isBare ? NOTHING : readWords(mention.text);
  const found: Evidence[] = [];
  if (isPersonal || !isLook(own.said))
    add(found, own.said, POINTS.text, own.said?.kind === 'magic' ? WEAK.signIn : WEAK.text, 'its text says');
  add(found, readWords(mention.hints).said, POINTS.hints, WEAK.hints, 'its label says');
  // The path of a tracked link belongs to the tracker.
  if (!isTracked) add(found, kindInUrl(address), POINTS.address, WEAK.address, 'its address says');
  // Who declines mail unsubscribes. To decline anything else is none of the kinds, whatever stands around it.
  if (!isBare && declines(mention.text)) return found.filter(({ kind }) => kind === 'unsubscribe');
  const isSilent = saysNothing(mention.text, mention.href);
  // A sentence that names the site says nothing about its home page.
  if (isBare && !isTracked && isHomePage(address)) return found;
  if (isSilent || (isPersonal && own.said?.isWeak !== false && !own.isTrade && !own.isOfCode)) {
    found.push(...evidenceAround(mention.around(), isSilent, isPersonal));
  }
  return found;
}

/** The evidence of the words around a link. A link without a secret takes only what introduces it. */
function evidenceAround(words: Around, isSilent: boolean, isPersonal: boolean): Evidence[] {
  const found: Evidence[] = [];
  const points = (most: number) => (isSilent ? most : Math.min(most, BESIDE));
  const weakOf = (said: Said | null) => (said?.kind === 'reset' ? PASSWORD : isSilent ? WEAK.signIn : BESIDE);
  const before = readWords(words.before).said;
  add(found, before, points(POINTS.line), weakOf(before), 'the words before it say');
  if (isSilent) add(found, readWords(words.after).said, POINTS.after, BESIDE, 'the words after it say');
  const [label, ...far] = words.above;
  // A bullet, an arrow or a `\n` that a template left is no label.
  const isLabelled = !HAS_WORD.test(words.before) && label !== undefined;
  if (isLabelled && (isPersonal || /[:：]$/.test(label.trimEnd()))) {
    const { said, isTrade } = readWords(label);
    if (said?.kind !== 'unsubscribe' && !isTrade)
      add(found, said, points(POINTS.above), weakOf(said), 'the line above it says');
  }
  if (!isPersonal) return found;
  const further = isLabelled ? far : words.above;
  for (const line of further) {
    const { said, isTrade } = readWords(line);
    if (said === null || said.isWeak || said.kind === 'unsubscribe' || isTrade) continue;
    add(found, said, POINTS.far, POINTS.far, 'a line above it says');
    break;
  }
  const { said, isTrade } = readWords(words.below);
  if (said?.kind !== 'unsubscribe' && !isTrade) add(found, said, POINTS.below, 0, 'the line below it says');
  return found;
}

/** The evidence of a subject for the link that a mail is about. */
export function evidenceOfSubject(subject: Reading): Evidence[] {
  const found: Evidence[] = [];
  // A mail about a new sign-in has other links.
  if (subject.said?.kind === 'magic' && subject.said.isWeak) return found;
  if (subject.said?.kind === 'unsubscribe' || subject.isTrade) return found;
  add(found, subject.said, POINTS.subject, POINTS.subject, 'the subject says');
  return found;
}

function add(found: Evidence[], said: Said | null, points: number, weak: number, where: string): void {
  if (said === null) return;
  const { kind, words, isWeak } = said;
  found.push({ kind, points: isWeak ? weak : points, isWeak, reason: `${where} "${words}"` });
}

/** Weighs the evidence of all mentions of a link. Each source counts once. */
export function decide(evidence: readonly Evidence[], { address, isTracked, isSecret }: Judged): Verdict {
  const isMagic = isSecret || isMagicAddress(address);
  const isHelp = !isTracked && isHelpPage(address);
  const best = new Map<string, Evidence>();
  for (const one of evidence) {
    const source = one.reason.slice(0, one.reason.indexOf(' "'));
    const known = best.get(`${source} ${one.kind}`);
    if (known === undefined || known.points < one.points) best.set(`${source} ${one.kind}`, one);
  }
  const all = acceptingInvitation(confirmingReset([...best.values()]));
  const sums = new Map<SaidKind, number>();
  for (const kind of new Set(all.map((one) => one.kind))) sums.set(kind, sumOf(all.filter((one) => one.kind === kind)));
  const isAllowed = ([kind, points]: readonly [SaidKind, number]) => {
    if (points < ENOUGH) return false;
    if (kind === 'magic') return isMagic && points >= ENOUGH_FOR_MAGIC;
    // "Join" and "Accept" alone are on many pages.
    if (kind === 'invite') return isSecret || isTracked || points > WEAK.text;
    return kind === 'unsubscribe' || !isHelp;
  };
  const [first] = [...sums].filter(isAllowed).sort((a, b) => b[1] - a[1]);
  if (first === undefined) return { kind: 'other', reasons: ['nothing says what it is for'] };
  const reasons = all.filter(({ kind }) => kind === first[0]).sort((a, b) => b.points - a.points);
  return {
    kind: first[0] === 'unlock' ? 'other' : first[0],
    reasons: reasons.slice(0, MOST_REASONS).map(({ reason }) => reason),
  };
}

function sumOf(all: readonly Evidence[]): number {
  const sum = (isWeak: boolean) => all.reduce((sum, one) => (one.isWeak === isWeak ? sum + one.points : sum), 0);
  return sum(false) + Math.min(sum(true), MOST_WEAK);
}

/** Sources that belong to the link itself. */
const OWN = /^its /;
const SUBJECT = /^the subject /;

/** Words around a link that ask to confirm something in a mail about a new password ask to confirm that one. */
function confirmingReset(all: readonly Evidence[]): readonly Evidence[] {
  const isReset = all.some(({ kind, isWeak, reason }) => kind === 'reset' && (!isWeak || SUBJECT.test(reason)));
  const isOwn = all.some(({ kind, isWeak, reason }) => kind === 'verify' && !isWeak && OWN.test(reason));
  if (!isReset || isOwn) return all;
  return all.map((one) =>
    one.kind === 'verify' && (one.isWeak || !OWN.test(one.reason)) ? { ...one, kind: 'reset' } : one,
  );
}

/** In a mail with an invitation, "Sign up" and "Confirm" accept it, unless the link says that it verifies an address. */
function acceptingInvitation(all: readonly Evidence[]): readonly Evidence[] {
  const isInvited = all.some(({ kind, isWeak, reason }) => kind === 'invite' && (!isWeak || SUBJECT.test(reason)));
  const isVerified = all.some(({ kind, isWeak, points }) => kind === 'verify' && !isWeak && points > POINTS.below);
  if (!isInvited || isVerified) return all;
  return all.map((one) => (one.kind === 'verify' ? { ...one, kind: 'invite' } : one));
}

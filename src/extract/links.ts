import { MAX_CHARACTERS, type MailContent } from './bounds.ts';
import { carriesSecret, isHelpPage, isHomePage, isMagicAddress, kindInUrl } from './link-address.ts';
import type { FoundLink, KindInWords, LinkKind, SaidKind } from './link-kinds.ts';
import { type Around, type Mention, mentionsInHtml, mentionsInText } from './link-mentions.ts';
import { isBeside, type LinkPlace, ranked, readFacts } from './link-role.ts';
import { type Target, targetOf, trackerOf, type Which, webUrl } from './link-target.ts';
import { declines, type Reading, readWords, saysOnlyHere } from './link-words.ts';
import { cleanText, visibleText } from './visible-text.ts';

export type { FoundLink };

/** A link before its kind and its rank are decided. */
interface Open {
  readonly target: Target;
  readonly tracker: string | null;
  readonly judged: JudgedLink;
  readonly evidence: Evidence[];
  text: string;
  part: FoundLink['part'];
  /** Tells whether all its mentions are below a signature. */
  isSigned: boolean;
  mentions: number;
  /** Reads the words around its first mention. */
  readonly around: Mention['around'];
}

const MAX_LINKS = 500;
/** The mentions of one link whose words are read. */
const MAX_MENTIONS = 20;
const MAX_SUBJECT = 1_000;

/**
 * Finds the links of a mail in order, each once. `which` selects the kinds of links; by default http and https. It
 * reads the first 512 Ki characters of each body in linear time and never throws.
 */
export function findLinks({ subject, text, html }: MailContent, which: Which = 'web'): FoundLink[] {
  const found = new Map<string, Open>();
  const texts: string[] = [];
  const schemes = which === 'web' ? 'web' : 'any scheme';
  if (html !== null) {
    const seen = visibleText(html);
    texts.push(seen.text);
    const base = webUrl(seen.baseHref ?? '', null)?.href ?? null;
    for (const mention of mentionsInHtml(seen, schemes))
      add(found, mention, targetOf(mention.href, base, which), 'html');
  }
  if (text !== null) {
    const plain = cleanText(text.slice(0, MAX_CHARACTERS));
    texts.push(plain);
    for (const mention of mentionsInText(plain, schemes, which === 'followed'))
      add(found, mention, targetOf(mention.href, null, which), 'text');
  }
  const all = [...found.values()];
  const above = aboveSignature(all);
  const said = readWords(cleanText((subject ?? '').slice(0, MAX_SUBJECT)));
  const fromSubject = evidenceOfSubject(said);
  if (fromSubject.length > 0) for (const open of linksOfSubject(above, fromSubject)) open.evidence.push(...fromSubject);
  addEvidenceOfMail(above, texts, said);
  const meant = new Set(above.map(({ target }) => target.url));
  // Only a mail whose links have no kind asks.
  const place = (url: string): LinkPlace => {
    const open = found.get(url);
    return open === undefined ? 'alone' : placeOf(open);
  };
  const links = all.map((open) => {
    const link = told(open);
    // A relative link, and one of an app, is read again in the form that the answer has.
    if (link.form === undefined) readFacts(link, open.judged.address);
    return link;
  });
  return ranked(links, said.isTrade ? null : (said.said?.kind ?? null), meant, place);
}

/** Returns the place of a link on its line. No button stands within words. */
function placeOf({ around }: Open): LinkPlace {
  const { before, after } = around();
  const sides = [before, after].filter((text) => HAS_WORD.test(text));
  if (sides.length === 0) return 'alone';
  return sides.length === 1 ? 'beside words' : 'within words';
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
  const { text, isSigned, around } = mention;
  return { target, tracker, judged, evidence: [], text, part, isSigned, mentions: 0, around };
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

/** The lines of a mail that are read for a link whose surroundings say nothing. */
const MOST_LINES = 60;
const LONGEST_MAIL = 6_000;

/**
 * A short mail with one personal link is about this link. So if nothing near it tells its kind, all lines of the mail
 * may, for instance the last one: "If you did not ask to reset your password, ignore this mail." They must agree.
 */
function addEvidenceOfMail(above: readonly Open[], texts: readonly string[], subject: Reading): void {
  const personal = above.filter((one) => (one.judged.isTracked || one.judged.isSecret) && mayBeMeant(one));
  if (personal.some((open) => placeOf(open) === 'within words')) return;
  const isOne = personal.length === 1 || (personal.length === 2 && personal[0]?.part !== personal[1]?.part);
  if (!isOne || subject.isTrade || subject.isOfCode || texts.some(({ length }) => length > LONGEST_MAIL)) return;
  const kinds = above.map(({ evidence, judged }) => decide(evidence, judged).kind);
  if (kinds.some((kind) => kind !== 'other' && kind !== 'unsubscribe')) return;
  if (personal.some(({ text, evidence }) => declines(text) || evidence.some(({ kind }) => kind === 'magic'))) return;
  if (personal.some(({ evidence }) => evidence.some(({ kind }) => kind === 'unlock'))) return;
  const said = texts
    .flatMap((text) => text.split('\n').filter((line) => HAS_WORD.test(line)))
    .slice(0, MOST_LINES)
    .map(readWords);
  if (said.some(({ isTrade, isOfCode, said }) => isTrade || isOfCode || said?.kind === 'unlock')) return;
  const telling = said.flatMap(({ said }) =>
    said === null || said.isWeak || said.kind === 'unsubscribe' ? [] : [said],
  );
  const [first] = telling;
  if (first === undefined || telling.some(({ kind }) => kind !== first.kind)) return;
  for (const { evidence } of personal) addEvidence(evidence, first, ENOUGH, 0, 'the mail says');
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
  const { url, form } = target;
  // The text part shows only the address of what a button of the HTML declines.
  const isDeclining = !isAddress(text, url) && declines(text);
  const { kind, reasons } = decide(
    isDeclining ? evidence.filter((one) => one.kind === 'unsubscribe') : evidence,
    judged,
  );
  return {
    ...{ url, text, kind, reason: reasons.join(', '), part },
    ...(tracker !== null && { tracker }),
    ...(form !== undefined && { form }),
  };
}

/** One piece of evidence about the kind of a link: what says it, and how much that counts. */
export interface Evidence {
  readonly kind: SaidKind;
  readonly points: number;
  /** Tells whether the words alone decide little. Any number of them decides no more than one address. */
  readonly isWeak: boolean;
  /** The evidence in words: `its text says "verify"`. */
  readonly reason: string;
  /** Tells whether the words sign up. */
  readonly isSignUp?: boolean;
}

/** A link before its kind is decided. */
export interface JudgedLink {
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

/** The reasons that the answer lists, the strongest first. */
const MOST_REASONS = 3;

const IS_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/\S*$/i;
const HAS_WORD = /\p{L}{2}|[^\P{L}A-Za-z]/u;

const NOTHING: Reading = { said: null, isTrade: false, isOfCode: false };

export function isAddress(text: string, href: string): boolean {
  return text === href || IS_ADDRESS.test(text);
}

/** Tells whether the text of a link is its address or says nothing, so that the words around it count. */
function saysNothing(text: string, href: string): boolean {
  return isAddress(text, href) || saysOnlyHere(text);
}

/** Collects the evidence that one mention of a link gives. */
function evidenceOf(mention: Mention, { address, isTracked, isSecret }: JudgedLink): Evidence[] {
  const isPersonal = isTracked || isSecret;
  const isBare = isAddress(mention.text, mention.href);
  const own: Reading = isBare ? NOTHING : readWords(mention.text);
  const found: Evidence[] = [];
  // "Check your order" looks at it, and confirms nothing.
  if (isPersonal || !(own.said?.isWeak && own.said.isLook))
    addEvidence(found, own.said, POINTS.text, own.said?.kind === 'magic' ? WEAK.signIn : WEAK.text, 'its text says');
  addEvidence(found, readWords(mention.hints).said, POINTS.hints, WEAK.hints, 'its label says');
  // The path of a tracked link belongs to the tracker.
  if (!isTracked) addEvidence(found, kindInUrl(address), POINTS.address, WEAK.address, 'its address says');
  // A reader who declines mail unsubscribes. To decline anything else is none of the kinds, whatever stands around it.
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
  const weakOf = (said: KindInWords | null) => (said?.kind === 'reset' ? PASSWORD : isSilent ? WEAK.signIn : BESIDE);
  const before = readWords(words.before).said;
  addEvidence(found, before, points(POINTS.line), weakOf(before), 'the words before it say');
  const after = readWords(words.after).said;
  // "Change your settings to stop receiving mail" says behind the link what it is for.
  if (isSilent || (isPersonal && after?.kind === 'unsubscribe'))
    addEvidence(found, after, points(POINTS.after), BESIDE, 'the words after it say');
  const [label, ...far] = words.above;
  // A bullet, an arrow or a `\n` that a template left is no label.
  const isLabelled = !HAS_WORD.test(words.before) && label !== undefined;
  if (isLabelled && (isPersonal || /[:：]$/.test(label.trimEnd()))) {
    const { said, isTrade } = readWords(label);
    if (said?.kind !== 'unsubscribe' && !isTrade)
      addEvidence(found, said, points(POINTS.above), weakOf(said), 'the line above it says');
  }
  if (!isPersonal) return found;
  const further = isLabelled ? far : words.above;
  for (const line of further) {
    const { said, isTrade } = readWords(line);
    if (said === null || said.isWeak || said.kind === 'unsubscribe' || isTrade) continue;
    addEvidence(found, said, POINTS.far, POINTS.far, 'a line above it says');
    break;
  }
  const { said, isTrade } = readWords(words.below);
  if (said?.kind !== 'unsubscribe' && !isTrade) addEvidence(found, said, POINTS.below, 0, 'the line below it says');
  return found;
}

/** The evidence of a subject for the link that a mail is about. */
function evidenceOfSubject(subject: Reading): Evidence[] {
  const found: Evidence[] = [];
  // A mail about a new sign-in has other links.
  if (subject.said?.kind === 'magic' && subject.said.isWeak) return found;
  if (subject.said?.kind === 'unsubscribe' || subject.isTrade) return found;
  addEvidence(found, subject.said, POINTS.subject, POINTS.subject, 'the subject says');
  return found;
}

function addEvidence(found: Evidence[], said: KindInWords | null, points: number, weak: number, where: string): void {
  if (said === null) return;
  const { kind, words, isWeak, isSignUp, alsoVerifies } = said;
  // The subject and the text of a link tell an invitation. A sentence that says both rather asks to verify.
  if (alsoVerifies !== undefined && !OWN.test(where) && !SUBJECT.test(where))
    found.push({ kind: 'verify', points, isWeak: false, reason: `${where} "${alsoVerifies}"` });
  found.push({
    ...{ kind, points: isWeak ? weak : points, isWeak, reason: `${where} "${words}"` },
    ...(isSignUp === true && { isSignUp }),
  });
}

/** Weighs the evidence of all mentions of a link. Each source counts once. */
export function decide(evidence: readonly Evidence[], { address, isTracked, isSecret }: JudgedLink): Verdict {
  const isMagic = isSecret || isMagicAddress(address);
  const isHelp = !isTracked && isHelpPage(address);
  const best = new Map<string, Evidence>();
  for (const one of evidence) {
    const source = one.reason.slice(0, one.reason.indexOf(' "'));
    const known = best.get(`${source} ${one.kind}`);
    if (known === undefined || known.points < one.points) best.set(`${source} ${one.kind}`, one);
  }
  const all = signingUp(acceptingInvitation(confirmingReset(withoutInvitingAddress([...best.values()]))));
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

const ADDRESS = /^its address /;

/**
 * Some programs send all links to confirm something through their invitations. If only the address invites, and the
 * subject or the link itself verifies, the address tells nothing.
 */
function withoutInvitingAddress(all: readonly Evidence[]): readonly Evidence[] {
  const invites = all.filter(({ kind }) => kind === 'invite');
  const isVerified = all.some(
    ({ kind, isWeak, reason }) => kind === 'verify' && !isWeak && (SUBJECT.test(reason) || OWN.test(reason)),
  );
  if (!isVerified || !invites.every(({ reason }) => ADDRESS.test(reason))) return all;
  return all.filter(({ kind }) => kind !== 'invite');
}

/** Words around a link that ask to confirm something in a mail about a new password ask to confirm that one. */
function confirmingReset(all: readonly Evidence[]): readonly Evidence[] {
  const isReset = all.some(({ kind, isWeak, reason }) => kind === 'reset' && (!isWeak || SUBJECT.test(reason)));
  const isOwn = all.some(({ kind, isWeak, reason }) => kind === 'verify' && !isWeak && OWN.test(reason));
  if (!isReset || isOwn) return all;
  return all.map((one) =>
    one.kind === 'verify' && (one.isWeak || !OWN.test(one.reason)) ? { ...one, kind: 'reset' } : one,
  );
}

/**
 * In a mail with an invitation, "Sign up" and "Confirm" accept it, unless the link says that it verifies an address. So
 * does "Set a password", if the subject invites and the address resets none.
 */
function acceptingInvitation(all: readonly Evidence[]): readonly Evidence[] {
  const bySubject = all.find(({ kind, reason }) => kind === 'invite' && SUBJECT.test(reason));
  if (bySubject !== undefined && !all.some(({ kind, reason }) => kind === 'reset' && ADDRESS.test(reason)))
    all = all.map((one) =>
      one.kind === 'reset' && (one.isWeak || !bySubject.isWeak) ? { ...one, kind: 'invite' } : one,
    );
  const isInvited = all.some(({ kind, isWeak, reason }) => kind === 'invite' && (!isWeak || SUBJECT.test(reason)));
  const isVerified = all.some(({ kind, isWeak, points }) => kind === 'verify' && !isWeak && points > POINTS.below);
  if (isInvited && !isVerified) return all.map((one) => (one.kind === 'verify' ? { ...one, kind: 'invite' } : one));
  const hasInvitation = all.some(({ kind, points }) => kind === 'invite' && points > POINTS.below);
  return hasInvitation ? all.map((one) => (one.isSignUp === true ? { ...one, kind: 'invite' } : one)) : all;
}

/**
 * A button "Sign in" below a sentence that speaks of signing up, and nothing else, completes the registration. So does a
 * sentence about a password in a mail whose subject signs up.
 */
function signingUp(all: readonly Evidence[]): readonly Evidence[] {
  const isRegistration = all.some(({ isSignUp, reason }) => isSignUp === true && SUBJECT.test(reason));
  if (isRegistration && !all.some(({ kind, reason }) => kind === 'reset' && OWN.test(reason)))
    all = all.map((one) => (one.kind === 'reset' ? { ...one, kind: 'verify' } : one));
  const isSignUp = all.some(({ isSignUp, points }) => isSignUp === true && points > POINTS.below);
  if (!isSignUp || all.some(({ kind, isWeak }) => kind === 'magic' && !isWeak)) return all;
  return all.map((one) => (one.kind === 'magic' ? { ...one, kind: 'verify' } : one));
}

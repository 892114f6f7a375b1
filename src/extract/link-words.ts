import type { KindInWords, SaidKind } from './link-kinds.ts';
import { allWordsIn, linkWordsIn, type Word } from './words/find-words.ts';
import type { LinkMeaning, Meaning } from './words/language.ts';

/** The meanings that tell a kind. The first one decides: a link that confirms a reset is a reset. */
const TELLING: readonly (readonly [Meaning, SaidKind])[] = [
  ['unsubscribe', 'unsubscribe'],
  ['reset', 'reset'],
  ['invite', 'invite'],
  ['verify', 'verify'],
  ['signIn', 'magic'],
  // Any other verb with a password means that the link sets a new one.
  ['password', 'reset'],
];
/** Mails of all languages call it so. */
const MAGIC_LINK = /\bmagic[ -]link/i;
const MAX_CHARACTERS = 600;

/** The words of a text that say something about links. */
export interface Reading {
  readonly said: KindInWords | null;
  /** Tells whether the text is about an order, an amount, a discount or the like. */
  readonly isTrade: boolean;
  /** Tells whether the text is about a code to enter, such as "Send the code again". */
  readonly isOfCode: boolean;
}

/** Reads what a text says about the kind of a link in any known language. */
export function readWords(text: string): Reading {
  const part = text.slice(0, MAX_CHARACTERS);
  const [words, linkWords] = allWordsIn(part);
  const isTrade = words.some((word) => isOfTrade(word, linkWords));
  const isOfCode = words.some(isForCode);
  const said: KindInWords | null = MAGIC_LINK.test(part)
    ? { kind: 'magic', words: 'magic link', isWeak: false }
    : (unlocking(linkWords) ?? saidBy(part, words, linkWords, isTrade));
  // Trade forbids to verify anything but an account.
  const verifies = said?.kind === 'verify' && said.isSignUp !== true;
  return { said, isTrade: isTrade && !verifies, isOfCode };
}

/** Tells whether a word is for a code. Several languages have one word for code and password, which says neither. */
function isForCode({ meanings }: Word): boolean {
  return meanings.includes('oneTime') || (meanings.includes('code') && !meanings.includes('password'));
}

type LinkWords = readonly Word<LinkMeaning>[];

function has(words: LinkWords, meaning: LinkMeaning): boolean {
  return words.some(({ meanings }) => meanings.includes(meaning));
}

/** Tells whether a word has a meaning for links, too: `account` in "account number". */
function alsoMeans({ start, end }: Word, meaning: LinkMeaning, linkWords: LinkWords): boolean {
  return linkWords.some((one) => one.start < end && one.end > start && one.meanings.includes(meaning));
}

const A_SLASH = /\//;

/** Tells whether the text of a link declines what the mail offers: "Decline invitation", and not "Accept or decline". */
export function declines(text: string): boolean {
  const words = linkWordsIn(text);
  return has(words, 'decline') && !has(words, 'or') && !A_SLASH.test(text);
}

/** Tells whether a text says nothing in any language: "click here", or "continue". */
export function saysOnlyHere(text: string): boolean {
  let from = 0;
  for (const { meanings, start, end } of linkWordsIn(text)) {
    if (!meanings.includes('here')) continue;
    if (A_LETTER.test(text.slice(from, start))) return false;
    from = end;
  }
  return !A_LETTER.test(text.slice(from));
}

const A_LETTER = /\p{L}/u;

function unlocking(linkWords: LinkWords): KindInWords | null {
  const word = linkWords.find(({ meanings }) => meanings.includes('unlock'));
  return word === undefined ? null : { kind: 'unlock', words: word.words, isWeak: false };
}

function saidBy(text: string, words: readonly Word[], linkWords: LinkWords, isTrade: boolean): KindInWords | null {
  for (const [meaning, kind] of TELLING) {
    const telling = words.filter(({ meanings }) => meanings.includes(meaning));
    const [first] = telling;
    if (first === undefined) continue;
    // "This order was made by you. Confirm your account" is about the account.
    if (kind === 'verify' && isTrade && !telling.some((word) => verifiesAccount(word, linkWords, text))) continue;
    const signIn = words.find((word) => word.meanings.includes('signIn') && !alsoMeans(word, 'signUp', linkWords));
    // "Confirm your sign-in" signs in. A sentence with more words also says what else is confirmed.
    if (kind === 'verify' && signIn !== undefined && isBeside(first, signIn))
      return { kind: 'magic', words: signIn.words, isWeak: false };
    if (kind === 'magic') {
      // "To sign in and change your password" is about the password.
      const password = words.find((word) => word.meanings.includes('password'));
      if (signIn !== undefined && password !== undefined) return { kind: 'reset', words: password.words, isWeak: true };
      // A "sign-in link" signs in; a "new sign-in" is only told.
      if (signIn !== undefined) return { kind, words: signIn.words, isWeak: !has(linkWords, 'link') };
      return { kind: 'verify', words: first.words, isWeak: true, isSignUp: true, isLook: has(linkWords, 'look') };
    }
    // "Confirm" alone may confirm anything; "Confirm your email" verifies the address.
    const isOfAddress = kind === 'verify' && has(linkWords, 'address');
    const verifies =
      kind === 'invite' && !isTrade ? words.find(({ meanings }) => meanings.includes('verify')) : undefined;
    const isSingle = telling.length === 1 && words.length === 1 && !isOfAddress;
    return {
      kind,
      words: first.words,
      isWeak: meaning === 'password' || (isSingle && (kind === 'verify' || kind === 'invite')),
      ...(kind === 'verify' && alsoMeans(first, 'look', linkWords) ? { isLook: true } : {}),
      ...(verifies === undefined ? {} : { alsoVerifies: verifies.words }),
    };
  }
  const signUp = linkWords.find(({ meanings }) => meanings.includes('signUp'));
  if (signUp === undefined) return null;
  return { kind: 'verify', words: signUp.words, isWeak: true, isSignUp: true, isLook: has(linkWords, 'look') };
}

/** The characters between two words of one phrase, such as " your ". */
const PHRASE = 8;

function isBeside(one: Pick<Word, 'start' | 'end'>, other: Pick<Word, 'start' | 'end'>): boolean {
  return Math.max(one.start, other.start) - Math.min(one.end, other.end) <= PHRASE;
}

/** Tells whether a word that confirms and one for an account or an address are one phrase: "confirm your account". */
function verifiesAccount(word: Word, linkWords: LinkWords, text: string): boolean {
  return linkWords.some((other) => {
    if (!other.meanings.includes('account') && !other.meanings.includes('address')) return false;
    if (!isBeside(word, other)) return false;
    return !STOP.test(text.slice(Math.min(word.end, other.end), Math.max(word.start, other.start)));
  });
}

const STOP = /[.,:;!?\p{N}]/u;

/** Tells whether a word is of trade. An account is confirmed, and an order is not. Hungarian has one word for link and reference. */
function isOfTrade(word: Word, linkWords: LinkWords): boolean {
  const [first] = word.meanings;
  if (first !== 'number' && first !== 'offer') return false;
  return !NO_TRADE.some((meaning) => alsoMeans(word, meaning, linkWords));
}

const NO_TRADE = ['account', 'signUp', 'link', 'address'] as const;

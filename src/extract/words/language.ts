/** A meaning that the finders of codes and links know. */
export const MEANINGS = [
  'code',
  'oneTime',
  'password',
  'verify',
  'signIn',
  'reset',
  'invite',
  'unsubscribe',
  'enter',
  'expires',
  'number',
  'offer',
] as const;

export type Meaning = (typeof MEANINGS)[number];

/** Further meanings, which the finder of links alone asks for. A word may have one of each list. */
export const LINK_MEANINGS = [
  'unlock',
  'decline',
  'look',
  'signUp',
  'link',
  'account',
  'address',
  'or',
  'here',
] as const;

export type LinkMeaning = (typeof LINK_MEANINGS)[number];

/** Further meanings, which the finder of codes alone asks for. A language may lack them. */
export const EXTRA_MEANINGS = [
  'is',
  'numberLabel',
  'unit',
  'money',
  'travel',
  'contact',
  'purpose',
  'holder',
  'retired',
  'once',
] as const;

export type ExtraMeaning = (typeof EXTRA_MEANINGS)[number];

/** All meanings, in the order in which a language has its words. */
export const ALL_MEANINGS = [...MEANINGS, ...LINK_MEANINGS, ...EXTRA_MEANINGS] as const;

/**
 * The words of one language by their meaning, in lower case, with `|` between two. `stem*` matches every word that begins
 * with the stem, `*end` every word that ends so, `*part*` every word that contains the part. In scripts that put no
 * spaces between words, or that attach words to each other, every word matches anywhere.
 */
export interface Language
  extends Readonly<Record<Meaning | LinkMeaning, string> & Partial<Record<ExtraMeaning, string>>> {
  /** The BCP 47 tag: the name of the file. */
  readonly tag: string;
  /** The English name. */
  readonly name: string;
  /** A code in general, of whatever kind: "code", "PIN", "token". */
  readonly code: string;
  /** What can only be a code to enter once: "verification code", "one-time password", "OTP". */
  readonly oneTime: string;
  readonly password: string;
  /** To verify, confirm or activate, and the nouns. */
  readonly verify: string;
  /** To sign in or sign up, and the nouns. */
  readonly signIn: string;
  /** To reset, recover or change a password, and a forgotten one. */
  readonly reset: string;
  /** An invitation, to join, to accept it. */
  readonly invite: string;
  readonly unsubscribe: string;
  /** To enter or use a code. */
  readonly enter: string;
  /** How long something is valid, when it expires. */
  readonly expires: string;
  /** Other kinds of numbers: of an order, an invoice, a customer, a phone, an account; an amount, a postal code. */
  readonly number: string;
  /** Codes that give a discount, and discounts. */
  readonly offer: string;
  /** To unlock an account, and never to activate one. */
  readonly unlock: string;
  /** To decline or reject an offer. */
  readonly decline: string;
  /** To look at something or to check it, above all words that also mean to confirm. */
  readonly look: string;
  /** To sign up and to create an account, which `signIn` may have too. */
  readonly signUp: string;
  /** The word for a link. */
  readonly link: string;
  /** Accounts and users, which `number` may have too. */
  readonly account: string;
  /** Mail and mail addresses. */
  readonly address: string;
  /** The word between two things to choose from. Where words have no spaces between them, with what follows. */
  readonly or: string;
  /** All that a link can say without saying anything: "here", "click here", "continue". */
  readonly here: string;
  /** The verbs between a word for a code and the code: "Your code is 481516". */
  readonly is?: string;
  /** The words between the name of a number and the number: "Order number 4711", "Order no. 4711". */
  readonly numberLabel?: string;
  /** The things that are counted: minutes, people, kilograms. */
  readonly unit?: string;
  /** Currencies, and percent. */
  readonly money?: string;
  /** The words for numbers of journeys. */
  readonly travel?: string;
  /** The words for numbers of an address or an imprint, which many mails have below. */
  readonly contact?: string;
  /** The words for numbers that may also tell what a code is for: "your account code". */
  readonly purpose?: string;
  /** Of these, those that say whose code it is, even right before the word for a code. */
  readonly holder?: string;
  /** Verbs that say that a code is no longer valid. */
  readonly retired?: string;
  /** Words that say, beside one for a code or a password, that it is used once: "one-time", "single-use". */
  readonly once?: string;
}

/** The meanings that the finders of codes and links know. */
export const MEANINGS = [
  /** A code in general, of whatever kind: "code", "PIN", "token". */
  'code',
  /** A code that can only be one to enter once: "verification code", "one-time password", "OTP". */
  'oneTime',
  'password',
  /** To verify, confirm or activate, and the nouns. */
  'verify',
  /** To sign in or sign up, and the nouns. */
  'signIn',
  /** To reset, recover or change a password, and a forgotten one. */
  'reset',
  /** An invitation, to join, to accept it. */
  'invite',
  'unsubscribe',
  /** To enter or use a code. */
  'enter',
  /** How long something is valid, when it expires. */
  'expires',
  /** Other kinds of numbers: of an order, an invoice, a customer, a phone, an account; an amount, a postal code. */
  'number',
  /** Codes that give a discount, and discounts. */
  'offer',
] as const;

export type Meaning = (typeof MEANINGS)[number];

/** Further meanings, which the finder of links alone asks for. A word may have one of each list. */
export const LINK_MEANINGS = [
  /** To unlock an account, and never to activate one. */
  'unlock',
  /** To decline or reject an offer. */
  'decline',
  /** To look at something or to check it, above all words that also mean to confirm. */
  'look',
  /** To sign up and to create an account, which `signIn` may have too. */
  'signUp',
  /** The word for a link. */
  'link',
  /** Accounts and users, which `number` may have too. */
  'account',
  /** Mail and mail addresses. */
  'address',
  /** The word between two things to choose from. Where words have no spaces between them, with what follows. */
  'or',
  /** All that a link can say without saying anything: "here", "click here", "continue". */
  'here',
] as const;

export type LinkMeaning = (typeof LINK_MEANINGS)[number];

/** Further meanings, which the finder of codes alone asks for. A language may lack them. */
export const EXTRA_MEANINGS = [
  /** The verbs between a word for a code and the code: "Your code is 481516". */
  'is',
  /** The words between the name of a number and the number: "Order number 4711", "Order no. 4711". */
  'numberLabel',
  /** The things that are counted: minutes, people, kilograms. */
  'unit',
  /** Currencies, and percent. */
  'money',
  /** The words for numbers of journeys. */
  'travel',
  /** The words for numbers of an address or an imprint, which many mails have below. */
  'contact',
  /** The words for numbers that may also tell what a code is for: "your account code". */
  'purpose',
  /** The words of `purpose` that say whose code it is, even right before the word for a code. */
  'holder',
  /** Verbs that say that a code is no longer valid. */
  'retired',
  /** Words that say, beside one for a code or a password, that it is used once: "one-time", "single-use". */
  'once',
] as const;

export type ExtraMeaning = (typeof EXTRA_MEANINGS)[number];

/** All meanings, in the order in which the file of all words has them. */
export const ALL_MEANINGS = [...MEANINGS, ...LINK_MEANINGS, ...EXTRA_MEANINGS] as const;

/**
 * The words of one language by their meaning, in lower case, with `|` between two. `stem*` matches every word that begins
 * with the stem, `*end` every word that ends so, `*part*` every word that contains the part. In scripts that put no
 * spaces between words, or that attach words to each other, every word matches anywhere.
 */
export type Language = Readonly<Record<Meaning | LinkMeaning, string> & Partial<Record<ExtraMeaning, string>>>;

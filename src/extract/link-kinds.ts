export const LINK_KINDS = ['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other'] as const;
/** The effect of following a link. */
export type LinkKind = (typeof LINK_KINDS)[number];

/** The meanings that words can have. To unlock an account is none of the kinds, and no verification either. */
export type SaidKind = Exclude<LinkKind, 'other'> | 'unlock';

/** What a text or an address says about the kind of a link. */
export interface KindInWords {
  readonly kind: SaidKind;
  /** The words that say so. */
  readonly words: string;
  /** Tells whether the words alone decide little, such as "Confirm" or "Join", because mails of all kinds have them. */
  readonly isWeak: boolean;
  /** Tells whether the words that confirm may also look at something, such as 確認 and "check". */
  readonly isLook?: boolean;
  /** Tells whether the words sign up. */
  readonly isSignUp?: boolean;
  /** The words that verify, beside words that invite: "To join, activate your account". */
  readonly alsoVerifies?: string;
}

/** A link of a mail with its purpose. */
export interface FoundLink {
  /** The absolute address, or the written one if the link is relative. */
  readonly url: string;
  /** The visible text of the link. It is the URL if the link has no other text. */
  readonly text: string;
  /** The effect of following it: `verify`, `magic`, `reset`, `invite`, `unsubscribe` or `other`. */
  readonly kind: LinkKind;
  /** The reason for the kind. */
  readonly reason: string;
  /** The rank. 1 is the link that the mail asks its reader to follow; links that are equally likely share a rank. */
  readonly rank: number;
  /** Tells whether it shares the first rank with another link. */
  readonly ambiguous: boolean;
  /** The part of the mail that has it. */
  readonly part: 'html' | 'text' | 'both';
  /** The service that tracks the click before it redirects. Absent if none is known. */
  readonly tracker?: string;
  /**
   * The form of a link that is not a web address. `'app'`: its scheme belongs to an app, as in `myapp://login`, or to a
   * mail or phone program. `'relative'`: it has no host, so no mail program can follow it. Absent for http and https.
   */
  readonly form?: 'app' | 'relative';
}

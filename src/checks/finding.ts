import type { RuleId } from './rules.ts';
import type { Severity } from './severity.ts';

/** The part of the mail that a place is in. `html` and `text` are the decoded bodies, `source` the raw message. */
export const PART_NAMES = ['html', 'text', 'source'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** A place in a mail. */
export interface MailPlace {
  readonly part: PartName;
  /** The lower-case name of the header field; null outside the header. */
  readonly field: string | null;
  /** The line and the column in the part, from 1. */
  readonly line: number;
  readonly column: number;
  /**
   * The range in the part: in UTF-16 units of a decoded body, in bytes of the raw message.
   */
  readonly start: number;
  readonly end: number;
  /** The beginning of the text at the place. */
  readonly excerpt: string;
}

/** One thing that a check found. The same thing at several places is one finding. */
export interface Finding {
  readonly rule: RuleId;
  /** The part of the rule that an `allow` can name after a colon, such as a feature's name. Null if there is none. */
  readonly detail: string | null;
  readonly severity: Severity;
  /** The problem, as a sentence. */
  readonly message: string;
  /** A sentence that says how to fix the problem. */
  readonly remedy: string;
  /** The first place; null if something is missing. */
  readonly place: MailPlace | null;
  /** The number of places. */
  readonly count: number;
  /** The ids of the mail clients that do not support the feature. */
  readonly clients: readonly string[];
  /** The page about the feature; null if there is none. */
  readonly url: string | null;
}

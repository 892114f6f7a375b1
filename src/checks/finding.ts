import { RULES, type Rule, type RuleId, type Severity } from './rules.ts';

/** The part of the mail that a place is in. `html` and `text` are the decoded bodies, `source` the raw message. */
export const PART_NAMES = ['html', 'text', 'source'] as const;
export type PartName = (typeof PART_NAMES)[number];

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

/** The largest number of findings in an answer. More would not help the reader. */
const MAX_FINDINGS = 200;
const ORDER: readonly RuleId[] = Object.keys(RULES) as RuleId[];
const WEIGHT: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/**
 * A finding as a rule reports it. An absent field has the value of the rule, or none. A rule with two severities gives
 * one.
 */
export type ReportedFinding = Pick<Finding, 'rule' | 'message'> & Partial<Finding>;

/** Reports a finding at a range of a body. */
export type ReportAt = (finding: ReportedFinding, range: Pick<MailPlace, 'start' | 'end'>) => void;

/** Collects findings. The same rule with the same detail and message is one finding with several places. */
export class Reporter {
  readonly #found = new Map<string, Finding & { count: number }>();
  leftOut = 0;

  add({
    rule,
    message,
    detail = null,
    place = null,
    clients = [],
    url = null,
    count = 1,
    ...given
  }: ReportedFinding): void {
    const { severity: usual, remedy: ours }: Rule = RULES[rule];
    const { severity = typeof usual === 'string' ? usual : 'warning', remedy = ours } = given;
    const key = `${rule}\n${detail ?? ''}\n${severity}\n${message}`;
    const known = this.#found.get(key);
    if (known !== undefined) known.count += count;
    else if (this.#found.size >= MAX_FINDINGS) this.leftOut++;
    else this.#found.set(key, { rule, detail, severity, message, remedy, place, count, clients, url });
  }

  /** Returns the findings: errors first, then in the order of the rules and of the mail. */
  findings(): Finding[] {
    return sorted([...this.#found.values()]);
  }
}

/** Sorts findings: errors first, then in the order of the rules. The order is otherwise kept. */
export function sorted(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (one, other) =>
      WEIGHT[one.severity] - WEIGHT[other.severity] || ORDER.indexOf(one.rule) - ORDER.indexOf(other.rule),
  );
}

import { RULES, type RuleId, type Severity } from './rules.ts';

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

export interface ReportedFinding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly message: string;
  readonly detail?: string;
  readonly place?: MailPlace | null;
  readonly remedy?: string;
  readonly clients?: readonly string[];
  readonly url?: string;
  readonly count?: number;
}

/** Collects findings. The same rule with the same detail and message is one finding with several places. */
export class Reporter {
  readonly #found = new Map<string, { finding: Finding; count: number }>();
  leftOut = 0;

  add({ rule, severity, message, detail, place = null, remedy, clients = [], url, count = 1 }: ReportedFinding): void {
    const key = `${rule}\n${detail ?? ''}\n${severity}\n${message}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    if (this.#found.size >= MAX_FINDINGS) {
      this.leftOut++;
      return;
    }
    const finding: Finding = {
      rule,
      detail: detail ?? null,
      severity,
      message,
      remedy: remedy ?? RULES[rule].remedy,
      place,
      count: 1,
      clients,
      url: url ?? null,
    };
    this.#found.set(key, { finding, count });
  }

  /** Adds a finding as it is. */
  take(finding: Finding): void {
    const { detail, url, ...rest } = finding;
    this.add({ ...rest, ...(detail === null ? {} : { detail }), ...(url === null ? {} : { url }) });
  }

  /** Returns the findings: errors first, then in the order of the rules and of the mail. */
  findings(): Finding[] {
    const all = [...this.#found.values()].map(({ finding, count }) => ({ ...finding, count }));
    return sorted(all);
  }
}

/** Sorts findings: errors first, then in the order of the rules. The order is otherwise kept. */
export function sorted(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (one, other) =>
      WEIGHT[one.severity] - WEIGHT[other.severity] || ORDER.indexOf(one.rule) - ORDER.indexOf(other.rule),
  );
}

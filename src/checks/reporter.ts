import type { Finding, MailPlace } from './finding.ts';
import { RULES, type RuleId } from './rules.ts';
import type { Severity } from './severity.ts';

/** The largest number of findings in an answer. More would not help the reader. */
const MAX_FINDINGS = 200;
const ORDER: readonly RuleId[] = Object.keys(RULES) as RuleId[];
const WEIGHT: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

export interface Reported {
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

  add({ rule, severity, message, detail, place = null, remedy, clients = [], url, count = 1 }: Reported): void {
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

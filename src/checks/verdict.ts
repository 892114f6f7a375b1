import { matchesGlob, parseGlob } from '../domain/glob.ts';
import type { CheckResult } from './check-mail.ts';
import { type Finding, sorted } from './finding.ts';
import { isRule, type RuleId } from './rules.ts';

/** The name of a rule that is allowed or denied, or of some of its findings: `client-support:css-*`. */
export interface RuleName {
  readonly rule: RuleId;
  /** A pattern of details in which `*` stands for any text; null for all. */
  readonly detail: string | null;
}

/** Parses the name of a rule, with a pattern of details after a colon. Returns null if there is no such rule. */
export function parseRuleName(text: string): RuleName | null {
  const colon = text.indexOf(':');
  const rule = (colon < 0 ? text : text.slice(0, colon)).trim();
  const detail = colon < 0 ? null : text.slice(colon + 1).trim();
  return isRule(rule) && detail !== '' ? { rule, detail } : null;
}

/** The findings of a mail that a test sees, and whether it passes. */
export interface CheckVerdict {
  readonly findings: readonly Finding[];
  /** The findings of `unsubscribe` that are not allowed. */
  readonly unsubscribe: readonly Finding[];
  /** The number of findings that were left out because they are allowed. */
  readonly allowed: number;
  /** Tells whether no finding is an error or a warning. */
  readonly passed: boolean;
}

/** Removes the findings that are allowed, and turns denied notes into warnings. */
export function verdictOf(
  { findings, unsubscribe }: Pick<CheckResult, 'findings' | 'unsubscribe'>,
  { allow, deny }: { readonly allow: readonly RuleName[]; readonly deny: readonly RuleName[] },
): CheckVerdict {
  const judged = (all: readonly Finding[]) =>
    sorted(
      all
        .filter((finding) => !isNamed(finding, allow))
        .map((finding) =>
          isNamed(finding, deny) && finding.severity === 'note' ? { ...finding, severity: 'warning' } : finding,
        ),
    );
  const kept = judged(findings);
  return {
    findings: kept,
    unsubscribe: judged(unsubscribe.findings),
    allowed: findings.length - kept.length,
    passed: kept.every(({ severity }) => severity === 'note'),
  };
}

function isNamed({ rule, detail }: Finding, names: readonly RuleName[]): boolean {
  return names.some((name) => {
    if (name.rule !== rule) return false;
    return name.detail === null || (detail !== null && matchesGlob(parseGlob(name.detail), detail.toLowerCase()));
  });
}

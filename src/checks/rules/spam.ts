import type { ReportedFinding } from '../finding.ts';

/** The score that a spam filter gave a mail. */
export interface SpamScore {
  readonly score: number;
  /** The score from which on the filter calls a mail spam. */
  readonly threshold: number;
  readonly isSpam: boolean;
  /** The rules of the filter that matched, as far as it names them. */
  readonly rules: readonly SpamRule[];
}

export interface SpamRule {
  readonly name: string;
  /** The points of the rule. Negative points lower the score. */
  readonly points: number;
  readonly description: string;
}

/** The most rules that a finding names. */
const NAMED = 8;

/** Returns the finding about a score; null if no rule speaks against the mail. */
export function spamFinding({ score, threshold, isSpam, rules }: SpamScore): ReportedFinding | null {
  const against = rules.filter(({ points }) => points > 0).sort((one, other) => other.points - one.points);
  if (!isSpam && against.length === 0) return null;
  const named = against.slice(0, NAMED).map(({ name, points }) => `${name} ${points}`);
  const rest = against.length - named.length;
  const why = named.length === 0 ? '' : `: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return {
    rule: 'spam-score',
    severity: isSpam ? 'warning' : 'note',
    message: `SpamAssassin gives the mail ${score} points; it is spam from ${threshold} points on${why}.`,
  };
}

/** Returns the finding about a filter that gave no score. `why` is the end of a sentence. */
export function spamUnscored(why: string): ReportedFinding {
  return { rule: 'spam-unscored', message: `There is no spam score: ${why}.` };
}

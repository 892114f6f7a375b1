import { type Glob, matchesGlob } from './glob.ts';
import type { MailboxId } from './ids.ts';
import type { SmtpReply, SmtpStage } from './smtp-stage.ts';

// docs/contract.md#faults. Rules are asked in their order, and the first that applies is the one that acts:
//   - it is of the stage, and all it wants to match does;
//   - it has not applied as often as `times` says, or the dice of `probability` fall for it.
// A rule that does not apply leaves the next one to be asked.

export type FaultStage = SmtpStage | 'http';

/** What a rule can look at by a glob. */
export type MatchKey = 'clientAddress' | 'helo' | 'user' | 'from' | 'to' | 'method' | 'path';

/** What each stage knows: a rule that wants to match more could never apply. */
export const KNOWN_AT: Readonly<Record<FaultStage, readonly (MatchKey | 'mailboxId')[]>> = {
  connect: ['clientAddress'],
  helo: ['clientAddress', 'helo'],
  auth: ['clientAddress', 'helo', 'user', 'mailboxId'],
  mail: ['clientAddress', 'helo', 'user', 'from', 'mailboxId'],
  rcpt: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  data: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  end: ['clientAddress', 'helo', 'user', 'from', 'to', 'mailboxId'],
  http: ['clientAddress', 'method', 'path', 'mailboxId'],
};

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** First the wait, then the reply or the drop; with neither, all goes on as usual. */
export interface FaultAction<Reply = SmtpReply | HttpReply> {
  readonly delayMs: number;
  readonly reply: Reply | null;
  readonly drop: boolean;
}

interface Rule<Stage extends FaultStage, Reply> {
  readonly stage: Stage;
  readonly globs: Readonly<Partial<Record<MatchKey, Glob>>>;
  /** Only what is about this mailbox. */
  readonly mailboxId: MailboxId | null;
  readonly action: FaultAction<Reply>;
  /** How often it applies, null: without end. */
  readonly times: number | null;
  /** 0 to 1; null: always. */
  readonly probability: number | null;
}

export type FaultRule = Rule<SmtpStage, SmtpReply> | Rule<'http', HttpReply>;

/** A rule, and how often it was applied. */
export interface CountedFault {
  readonly rule: FaultRule;
  readonly applied: number;
}

/** What happens, as far as it is known: texts a glob may match, any one of several. */
export interface FaultEvent<Stage extends FaultStage = FaultStage> {
  readonly stage: Stage;
  readonly texts: Readonly<Partial<Record<MatchKey, string | readonly string[] | null>>>;
  readonly mailboxIds: readonly MailboxId[];
}

export function consumed({ rule, applied }: CountedFault): CountedFault {
  return { rule, applied: applied + 1 };
}

/** How often it still applies, null: without end. */
export function remaining({ rule, applied }: CountedFault): number | null {
  return rule.times === null ? null : Math.max(0, rule.times - applied);
}

/** Where the rule stands that applies to what happens, -1 where none does. `roll` gives 0 to below 1. */
export function applicable(faults: readonly CountedFault[], event: FaultEvent, roll: () => number): number {
  // A thousand rules look at the same texts.
  const texts = new Map(Object.entries(event.texts).map(([key, text]) => [key, lower(text)]));
  return faults.findIndex(
    (fault) =>
      fault.rule.stage === event.stage &&
      remaining(fault) !== 0 &&
      isAbout(fault.rule, texts, event.mailboxIds) &&
      (fault.rule.probability === null || roll() < fault.rule.probability),
  );
}

/** All that the rule wants to match does; what is not known matches nothing. */
function isAbout(
  { globs, mailboxId }: FaultRule,
  texts: ReadonlyMap<string, readonly string[]>,
  mailboxIds: readonly MailboxId[],
): boolean {
  if (mailboxId !== null && !mailboxIds.includes(mailboxId)) return false;
  for (const [key, glob] of Object.entries(globs)) {
    if (!texts.get(key)?.some((text) => matchesGlob(glob, text))) return false;
  }
  return true;
}

function lower(text: string | readonly string[] | null): string[] {
  return (typeof text === 'string' ? [text] : (text ?? [])).map((one) => one.toLowerCase());
}

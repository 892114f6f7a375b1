import { type Glob, matchesGlob } from './glob.ts';
import type { FaultId, MailboxId } from './ids.ts';
import type { SmtpReply, SmtpStage } from './smtp-stage.ts';

// Fault rules (docs/faults.md). They are tried in order, and the first that applies acts. A rule applies if:
//   - its stage and all its conditions match;
//   - it has not been applied `times` times yet, or a random draw falls within `probability`.

export type FaultStage = SmtpStage | 'http';

/** The properties that a rule can match by a glob. */
export type MatchKey = 'clientAddress' | 'helo' | 'user' | 'from' | 'to' | 'method' | 'path';

/** The properties that each stage knows. A rule with another condition could never apply. */
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

/** The effect of a rule: a delay, then a reply or a drop. With only a delay, processing continues as usual. */
export interface FaultAction<Reply = SmtpReply | HttpReply> {
  readonly delayMs: number;
  readonly reply: Reply | null;
  readonly drop: boolean;
}

interface Rule<Stage extends FaultStage, Reply> {
  readonly stage: Stage;
  readonly globs: Readonly<Partial<Record<MatchKey, Glob>>>;
  /** Restricts the rule to events of this mailbox. Null means no restriction. */
  readonly mailboxId: MailboxId | null;
  readonly action: FaultAction<Reply>;
  /** The number of times it applies. Null means no limit. */
  readonly times: number | null;
  /** The probability from 0 to 1. Null means always. */
  readonly probability: number | null;
}

export type FaultRule = Rule<SmtpStage, SmtpReply> | Rule<'http', HttpReply>;

/** A rule with the id by which it can be removed. */
export interface NamedFault {
  readonly id: FaultId;
  readonly rule: FaultRule;
}

/** A rule with the number of times it was applied. */
export interface CountedFault extends NamedFault {
  readonly applied: number;
}

/** A rule that an event met, with its counts after it. */
export interface MetFault<Reply = SmtpReply | HttpReply> {
  readonly id: FaultId;
  /** The position of the rule in the list. */
  readonly index: number;
  readonly action: FaultAction<Reply>;
  readonly applied: number;
  readonly remaining: number | null;
}

/** An event that rules may match. A glob matches if any of several texts does. */
export interface FaultEvent<Stage extends FaultStage = FaultStage> {
  readonly stage: Stage;
  readonly texts: Readonly<Partial<Record<MatchKey, string | readonly string[] | null>>>;
  readonly mailboxIds: readonly MailboxId[];
}

export function consumed(fault: CountedFault): CountedFault {
  return { ...fault, applied: fault.applied + 1 };
}

/** Describes the rule at an index after it was applied. */
export function met(index: number, fault: CountedFault): MetFault {
  return { id: fault.id, index, action: fault.rule.action, applied: fault.applied, remaining: remaining(fault) };
}

/** Returns the number of times the rule still applies. Null means no limit. */
export function remaining({ rule, applied }: CountedFault): number | null {
  return rule.times === null ? null : Math.max(0, rule.times - applied);
}

/**
 * Returns the index of the first rule that applies to the event, or -1. `draw` returns a random number from 0 to below
 * 1.
 */
export function applicable(faults: readonly CountedFault[], event: FaultEvent, draw: () => number): number {
  // The texts are lower-cased once for all rules.
  const texts = new Map(Object.entries(event.texts).map(([key, text]) => [key, lower(text)]));
  return faults.findIndex(
    (fault) =>
      fault.rule.stage === event.stage &&
      remaining(fault) !== 0 &&
      isAbout(fault.rule, texts, event.mailboxIds) &&
      (fault.rule.probability === null || draw() < fault.rule.probability),
  );
}

/** Makes a number from 0 to below 1 of four random bytes. */
export function roll(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE() / 2 ** 32;
}

/** Tells whether all conditions of the rule match. An unknown property matches nothing. */
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

import type { CountedFault, FaultAction, FaultEvent, FaultRule, FaultStage, HttpReply } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';

/** The active fault rules (docs/contract.md#faults). They last as long as the process. */
export interface Faults {
  /** Tells whether any rule applies to the stage. If not, `meet` need not be called. */
  has(stage: FaultStage): boolean;
  /** Finds the first rule that fits the event, counts it and returns its action. Returns null if no rule fits. */
  meet(event: FaultEvent<SmtpStage>): FaultAction<SmtpReply> | null;
  meet(event: FaultEvent<'http'>): FaultAction<HttpReply> | null;
  /** The rules in their order. */
  list(): readonly CountedFault[];
  /** Replaces all rules and resets their counts. */
  set(rules: readonly FaultRule[]): void;
}

import type { CountedFault, FaultEvent, FaultRule, FaultStage, HttpReply, MetFault } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';

/** The active fault rules (docs/contract.md#faults). They last as long as a server of the store runs. */
export interface Faults {
  /** Tells whether any rule may apply to the stage. If not, `meet` need not be called. It never queries a database. */
  has(stage: FaultStage): boolean;
  /** Finds the first rule that fits the event and counts one application of it. Returns null if no rule fits. */
  meet(event: FaultEvent<SmtpStage>): Promise<MetFault<SmtpReply> | null>;
  meet(event: FaultEvent<'http'>): Promise<MetFault<HttpReply> | null>;
  /** Returns the rules in their order, with their counts. */
  list(): Promise<readonly CountedFault[]>;
  /** Replaces all rules and resets their counts. It settles once every server uses the new rules. */
  set(rules: readonly FaultRule[]): Promise<void>;
}

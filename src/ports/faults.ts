import type { CountedFault, FaultEvent, FaultRule, FaultStage, HttpReply, MetFault } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';

/** The active fault rules (docs/contract.md#faults). They last as long as a server of the store runs. */
export interface Faults {
  /** Tells whether any rule may apply to the stage. If not, `meet` need not be called. It costs no query. */
  has(stage: FaultStage): boolean;
  /** Finds the first rule that fits the event and counts it. Returns null if no rule fits. */
  meet(event: FaultEvent<SmtpStage>): Promise<MetFault<SmtpReply> | null>;
  meet(event: FaultEvent<'http'>): Promise<MetFault<HttpReply> | null>;
  /** The rules in their order. */
  list(): Promise<readonly CountedFault[]>;
  /** Replaces all rules and resets their counts. Once it settles, every server knows them. */
  set(rules: readonly FaultRule[]): Promise<void>;
}

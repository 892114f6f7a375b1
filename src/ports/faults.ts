import type { CountedFault, FaultAction, FaultEvent, FaultRule, FaultStage, HttpReply } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';

/** The fault rules in force (docs/contract.md#faults), kept while the process runs. */
export interface Faults {
  /** Whether any rule is of the stage: where none is, nothing need be asked. */
  has(stage: FaultStage): boolean;
  /** The action of the first rule that applies, which is counted; null where none does. */
  meet(event: FaultEvent<SmtpStage>): FaultAction<SmtpReply> | null;
  meet(event: FaultEvent<'http'>): FaultAction<HttpReply> | null;
  /** In their order. */
  list(): readonly CountedFault[];
  /** In place of all there are; none was applied yet. */
  set(rules: readonly FaultRule[]): void;
}

import type { CountedFault, FaultEvent, FaultStage, HttpReply, MetFault, NamedFault } from '../domain/fault.ts';
import type { FaultId } from '../domain/ids.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';

/** The active fault rules (docs/faults.md). They last as long as a server of the store runs. */
export interface Faults {
  /** Tells whether any rule may apply to the stage. If not, `meet` need not be called. It never queries a database. */
  has(stage: FaultStage): boolean;
  /** Finds the first rule that fits the event and counts one application of it. Returns null if no rule fits. */
  meet(event: FaultEvent<SmtpStage>): Promise<MetFault<SmtpReply> | null>;
  meet(event: FaultEvent<'http'>): Promise<MetFault<HttpReply> | null>;
  /** Returns the rules in their order, with their counts. */
  list(): Promise<readonly CountedFault[]>;
  /**
   * Adds a rule after the others. Returns false, and adds none, if there are `most` already. It settles once every
   * server uses the rule.
   */
  add(fault: NamedFault, most: number): Promise<boolean>;
  /**
   * Removes a rule and returns it as it was, with its count; null if there is none with this id. It settles once no
   * server uses the rule.
   */
  remove(id: FaultId): Promise<CountedFault | null>;
  /** Replaces all rules, whoever added them. It settles once every server uses the new rules. */
  replaceAll(faults: readonly NamedFault[]): Promise<void>;
}

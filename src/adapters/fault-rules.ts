import {
  applicable,
  type CountedFault,
  consumed,
  type FaultAction,
  type FaultEvent,
  type FaultStage,
} from '../domain/fault.ts';
import type { Faults } from '../ports/faults.ts';
import type { Random } from '../ports/random.ts';

/** Creates the fault rules. They live in this process only. */
export function createFaults(random: Random): Faults {
  let faults: CountedFault[] = [];
  let stages: ReadonlySet<FaultStage> = new Set();
  const roll = () => Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32;

  const meet = (event: FaultEvent): FaultAction | null => {
    const index = applicable(faults, event, roll);
    const fault = faults[index];
    if (fault === undefined) return null;
    faults[index] = consumed(fault);
    return fault.rule.action;
  };

  return {
    has: (stage) => stages.has(stage),
    // An event meets only rules of its own stage, so the reply type fits the stage.
    meet: meet as Faults['meet'],
    list: () => faults,
    set: (rules) => {
      faults = rules.map((rule) => ({ rule, applied: 0 }));
      stages = new Set(rules.map(({ stage }) => stage));
    },
  };
}

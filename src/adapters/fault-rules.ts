import {
  applicable,
  type CountedFault,
  consumed,
  type FaultEvent,
  type FaultStage,
  type MetFault,
  met,
  roll,
} from '../domain/fault.ts';
import type { Faults } from '../ports/faults.ts';
import type { Random } from '../ports/random.ts';

/** Creates the fault rules. They live in this process only. */
export function createFaults(random: Random): Faults {
  let faults: CountedFault[] = [];
  let stages: ReadonlySet<FaultStage> = new Set();
  const meet = async (event: FaultEvent): Promise<MetFault | null> => {
    const index = applicable(faults, event, () => roll(random.bytes(4)));
    const fault = faults[index];
    if (fault === undefined) return null;
    const counted = consumed(fault);
    faults[index] = counted;
    return met(index, counted);
  };

  return {
    has: (stage) => stages.has(stage),
    // An event meets only rules of its own stage, so the reply type fits the stage.
    meet: meet as Faults['meet'],
    list: async () => faults,
    set: async (rules) => {
      faults = rules.map((rule) => ({ rule, applied: 0 }));
      stages = new Set(rules.map(({ stage }) => stage));
    },
  };
}

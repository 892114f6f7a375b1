import {
  type AppliedFault,
  applicable,
  type CountedFault,
  consumed,
  type FaultEvent,
  type FaultStage,
  roll,
  toAppliedFault,
} from '../domain/fault.ts';
import type { Faults } from '../ports/server.ts';
import type { Random } from '../ports/system.ts';

/** Creates the fault rules. They live in this process only. */
export function createFaults(random: Random): Faults {
  let faults: CountedFault[] = [];
  let stages: ReadonlySet<FaultStage> = new Set();
  const become = (next: CountedFault[]): void => {
    faults = next;
    stages = new Set(next.map(({ rule }) => rule.stage));
  };
  const apply = async (event: FaultEvent): Promise<AppliedFault | null> => {
    const index = applicable(faults, event, () => roll(random.bytes(4)));
    const fault = faults[index];
    if (fault === undefined) return null;
    const counted = consumed(fault);
    faults[index] = counted;
    return toAppliedFault(index, counted);
  };

  return {
    has: (stage) => stages.has(stage),
    // To an event apply only rules of its own stage, so the reply type fits the stage.
    apply: apply as Faults['apply'],
    list: async () => faults,
    add: async (fault, most) => {
      if (faults.length >= most) return false;
      become([...faults, { ...fault, applied: 0 }]);
      return true;
    },
    remove: async (id) => {
      const removed = faults.find((fault) => fault.id === id) ?? null;
      become(faults.filter((fault) => fault.id !== id));
      return removed;
    },
    replaceAll: async (given) => become(given.map((fault) => ({ ...fault, applied: 0 }))),
  };
}

import {
  type AppliedFault,
  applicable,
  type CountedFault,
  type FaultEvent,
  type FaultRule,
  type FaultStage,
  type NamedFault,
  remaining,
  roll,
  toAppliedFault,
} from '../../domain/fault.ts';
import type { FaultId } from '../../domain/ids.ts';
import type { Faults } from '../../ports/server.ts';
import type { Random } from '../../ports/system.ts';
import { type DatabaseRow, numberColumn, type RunStatement, statement, textColumn } from './connection.ts';
import type { Questions } from './shared.ts';

/** The first position of a rule that is added by itself. A replacement has at most as many rules. */
const FIRST_ADDED = 1_000;

const LOAD = statement(
  'load faults',
  `select fault_set.current::float8 as current, fault_set.version::float8 as version,
     faults.position, faults.row, faults.applied::float8 as applied
   from fault_set left join faults on faults.set = fault_set.current
   order by faults.position`,
);
// If two servers replace the rules at the same moment, rows of an old set may stay until the next replacement. No query
// reads them.
const SET = statement(
  'set faults',
  `with next as (update fault_set set current = current + 1, version = version + 1 returning current),
   gone as (delete from faults using next where faults.set < next.current),
   made as (
     insert into faults (set, position, times, row)
     select next.current, rule.position, rule.times, rule.row
     from next, unnest($1::int[], $2::float8[], $3::text[]) as rule (position, times, row))
   select current::float8 as current from next`,
);
// The version counts all changes, so no two rules that are added get the same position. The positions of rules that
// replaced all others are below ${FIRST_ADDED}, so they differ from these.
const ADD = statement(
  'add fault',
  `with next as (update fault_set set version = version + 1 returning current, version)
   insert into faults (set, position, times, row)
   select next.current, ${FIRST_ADDED} + next.version, $1::float8, $2
   from next
   where (select count(*) from faults, fault_set where faults.set = fault_set.current) < $3
   returning position`,
);
const REMOVE = statement(
  'remove fault',
  `with next as (update fault_set set version = version + 1 returning current)
   delete from faults using next where faults.set = $1 and faults.set = next.current and faults.position = $2
   returning faults.applied::float8 as applied`,
);
const APPLY = statement(
  'apply fault',
  `update faults set applied = applied + 1
   where set = $1 and position = $2 and (times is null or applied < times)
     and set = (select current from fault_set)
   returning applied::float8 as applied`,
);
const CLEAR = statement('clear faults', 'delete from faults');

/**
 * Returns the fault rules of all servers. Every server keeps a copy, so an event that no rule fits costs no query. The
 * database counts how often each rule applied.
 */
export function sharedFaults(query: RunStatement, questions: Questions, random: Random) {
  /** The number of the set of rules in `known`. Each replacement of the rules has the next number. */
  let set = -1;
  /** The number of changes to the rules in `known`. */
  let version = -1;
  let known: readonly KnownFault[] = [];
  let stages: ReadonlySet<FaultStage> = new Set();

  const know = (faults: readonly KnownFault[]): void => {
    known = faults;
    stages = new Set(faults.filter((fault) => remaining(fault) !== 0).map(({ rule }) => rule.stage));
  };
  /** Loads the rules and their counts from the database. */
  const load = async (): Promise<void> => {
    const rows = await query(LOAD);
    const [newSet, newVersion] = [numberColumn(rows[0], 'current'), numberColumn(rows[0], 'version')];
    // The answer to a later query may have arrived first.
    if (newSet < set || (newSet === set && newVersion < version)) return;
    const before = new Map(newSet === set ? known.map((fault) => [fault.position, fault]) : []);
    [set, version] = [newSet, newVersion];
    know(
      rows.filter((row) => row['row'] !== null).map((row) => knownOf(row, before.get(numberColumn(row, 'position')))),
    );
  };
  /** Settles once every server uses the rules of the database. */
  const tellAll = async (): Promise<void> => {
    await load();
    await questions.ask('read the faults');
  };
  const apply = async (event: FaultEvent): Promise<AppliedFault | null> => {
    // An event draws one random number for each rule, even if the rules are evaluated again.
    const drawn: number[] = [];
    for (;;) {
      let draws = 0;
      const draw = (): number => {
        drawn[draws] ??= roll(random.bytes(4));
        return drawn[draws++] ?? 0;
      };
      const [usedSet, usedVersion] = [set, version];
      const index = applicable(known, event, draw);
      const fault = known[index];
      if (fault === undefined) return null;
      const [row] = await query(APPLY, [usedSet, fault.position]);
      if (row === undefined) {
        // Other servers have used up the rule, or the rules were changed.
        await load();
        if (set !== usedSet || version !== usedVersion) drawn.length = 0;
        continue;
      }
      const counted = { ...fault, applied: numberColumn(row, 'applied') };
      // Meanwhile the rules may have changed.
      if (set === usedSet) know(known.map((one) => (one.position === fault.position ? latest(counted, one) : one)));
      return toAppliedFault(index, counted);
    }
  };
  questions.on('read the faults', load);
  const faults: Faults = {
    has: (stage) => stages.has(stage),
    // An event meets only rules of its own stage, so the reply type fits the stage.
    apply: apply as Faults['apply'],
    list: async () => {
      await load();
      return known;
    },
    add: async (fault, most) => {
      const [added] = await query(ADD, [fault.rule.times, written(fault), most]);
      if (added !== undefined) await tellAll();
      return added !== undefined;
    },
    remove: async (id) => {
      await load();
      const fault = known.find((one) => one.id === id);
      if (fault === undefined) return null;
      const [removed] = await query(REMOVE, [set, fault.position]);
      // Another caller was faster.
      if (removed === undefined) return null;
      await tellAll();
      return { ...fault, applied: numberColumn(removed, 'applied') };
    },
    replaceAll: async (given) => {
      await query(SET, [given.map((_, position) => position), given.map(({ rule }) => rule.times), given.map(written)]);
      await tellAll();
    },
  };
  /** Removes the rules that earlier servers left. */
  const forget = () => query(CLEAR);
  return { faults, load, forget };
}

/** A rule and its place in the table, which stays the same while other rules come and go. */
interface KnownFault extends CountedFault {
  readonly position: number;
}

function written({ id, rule }: NamedFault): string {
  return JSON.stringify({ ...rule, id });
}

function knownOf(row: DatabaseRow, before: KnownFault | undefined): KnownFault {
  const position = numberColumn(row, 'position');
  const applied = numberColumn(row, 'applied');
  if (before !== undefined) return latest({ ...before, applied }, before);
  // The cast is safe: only this class writes the column, with a rule and its id.
  const { id, ...rule } = JSON.parse(textColumn(row, 'row')) as FaultRule & { readonly id: FaultId };
  return { id, rule: rule as FaultRule, applied, position };
}

/** Returns the higher of two counts of the same rule. */
function latest(fault: KnownFault, other: KnownFault): KnownFault {
  return other.applied > fault.applied ? other : fault;
}

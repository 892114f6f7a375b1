import {
  applicable,
  type CountedFault,
  type FaultEvent,
  type FaultRule,
  type FaultStage,
  type MetFault,
  met,
  remaining,
  roll,
} from '../../domain/fault.ts';
import type { Faults } from '../../ports/faults.ts';
import type { Random } from '../../ports/random.ts';
import { type DatabaseRow, numberColumn, type RunStatement, statement, textColumn } from './connection.ts';
import type { Questions } from './questions.ts';

const LOAD = statement(
  'load faults',
  `select fault_set.current::float8 as current, faults.row, faults.applied::float8 as applied
   from fault_set left join faults on faults.set = fault_set.current
   order by faults.position`,
);
// If two servers replace the rules at the same moment, rows of an old set may stay until the next replacement. No query
// reads them.
const SET = statement(
  'set faults',
  `with next as (update fault_set set current = current + 1 returning current),
   gone as (delete from faults using next where faults.set < next.current),
   made as (
     insert into faults (set, position, times, row)
     select next.current, rule.position, rule.times, rule.row
     from next, unnest($1::int[], $2::float8[], $3::text[]) as rule (position, times, row))
   select current::float8 as current from next`,
);
const APPLY = statement(
  'apply fault',
  `update faults set applied = applied + 1
   where set = $1 and position = $2 and (times is null or applied < times)
     and set = (select current from fault_set)
   returning applied::float8 as applied`,
);
const CLEAR = statement('clear faults', 'delete from faults');

interface FaultParts {
  readonly query: RunStatement;
  readonly questions: Questions;
  readonly random: Random;
}

/**
 * The fault rules of all servers. Every server keeps a copy, so an event that no rule fits costs no query. The database
 * counts how often each rule applied.
 */
export class SharedFaults implements Faults {
  readonly #parts: FaultParts;
  /** The number of the set of rules in `#known`. Each replacement of the rules has the next number. */
  #set = -1;
  #known: CountedFault[] = [];
  #stages: ReadonlySet<FaultStage> = new Set();

  constructor(parts: FaultParts) {
    this.#parts = parts;
    parts.questions.on('read the faults', () => this.load());
  }

  has(stage: FaultStage): boolean {
    return this.#stages.has(stage);
  }

  // An event meets only rules of its own stage, so the reply type fits the stage.
  readonly meet = ((event: FaultEvent) => this.#meet(event)) as Faults['meet'];

  async list(): Promise<readonly CountedFault[]> {
    await this.load();
    return this.#known;
  }

  async set(rules: readonly FaultRule[]): Promise<void> {
    const { query, questions } = this.#parts;
    await query(SET, [
      rules.map((_, position) => position),
      rules.map(({ times }) => times),
      rules.map((rule) => JSON.stringify(rule)),
    ]);
    await this.load();
    await questions.ask('read the faults');
  }

  /** Removes the rules that earlier servers left. */
  async forget(): Promise<void> {
    await this.#parts.query(CLEAR);
  }

  /** Loads the rules and their counts from the database. */
  async load(): Promise<void> {
    const rows = await this.#parts.query(LOAD);
    const set = numberColumn(rows[0], 'current');
    // The answer to a later query may have arrived first.
    if (set < this.#set) return;
    const before = set === this.#set ? this.#known : [];
    this.#set = set;
    this.#know(rows.filter((row) => row['row'] !== null).map((row, index) => countedOf(row, before[index])));
  }

  async #meet(event: FaultEvent): Promise<MetFault | null> {
    const { query, random } = this.#parts;
    // An event draws one random number for each rule, even if the rules are evaluated again.
    const drawn: number[] = [];
    for (;;) {
      let draws = 0;
      const draw = (): number => {
        drawn[draws] ??= roll(random.bytes(4));
        return drawn[draws++] ?? 0;
      };
      const set = this.#set;
      const index = applicable(this.#known, event, draw);
      const fault = this.#known[index];
      if (fault === undefined) return null;
      const [row] = await query(APPLY, [set, index]);
      if (row === undefined) {
        // Other servers have used up the rule, or the rules were replaced.
        await this.load();
        if (this.#set !== set) drawn.length = 0;
        continue;
      }
      const counted = { rule: fault.rule, applied: numberColumn(row, 'applied') };
      if (this.#set === set) this.#know(this.#known.with(index, latest(counted, this.#known[index])));
      return met(index, counted);
    }
  }

  #know(faults: CountedFault[]): void {
    this.#known = faults;
    this.#stages = new Set(faults.filter((fault) => remaining(fault) !== 0).map(({ rule }) => rule.stage));
  }
}

function countedOf(row: DatabaseRow, before: CountedFault | undefined): CountedFault {
  // The cast is safe: only `set` writes this column, with a rule.
  const rule = before?.rule ?? (JSON.parse(textColumn(row, 'row')) as FaultRule);
  return latest({ rule, applied: numberColumn(row, 'applied') }, before);
}

/** Returns the higher of two counts of the same rule. */
function latest(fault: CountedFault, other: CountedFault | undefined): CountedFault {
  return other !== undefined && other.applied > fault.applied ? other : fault;
}

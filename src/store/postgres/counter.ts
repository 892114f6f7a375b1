import { numberColumn, type RunStatement, statement } from './connection.ts';

// A sequence may give a number twice around a power cut, because it need not be on the disk when it answers.
const NEXT = statement(
  'next of counter',
  `insert into counters (name, value) values ($1, 1)
   on conflict (name) do update set value = counters.value + 1
   returning value::float8 as value`,
);

/** Returns a number that no server ever gets again. */
export async function nextOf(query: RunStatement, name: 'servers' | 'blob blocks'): Promise<number> {
  const [row] = await query(NEXT, [name]);
  return numberColumn(row, 'value');
}

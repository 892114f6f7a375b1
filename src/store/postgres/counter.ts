import { numberColumn, type RunStatement, statement } from './connection.ts';

// A sequence of PostgreSQL may return the same number again after a power cut, because its state need not be on the
// disk when it answers. So a row counts.
const NEXT = statement(
  'next of counter',
  `insert into counters (name, value) values ($1, 1)
   on conflict (name) do update set value = counters.value + 1
   returning value::float8 as value`,
);

/** Returns the next number of a counter. No server ever gets the same number again. */
export async function nextOf(query: RunStatement, name: 'servers' | 'blob blocks'): Promise<number> {
  const [row] = await query(NEXT, [name]);
  return numberColumn(row, 'value');
}

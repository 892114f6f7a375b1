import type { Input } from '../../model/inputs.ts';

type Arrival = Extract<Input, { is: 'messages-arrived' }>;

/** Merges consecutive arrivals in the same mailbox into one input, so that a burst costs one pass over the list. */
export function joinArrivals(inputs: readonly Input[]): readonly Input[] {
  const joined: Input[] = [];
  let run: Arrival | null = null;
  let rows: Arrival['rows'][number][] = [];
  for (const input of inputs) {
    if (input.is === 'messages-arrived' && input.mailboxId === run?.mailboxId) {
      rows.push(...input.rows);
      continue;
    }
    run = input.is === 'messages-arrived' ? input : null;
    rows = run === null ? [] : [...run.rows];
    joined.push(run === null ? input : { ...run, rows });
  }
  return joined;
}

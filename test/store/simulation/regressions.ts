/** Seeds that failed once and what they found. Every campaign runs them first. */
export const REGRESSIONS: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 0, found: 'the names of the data directory and of the segments in it were not synced' },
  { seed: 1, found: 'the same after a kill: the directory was there, and its name not yet for good' },
  {
    seed: 4,
    found:
      'a transaction reached the platter before the bytes it refers to: said to be lost, though never acknowledged',
  },
  { seed: 40, found: 'a transaction that was on its way is damaged with a whole one behind it: said to be lost' },
  { seed: 104, found: 'the number of messages is not that of the rows there are' },
  {
    seed: 1160,
    found: 'a power cut while the newest closed segment was erased: its dead record was said to be lost',
  },
  {
    seed: 3707,
    found:
      'a mailbox was removed while space was reclaimed: its record was erased in the segment that is written, and with it small rows that no snapshot had',
  },
];

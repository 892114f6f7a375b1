import { expect, test } from 'vitest';
import { MOST_BEHIND, MOST_IN_CONNECTION, MOST_UNSENT, mayStart } from '../../src/domain/pipelining.ts';

test.each([
  { underWay: 0, behind: 0, may: true },
  { underWay: 0, behind: MOST_BEHIND, may: true },
  { underWay: 0, behind: 0, unsent: MOST_UNSENT, may: true },
  { underWay: 1, behind: MOST_BEHIND - 1, unsent: MOST_UNSENT - 1, may: true },
  { underWay: 1, behind: 0, unsent: MOST_UNSENT, may: false },
  { underWay: 1, behind: MOST_BEHIND, may: false },
  { underWay: MOST_IN_CONNECTION - 1, behind: 0, may: true },
  { underWay: MOST_IN_CONNECTION, behind: 0, may: false },
])(
  'with $underWay under way, $behind behind others and $unsent bytes unsent, one more may start: $may',
  ({ underWay, behind, unsent = 0, may }) => {
    expect(mayStart(underWay, behind, unsent)).toBe(may);
  },
);

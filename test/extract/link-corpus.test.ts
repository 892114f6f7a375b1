import { expect, test } from 'vitest';
import { corpusMails } from './corpus.ts';
import { linkOutcomes, type Outcome } from './link-outcomes.ts';

const ALL = linkOutcomes(corpusMails());
const share = (some: readonly (Outcome | null)[], outcome: Outcome) => {
  const told = some.filter((one) => one !== null);
  return told.filter((one) => one === outcome).length / told.length;
};

test('link() is right in 99 of 100 mails of the corpus', () => {
  const chosen = ALL.map((one) => one.chosen);
  expect(chosen.filter((one) => one !== null).length).toBeGreaterThan(700);
  expect(share(chosen, 'right')).toBeGreaterThanOrEqual(0.99);
});

test('the kind of a link is right in 96 of 100 links of the corpus, and another kind in 1 of 100 at most', () => {
  for (const isMain of [true, false]) {
    const kinds = ALL.filter((one) => one.isMain === isMain).map(({ kindOutcome }) => kindOutcome);
    expect(kinds.length).toBeGreaterThan(250);
    expect(share(kinds, 'right')).toBeGreaterThanOrEqual(0.96);
    expect(share(kinds, 'wrong')).toBeLessThanOrEqual(0.01);
  }
});

test('every link of the corpus is found', () => {
  expect(linkOutcomes(corpusMails()).filter(({ foundKind }) => foundKind === 'none')).toEqual([]);
});

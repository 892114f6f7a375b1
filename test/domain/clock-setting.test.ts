import { expect, test } from 'vitest';
import { parseClockSetting } from '../../src/domain/time.ts';

const NOW = Date.UTC(2026, 10, 20);

test.each([
  [null, 0],
  [{ offsetSeconds: 0 }, 0],
  [{ offsetSeconds: 90 }, 90_000],
  [{ offsetSeconds: -1.5 }, -1_500],
  [{ now: '2026-11-21T00:00:00Z' }, 86_400_000],
  [{ now: '2026-11-20T01:00:00+01:00' }, 0],
])('%j sets the clock off by %s ms', (setting, offsetMs) => {
  expect(parseClockSetting(setting, NOW)).toBe(offsetMs);
});

test.each([
  [undefined],
  [5],
  [{}],
  [{ offsetSeconds: '5' }],
  [{ offsetSeconds: Number.NaN }],
  [{ offsetSeconds: 1e12 }],
  [{ offsetSeconds: -1e12 }],
  [{ now: 'tomorrow' }],
  [{ now: 5 }],
  [{ now: '2026-11-21T00:00:00Z', offsetSeconds: 5 }],
])('%j is no setting', (setting) => {
  expect(parseClockSetting(setting, NOW)).toBeNull();
});

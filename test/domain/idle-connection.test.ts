import { describe, expect, test } from 'vitest';
import { idleAllowanceMs, isCalm, whoGivesWay } from '../../src/domain/idle-connection.ts';

const ROOM = { connections: 2_000, idleMs: 300_000 };

describe('how long a connection may be idle', () => {
  test.each([
    [1, 300_000],
    [500, 300_000],
    [1_000, 88_889],
    [1_500, 11_111],
    [1_900, 1_000],
    [2_000, 1_000],
    [5_000, 1_000],
  ])('with %i open: %i ms', (open, allowed) => {
    expect(Math.round(idleAllowanceMs(open, ROOM))).toBe(allowed);
    expect(isCalm(open, ROOM)).toBe(allowed === 300_000);
  });

  test('never grows with the number of connections', () => {
    for (let open = 1; open < 2_100; open++)
      expect(idleAllowanceMs(open + 1, ROOM)).toBeLessThanOrEqual(idleAllowanceMs(open, ROOM));
  });

  test('is ten seconds at least within a transaction', () => {
    expect(idleAllowanceMs(2_000, ROOM, true)).toBe(10_000);
    expect(idleAllowanceMs(600, ROOM, true)).toBe(idleAllowanceMs(600, ROOM));
  });

  test('is never more than there is with plenty of room', () => {
    expect(idleAllowanceMs(10, { connections: 10, idleMs: 300 }, true)).toBe(300);
  });
});

describe('who makes place for a newcomer', () => {
  const idler = (idleMs: number, inTransaction = false) => ({ idleMs, inTransaction });

  test.each([
    ['the one idle longest', [idler(500), idler(900), idler(200)], 1],
    ['one outside a transaction before one within, though that is idle longer', [idler(60_000, true), idler(200)], 1],
    ['one within a transaction after ten seconds', [idler(12_000, true), idler(10), idler(15_000, true)], 2],
    ['nobody while all are at work', [idler(0), idler(99), idler(9_000, true)], null],
    ['nobody where there is nobody', [], null],
  ])('%s', (_title, idlers, at) => {
    expect(whoGivesWay(idlers)).toBe(at === null ? null : idlers[at]);
  });
});

import { describe, expect, test } from 'vitest';
import { idleAllowanceMs, isCalm, lateMs, whoGivesWay, whoIsTooIdle } from '../../src/domain/idle-connection.ts';

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

  test('is never longer than the configured time, even with plenty of room', () => {
    expect(idleAllowanceMs(10, { connections: 10, idleMs: 300 }, true)).toBe(300);
  });
});

describe('the connection that gives way to a new one', () => {
  const idle = (idleMs: number) => ({ idleMs, inTransaction: false, lateMs: 0 });
  const slow = (late: number, idleMs = 0) => ({ idleMs, inTransaction: true, lateMs: late });

  test.each([
    ['the one idle longest', [idle(500), idle(900), idle(200)], 1],
    ['one outside a transaction before one within, though that is late', [slow(60_000, 60_000), idle(200)], 1],
    [
      'the latest one within a transaction, though another is idle longer',
      [slow(4_000, 4_000), slow(9_000), idle(10)],
      1,
    ],
    ['one that is late with commands outside a transaction', [slow(2_000), { ...idle(50), lateMs: 4_000 }], 1],
    ['nobody while all are at work', [idle(0), idle(99), slow(2_999, 2_999)], null],
    ['nobody where there is nobody', [], null],
  ])('%s', (_title, idlers, at) => {
    expect(whoGivesWay(idlers)).toBe(at === null ? null : idlers[at]);
  });

  test.each([
    [5_000, 0, 5_000],
    [60_000, 8, 59_999.2],
    [60_000, 600_000, 0],
    [1_000, 1_000_000, -99_000],
  ])('after %i ms with %i bytes a client is late by %d ms', (takenMs, bytes, late) => {
    expect(lateMs(takenMs, bytes)).toBeCloseTo(late);
  });
});

describe('who is idle for too long', () => {
  const room = { connections: 100, idleMs: 80_000 };
  const idle = (idleMs: number, inTransaction = false) => ({ idleMs, inTransaction, lateMs: 0 });

  test.each([
    ['nobody within the allowance', [idle(9_000), idle(23_000)], 50, []],
    ['the most idle go first', [idle(30_000), idle(20_000), idle(40_000)], 50, [40_000, 30_000]],
    ['each that goes gives the others more time', [idle(1_550), idle(1_700), idle(1_600)], 80, [1_700]],
    ['a transaction has its ten seconds', [idle(9_999, true), idle(10_000, true)], 99, [10_000]],
  ])('%s', (_title, idlers, open, gone) => {
    expect(whoIsTooIdle(idlers, open, room).map(({ idleMs }) => idleMs)).toEqual(gone);
  });
});

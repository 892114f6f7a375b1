import { expect, test } from 'vitest';
import type { TestAttempt, TestRunWithTests } from '../../../ui/web/app/api.ts';
import type { MailboxEntry } from '../../../ui/web/app/state.ts';
import { groupMailboxes } from '../../../ui/web/parts/mailbox-groups.ts';
import { testPlacesOf } from '../../../ui/web/parts/test-places.ts';

const WORKER = { id: 'w', name: 'playwright worker 0 (process 7 of 0123456789abcdef)' };
const box = (id: string, workspaceId = 'w', gone = false) =>
  ({ id, workspaceId, name: id, gone, seeded: workspaceId === 'own' }) as MailboxEntry;
const attempt = (id: string, outcome: TestAttempt['outcome'], startedAt: string, ...boxes: string[]) =>
  ({
    ...{ id, outcome, startedAt, titles: ['shop', `pays ${id}`], attempt: 1 },
    mailboxes: boxes.map((one) => ({ id: one, name: one })),
  }) as unknown as TestAttempt;
const run = (id: string, failed: number, tests: TestAttempt[]) =>
  ({
    ...{ id, project: `shop ${id}`, runner: 'playwright', failed },
    tests: tests.map((one) => ({ outcome: one.outcome, attempts: [one] })),
  }) as unknown as TestRunWithTests;

test('mailboxes stand under their runs, those of a test together, and failed tests first', () => {
  const places = testPlacesOf([
    run('new', 1, [
      attempt('t1', 'passed', '2026-11-20T15:00:00Z', 'a', 'b'),
      attempt('t2', 'failed', '2026-11-20T15:00:01Z', 'c'),
      attempt('t3', 'running', '2026-11-20T15:00:02Z', 'd', 'e'),
    ]),
    run('old', 0, [attempt('t4', 'passed', '2026-11-20T14:00:00Z', 'f')]),
  ]);
  const boxes = [box('f'), box('a'), box('c'), box('d'), box('b'), box('e'), box('own', 'own'), box('none')];
  const groups = groupMailboxes(boxes, [WORKER, { id: 'own', name: 'mailcap' }], new Set(['b']), places);
  expect(groups.map(({ title, state, mailboxes }) => [title, state, mailboxes.map(({ id }) => id).join(' ')])).toEqual([
    ['mailcap', 'plain', 'own'],
    // A test waits in b, so its test comes first, and b before a.
    ['shop new, playwright', 'waiting', 'b a c d e'],
    ['shop old, playwright', 'plain', 'f'],
    ['playwright worker 0', 'plain', 'none'],
  ]);
});

test('a failed attempt at a test whose retry passed is flaky, and does not come first', () => {
  const [first, retry] = [
    attempt('t1', 'failed', '2026-11-20T15:00:00Z', 'a'),
    attempt('t1', 'passed', '2026-11-20T15:00:09Z', 'b'),
  ];
  const { tests: _tests, ...facts } = run('new', 0, []);
  const other = { outcome: 'running', attempts: [attempt('t2', 'running', '2026-11-20T15:00:10Z', 'c')] };
  const tests = [{ outcome: 'flaky', attempts: [first, retry] }, other] as unknown as TestRunWithTests['tests'];
  const places = testPlacesOf([{ ...facts, tests }]);
  expect(['a', 'b'].map((id) => places.get(id)?.test.outcome)).toEqual(['flaky', 'passed']);
  const [group] = groupMailboxes([box('a'), box('b'), box('c')], [WORKER], new Set(), places);
  expect([group?.state, group?.mailboxes[0]?.id]).toEqual(['plain', 'c']);
});

test('a mailbox belongs to the last attempt that used it, which has its number', () => {
  const again = { ...attempt('t2', 'passed', '2026-11-20T15:00:09Z', 'a'), attempt: 2 };
  const places = testPlacesOf([run('new', 1, [again, attempt('t1', 'failed', '2026-11-20T15:00:00Z', 'a')])]);
  expect(places.get('a')?.test).toEqual({
    ...{ id: 't2', name: 'shop › pays t2 (attempt 2)', shortName: 'pays t2 (attempt 2)', outcome: 'passed' },
  });
});

test('a mailbox is that of its test if it has its name and a random end, and a test has all titles only beside its like', () => {
  const named = (id: string, titles: string[], name: string) =>
    ({ ...attempt(id, 'failed', '2026-11-20T15:00:00Z'), titles, mailboxes: [{ id, name }] }) as unknown as TestAttempt;
  const places = testPlacesOf([
    run('new', 1, [
      named('a', ['shop', 'resets a password'], 'resets a password np8vxsizhs5c'),
      named('b', ['shop', 'pays'], 'the customer np8vxsizhs5c'),
      named('c', ['bank', 'pays'], 'pays'),
    ]),
  ]);
  expect([...places.values()].map(({ test, hasOwnName }) => [test.shortName, hasOwnName])).toEqual([
    ['resets a password', false],
    ['shop › pays', true],
    ['bank › pays', false],
  ]);
});

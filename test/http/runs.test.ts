import { ulid } from 'ulid';
import { expect } from 'vitest';
import type { TestAttempt, TestRun, TestRunWithTests } from '../../src/client/index.ts';
import { MOST_RUNS, MOST_TESTS } from '../../src/domain/test-run.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { json, outcome } from './support.ts';

// Specifies docs/runs.md over HTTP.

const REPORT = {
  ...{ runner: 'playwright', project: 'shop', file: 'tests/a.spec.ts', titles: ['accounts', 'signs up'], attempt: 1 },
  ...{ worker: '0', outcome: 'running', startedAt: '2026-11-20T15:55:21.123Z', endedAt: null },
};
const ENDED = { ...REPORT, endedAt: '2026-11-20T15:55:31.000Z' };

const put = (server: TestServer, run: string, id: string, report: object) =>
  server.api(`/_mailcap/runs/${run}/tests/${id}`, { method: 'PUT', json: report });
const runsOf = (server: TestServer) => json<TestRun[]>(server.api('/_mailcap/runs'));
const runOf = (server: TestServer, id: string) => json<TestRunWithTests>(server.api(`/_mailcap/runs/${id}`));

test('a report makes the run, and a later one about the same attempt replaces it', async ({ mailcap, mailbox }) => {
  const [run, id] = [ulid(), ulid()];
  await put(mailcap, run, id, { ...REPORT, mailboxIds: [mailbox.id, ulid()] });
  expect(await runOf(mailcap, run)).toMatchObject({
    ...{ runner: 'playwright', project: 'shop', running: 1, passed: 0, failed: 0, skipped: 0, flaky: 0, dropped: 0 },
    tests: [
      {
        ...{ titles: ['accounts', 'signs up'], outcome: 'running' },
        attempts: [{ id, mailboxes: [{ id: mailbox.id, exists: true }], waits: [] }],
      },
    ],
  });
  await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
  const wait = { at: ENDED.startedAt, call: 'waitForCode', filter: 'subject "Code"', tookMs: 5, outcome: 'no code' };
  const waits = [wait, { ...wait, filter: undefined }];
  const failed = { ...ENDED, outcome: 'failed', error: 'no code', mailboxIds: [mailbox.id], waits };
  const answer = await json<TestAttempt>(put(mailcap, run, id, failed));
  expect(answer).toMatchObject({
    ...{ outcome: 'failed', error: 'no code', mailboxes: [{ id: mailbox.id, exists: false }] },
    waits: [{ call: 'waitForCode', filter: 'subject "Code"' }, { filter: '' }],
  });
  const after = await runOf(mailcap, run);
  expect(after).toMatchObject({ running: 0, failed: 1 });
  expect(after.tests).toMatchObject([{ outcome: 'failed', attempts: [answer] }]);
});

test('failed tests come first, then those that run, each by their start', async ({ mailcap }) => {
  const run = ulid();
  const report = async (title: string, outcome: string, second: number) => {
    const startedAt = `2026-11-20T15:55:0${second}.000Z`;
    const ended = outcome === 'running' ? { endedAt: null } : {};
    await put(mailcap, run, ulid(), { ...ENDED, titles: [title], outcome, startedAt, ...ended });
  };
  await report('passes', 'passed', 1);
  await report('fails later', 'failed', 4);
  await report('is skipped', 'skipped', 2);
  await report('runs', 'running', 5);
  await report('fails', 'failed', 3);
  const { tests } = await runOf(mailcap, run);
  expect(tests.map(({ titles }) => titles[0])).toEqual(['fails', 'fails later', 'runs', 'is skipped', 'passes']);
});

// The counts that Playwright's reporter `list` prints for such tests.
test('tests are counted by their last attempts, which stand below them', async ({ mailcap }) => {
  const run = ulid();
  const attempts = {
    fails: ['failed', 'failed', 'failed'],
    'is flaky': ['failed', 'passed'],
    'is run again by its group': ['passed', 'passed'],
    passes: ['passed'],
    'is skipped': ['skipped'],
  };
  for (const [title, outcomes] of Object.entries(attempts))
    for (const [at, outcome] of outcomes.entries())
      await put(mailcap, run, ulid(), { ...ENDED, titles: [title], attempt: at + 1, outcome });
  // Two tests may have the same titles, if their runner tells them apart.
  for (const id of ['a', 'b']) await put(mailcap, run, ulid(), { ...ENDED, test: id, outcome: 'passed' });
  const counts = { failed: 1, flaky: 1, passed: 4, skipped: 1, running: 0, dropped: 0 };
  expect((await runsOf(mailcap)).find(({ id }) => id === run)).toMatchObject(counts);
  const { tests, ...facts } = await runOf(mailcap, run);
  expect(facts).toMatchObject(counts);
  expect(
    tests.map(({ titles, outcome, attempts }) => [titles[0], outcome, attempts.map((one) => one.outcome)]),
  ).toEqual([
    ['fails', 'failed', ['failed', 'failed', 'failed']],
    ['is flaky', 'flaky', ['failed', 'passed']],
    ['is skipped', 'skipped', ['skipped']],
    ['is run again by its group', 'passed', ['passed', 'passed']],
    ['passes', 'passed', ['passed']],
    ['accounts', 'passed', ['passed']],
    ['accounts', 'passed', ['passed']],
  ]);
});

test('a retry that runs makes its test run again, and its report replaces what it counts as', async ({ mailcap }) => {
  const [run, retry] = [ulid(), ulid()];
  const seen = async () => {
    const { running, failed, flaky, passed } = await runOf(mailcap, run);
    return { running, failed, flaky, passed };
  };
  await put(mailcap, run, ulid(), { ...ENDED, outcome: 'failed' });
  expect(await seen()).toEqual({ running: 0, failed: 1, flaky: 0, passed: 0 });
  await put(mailcap, run, retry, { ...REPORT, attempt: 2 });
  expect(await seen()).toEqual({ running: 1, failed: 0, flaky: 0, passed: 0 });
  await put(mailcap, run, retry, { ...ENDED, attempt: 2, outcome: 'passed' });
  expect(await seen()).toEqual({ running: 0, failed: 0, flaky: 1, passed: 0 });
  // The report names another test than before.
  await put(mailcap, run, retry, { ...ENDED, attempt: 2, outcome: 'passed', test: 'another' });
  expect(await seen()).toEqual({ running: 0, failed: 1, flaky: 0, passed: 1 });
});

test.for([
  ['runner', { runner: '' }],
  ['project', { project: 7 }],
  ['file', { file: 'x'.repeat(501) }],
  ['test', { test: '' }],
  ['titles', { titles: [] }],
  ['titles', { titles: ['a', 7] }],
  ['attempt', { attempt: 0 }],
  ['worker', { worker: undefined }],
  ['outcome', { outcome: 'flaky' }],
  ['error', { error: 'x'.repeat(10_001) }],
  ['startedAt', { startedAt: 'yesterday' }],
  ['endedAt', { endedAt: null }],
  ['endedAt', { outcome: 'running' }],
  ['mailboxIds', { mailboxIds: ['x'] }],
  ['webhookIds', { webhookIds: 'all' }],
  ['waits', { waits: [{ at: 'now', call: 'waitForCode', tookMs: 1, outcome: 'x' }] }],
  ['waits', { waits: [null] }],
] as const)('a report with a wrong %s is refused, and nothing is stored', async ([field, wrong], { mailcap }) => {
  const run = ulid();
  const answer = await outcome(put(mailcap, run, ulid(), { ...ENDED, outcome: 'passed', ...wrong }));
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_test', field } });
  expect(await outcome(mailcap.api(`/_mailcap/runs/${run}`))).toMatchObject({ status: 404 });
});

test('an attempt belongs to one run, and ids are ULIDs', async ({ mailcap }) => {
  const [run, id] = [ulid(), ulid()];
  await put(mailcap, run, id, REPORT);
  expect(await outcome(put(mailcap, ulid(), id, REPORT))).toMatchObject({ status: 400, body: { field: 'runId' } });
  expect(await outcome(put(mailcap, 'mine', ulid(), REPORT))).toMatchObject({ status: 404 });
  expect(await outcome(put(mailcap, run, '1', REPORT))).toMatchObject({ status: 404 });
});

test(`the last ${MOST_RUNS} runs stay; one that is deleted goes with its tests`, async () => {
  await using server = await startServer();
  const ids = Array.from({ length: MOST_RUNS + 2 }, () => ulid());
  for (const id of ids) await put(server, id, ulid(), REPORT);
  expect((await runsOf(server)).map(({ id }) => id).sort()).toEqual(ids.slice(2).sort());
  const [gone = ''] = ids.slice(2);
  expect((await server.api(`/_mailcap/runs/${gone}`, { method: 'DELETE' })).status).toBe(204);
  expect(await outcome(server.api(`/_mailcap/runs/${gone}`))).toMatchObject({ status: 404 });
  expect(await runsOf(server)).toHaveLength(MOST_RUNS - 1);
});

test(`a run keeps ${MOST_TESTS} attempts: the oldest test that passed goes first, and is counted`, async () => {
  await using server = await startServer();
  const run = ulid();
  const first = ulid(1);
  await put(server, run, first, { ...ENDED, outcome: 'failed' });
  const ids = Array.from({ length: MOST_TESTS }, (_, at) => ulid(2 + at));
  for (const id of ids) await put(server, run, id, { ...ENDED, test: id, outcome: 'passed' });
  const { tests, passed, failed, dropped } = await runOf(server, run);
  expect({ passed, failed, dropped }).toEqual({ passed: MOST_TESTS - 1, failed: 1, dropped: 1 });
  const kept = new Set(tests.flatMap(({ attempts }) => attempts.map(({ id }) => id)));
  expect(kept.has(first)).toBe(true);
  expect(kept.has(ids[0] ?? '')).toBe(false);
  expect(kept.size).toBe(MOST_TESTS);
});

test('the feed tells of each report, and a reset removes all runs', async () => {
  await using server = await startServer();
  const [run, id] = [ulid(), ulid()];
  await put(server, run, id, REPORT);
  const items = await json<{ data: object }[]>(server.api('/_mailcap/events?types=run.updated'));
  expect(items.map(({ data }) => data)).toEqual([{ runId: run, testId: id, outcome: 'running' }]);
  await server.api('/_mailcap/reset', { method: 'POST' });
  expect(await runsOf(server)).toEqual([]);
});

import { z } from 'zod';
import { deleteRun, reportTest } from '../../actions/test-runs.ts';
import { refuse } from '../../domain/errors.ts';
import { parseUlid, type TestId, type TestRunId } from '../../domain/ids.ts';
import {
  inReadingOrder,
  TEST_OUTCOMES,
  TEST_VERDICTS,
  type TestAttempt,
  type TestOfRun,
  type TestRun,
} from '../../domain/test-run.ts';
import { writeTime } from '../../domain/time.ts';
import type { Reader } from '../../ports/store.ts';
import { type AnswerOf, answerWriter, anything, nullable, time } from '../answers.ts';
import { type Anyone, anyRun, localRoute, type Resolver } from '../route.ts';

// This module implements docs/runs.md: the runs of test runners, as the fixtures report them.

const outcome = z.enum(TEST_OUTCOMES);

export const RunResponse = z.object({
  id: z.string(),
  runner: z.string(),
  project: z.string(),
  startedAt: time.describe('The time of the first report'),
  updatedAt: time.describe('The time of the last report'),
  running: z.int().describe('The number of tests whose last attempt runs'),
  passed: z.int().describe('The number of tests that passed without a failed attempt'),
  flaky: z.int().describe('The number of tests that passed after a failed attempt'),
  failed: z.int().describe('The number of tests whose last attempt failed'),
  skipped: z.int(),
  dropped: z.int().describe('The number of attempts that went because the run has too many'),
});

export const AttemptResponse = z.object({
  id: z.string(),
  runId: z.string(),
  test: nullable.describe('The id of the test by its runner. Null if none was reported'),
  file: z.string(),
  titles: z.array(z.string()).describe('The titles of the groups of the test, and then its own'),
  attempt: z.int().describe('From 1'),
  worker: z.string(),
  outcome,
  error: nullable,
  startedAt: time,
  endedAt: time.nullable(),
  mailboxes: z.array(
    z.object({
      id: z.string(),
      workspaceId: z.string(),
      name: z.string(),
      subdomain: z.string(),
      exists: z.boolean().describe('False if the mailbox is deleted'),
    }),
  ),
  webhooks: z.array(
    z.object({
      id: z.string(),
      workspaceId: z.string(),
      name: nullable,
      exists: z.boolean().describe('False if the webhook is deleted'),
    }),
  ),
  waits: z.array(z.object({ at: time, call: z.string(), filter: z.string(), tookMs: z.int(), outcome: z.string() })),
});

export const TestResponse = z.object({
  file: z.string(),
  titles: z.array(z.string()).describe('The titles of the groups of the test, and then its own'),
  outcome: z.enum(TEST_VERDICTS).describe('That of its last attempt, or flaky if it passed after a failed one'),
  attempts: z.array(AttemptResponse).describe('In their order; at least one'),
});

export const RunWithTestsResponse = RunResponse.extend({
  tests: z.array(TestResponse).describe('Failed ones first, then flaky ones, then those that run, each by their start'),
});

const text = { type: 'string', minLength: 1, maxLength: 500 } as const;
const ids = { type: 'array', maxItems: 50, items: { type: 'string' } } as const;

const TestRequest = z.object({
  runner: anything.meta({ ...text, description: 'The name of the runner, such as playwright' }),
  project: anything.meta(text),
  test: anything.meta({
    ...{ type: ['string', 'null'], minLength: 1, maxLength: 500 },
    description: 'The id of the test by its runner, the same for all attempts. Without it, the file and titles tell',
  }),
  file: anything.meta({ ...text, description: 'The path of the file, relative to the project' }),
  titles: anything.meta({ type: 'array', minItems: 1, maxItems: 20, items: text }),
  attempt: anything.meta({ type: 'integer', minimum: 1 }),
  worker: anything.meta(text),
  outcome: anything.meta({ type: 'string', enum: [...TEST_OUTCOMES] }),
  error: anything.meta({ type: ['string', 'null'], maxLength: 10_000 }),
  startedAt: anything.meta({ type: 'string', format: 'date-time' }),
  endedAt: anything.meta({ type: ['string', 'null'], format: 'date-time', description: 'Null while it runs' }),
  mailboxIds: anything.meta(ids),
  webhookIds: anything.meta(ids),
  waits: anything.meta({
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      required: ['at', 'call', 'tookMs', 'outcome'],
      properties: {
        at: { type: 'string', format: 'date-time' },
        call: text,
        filter: { type: 'string' },
        tookMs: { type: 'integer', minimum: 0 },
        outcome: { type: 'string', minLength: 1, maxLength: 10_000 },
      },
    },
  }),
});

interface TestPlace {
  readonly runId: TestRunId;
  readonly testId: TestId;
}

const placeOfPath: Resolver<Anyone, TestPlace> = async ({ params }) => {
  const runId = parseUlid<TestRunId>(params['id'] ?? '');
  const testId = parseUlid<TestId>(params['testId'] ?? '');
  if (runId === null || testId === null) throw refuse('not_found');
  return { runId, testId };
};

export const testRuns = [
  localRoute('GET', '/_mailcap/runs', {
    id: 'listRuns',
    summary: 'List the runs of test runners, the newest first',
    returns: { 200: z.array(RunResponse) },
    handle: async ({ ctx }) => (await ctx.store.read.runs.list()).map(toRun),
  }),

  localRoute('GET', '/_mailcap/runs/:id', {
    id: 'getRun',
    summary: 'Get a run with its tests',
    resolve: anyRun,
    returns: { 200: RunWithTestsResponse },
    handle: async ({ read, found }) => {
      const tests = inReadingOrder(await read.runs.tests(found.id));
      return { ...toRun(found), tests: await Promise.all(tests.map((test) => toTest(read, test))) };
    },
  }),

  localRoute('PUT', '/_mailcap/runs/:id/tests/:testId', {
    id: 'reportTest',
    summary: 'Report an attempt at a test',
    description:
      'The first report creates the run. A later one about the same attempt replaces the earlier one. Ids are ULIDs that the caller makes.',
    example: {
      ...{ runner: 'playwright', project: 'shop', file: 'tests/sign-up.spec.ts', titles: ['signs up'], attempt: 1 },
      ...{ worker: '0', outcome: 'failed', error: 'no mail came', startedAt: '2026-11-20T15:55:21.123Z' },
      endedAt: '2026-11-20T15:55:31.456Z',
    },
    resolve: placeOfPath,
    body: TestRequest,
    returns: { 200: AttemptResponse },
    fails: ['invalid_test'],
    transact: async ({ ctx, tx, found, body }) => toAttempt(tx, await reportTest(ctx, tx, { ...found, given: body })),
  }),

  localRoute('DELETE', '/_mailcap/runs/:id', {
    id: 'deleteRun',
    summary: 'Delete a run; its mailboxes and webhooks stay',
    resolve: anyRun,
    transact: async ({ ctx, tx, found }) => deleteRun(ctx, tx, found),
  }),
];

const writeRun = answerWriter(RunResponse);
const writeAttempt = answerWriter(AttemptResponse);

function toRun({ counts, ...run }: TestRun): AnswerOf<typeof RunResponse> {
  return writeRun({ ...run, ...counts });
}

async function toTest(read: Reader, { verdict, attempts }: TestOfRun): Promise<AnswerOf<typeof TestResponse>> {
  const { file, titles } = attempts[0];
  return {
    ...{ file, titles, outcome: verdict },
    attempts: await Promise.all(attempts.map((attempt) => toAttempt(read, attempt))),
  };
}

async function toAttempt(read: Reader, test: TestAttempt): Promise<AnswerOf<typeof AttemptResponse>> {
  const { mailboxes, webhooks, waits } = test;
  return writeAttempt({
    ...test,
    mailboxes: await Promise.all(
      mailboxes.map(async (one) => ({ ...one, exists: (await read.mailboxes.get(one.id)) !== null })),
    ),
    webhooks: await Promise.all(
      webhooks.map(async (one) => ({ ...one, exists: (await read.webhooks.get(one.id)) !== null })),
    ),
    waits: waits.map(({ at, ...wait }) => ({ at: writeTime(at), ...wait })),
  });
}

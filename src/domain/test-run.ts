import { grouped } from '../text/maps.ts';
import { refuse } from './errors.ts';
import type { MailboxId, TestId, TestRunId, WebhookId, WorkspaceId } from './ids.ts';
import { parseUlid } from './ids.ts';
import { parseTime } from './time.ts';

// The runs of a test runner, as the fixtures report them (docs/runs.md). A run spans the workspaces of its workers, and
// what it tells stays when they are deleted.

export const TEST_OUTCOMES = ['running', 'passed', 'failed', 'skipped'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

/** How a test ended: as its last attempt did, but `flaky` if that passed after an earlier one failed. */
export const TEST_VERDICTS = [...TEST_OUTCOMES, 'flaky'] as const;
export type TestVerdict = (typeof TEST_VERDICTS)[number];

/** A run of a test runner: all tests that one start of it reported. */
export interface TestRun {
  readonly id: TestRunId;
  /** The name of the runner, such as `playwright`. */
  readonly runner: string;
  /** The name of the project, as the runner's configuration or directory has it. */
  readonly project: string;
  /** The time of the first report. */
  readonly startedAt: number;
  /** The time of the last report. */
  readonly updatedAt: number;
  /** The number of kept tests with each verdict. */
  readonly counts: Readonly<Record<TestVerdict, number>>;
  /** The number of kept attempts. */
  readonly attempts: number;
  /** The number of attempts that went because the run has too many. */
  readonly dropped: number;
}

/** An attempt at a test of a run. A retry is an attempt of its own. */
export interface TestAttempt extends TestReport {
  readonly id: TestId;
  readonly runId: TestRunId;
}

/** What the fixtures report about an attempt, with the mailboxes and webhooks that the server knows. */
export interface TestReport {
  /** The runner's id of the test, which all its attempts have. Null if they only have the same file and titles. */
  readonly test: string | null;
  /** The path of the file, relative to the project. */
  readonly file: string;
  /** The titles of the test's groups, and then its own. At least one. */
  readonly titles: readonly string[];
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The number or the name of the worker. */
  readonly worker: string;
  readonly outcome: TestOutcome;
  /** The message of the error. Null if none is told. */
  readonly error: string | null;
  readonly startedAt: number;
  /** Null while the attempt runs. */
  readonly endedAt: number | null;
  readonly mailboxes: readonly TestMailbox[];
  readonly webhooks: readonly TestWebhook[];
  /** The waits of a failed attempt, in their order. */
  readonly waits: readonly TestWait[];
}

/** A mailbox that an attempt used. It may be deleted meanwhile. */
export interface TestMailbox {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly subdomain: string;
}

/** A webhook that an attempt used. It may be deleted meanwhile. */
export interface TestWebhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly name: string | null;
}

/** A wait, and how it ended. */
export interface TestWait {
  readonly at: number;
  /** The call, such as `waitForCode`. */
  readonly call: string;
  /** The filter as it was written. '' if there was none. */
  readonly filter: string;
  readonly tookMs: number;
  /** What came, or the message of the error. */
  readonly outcome: string;
}

/** The most runs of which the server keeps the tests. The ones that were reported longest ago go first. */
export const MOST_RUNS = 20;
/** The most attempts of a run that are kept. The oldest tests that passed or were skipped go first. */
export const MOST_TESTS = 1_000;

const MOST_TITLES = 20;
const MOST_HANDLES = 50;
const MOST_WAITS = 50;
/** The longest short text, in UTF-16 units. */
const LONGEST = 500;
/** The longest message of an error, in UTF-16 units. */
const LONGEST_ERROR = 10_000;

/** A report whose mailboxes and webhooks are not looked up yet. */
export interface ParsedReport extends Omit<TestReport, 'mailboxes' | 'webhooks'> {
  readonly runner: string;
  readonly project: string;
  readonly mailboxIds: readonly MailboxId[];
  readonly webhookIds: readonly WebhookId[];
}

/** A report as a request has it. */
export type GivenReport = { readonly [Name in keyof ParsedReport]?: unknown };

/** Parses a report. Throws `invalid_test` with the name of the first invalid field. */
export function parseReport(given: GivenReport): ParsedReport {
  const outcome = TEST_OUTCOMES.find((one) => one === given.outcome) ?? invalid('outcome');
  const startedAt = timeIn(given.startedAt, 'startedAt');
  const endedAt = given.endedAt == null ? null : timeIn(given.endedAt, 'endedAt');
  if ((endedAt === null) !== (outcome === 'running')) invalid('endedAt');
  const titles = listIn(given.titles, 'titles', MOST_TITLES, (title) => textIn(title, 'titles'));
  if (titles.length === 0) invalid('titles');
  return {
    runner: textIn(given.runner, 'runner'),
    project: textIn(given.project, 'project'),
    test: given.test == null ? null : textIn(given.test, 'test'),
    file: textIn(given.file, 'file'),
    titles,
    attempt: wholeIn(given.attempt, 'attempt', 1),
    worker: textIn(given.worker, 'worker'),
    outcome,
    error: given.error == null ? null : textIn(given.error, 'error', LONGEST_ERROR),
    startedAt,
    endedAt,
    mailboxIds: listIn(given.mailboxIds ?? [], 'mailboxIds', MOST_HANDLES, (id) => idIn<MailboxId>(id, 'mailboxIds')),
    webhookIds: listIn(given.webhookIds ?? [], 'webhookIds', MOST_HANDLES, (id) => idIn<WebhookId>(id, 'webhookIds')),
    waits: listIn(given.waits ?? [], 'waits', MOST_WAITS, waitIn),
  };
}

function waitIn(given: unknown): TestWait {
  if (typeof given !== 'object' || given === null) return invalid('waits');
  const { at, call, filter, tookMs, outcome } = given as Readonly<Record<string, unknown>>;
  return {
    at: timeIn(at, 'waits'),
    call: textIn(call, 'waits'),
    filter: filter === undefined || filter === '' ? '' : textIn(filter, 'waits'),
    tookMs: wholeIn(tookMs, 'waits', 0),
    outcome: textIn(outcome, 'waits', LONGEST_ERROR),
  };
}

function textIn(value: unknown, field: keyof GivenReport, longest = LONGEST): string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest ? value : invalid(field);
}

function wholeIn(value: unknown, field: keyof GivenReport, min: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : invalid(field);
}

function timeIn(value: unknown, field: keyof GivenReport): number {
  return (typeof value === 'string' ? parseTime(value) : null) ?? invalid(field);
}

function idIn<Id extends MailboxId | WebhookId>(value: unknown, field: keyof GivenReport): Id {
  return (typeof value === 'string' ? parseUlid<Id>(value) : null) ?? invalid(field);
}

function listIn<T>(value: unknown, field: keyof GivenReport, most: number, parse: (one: unknown) => T): T[] {
  return Array.isArray(value) && value.length <= most ? value.map(parse) : invalid(field);
}

function invalid(field: keyof GivenReport): never {
  throw refuse('invalid_test', { field });
}

/** Returns a key that all attempts at a test of a run have, and no other attempt. */
export function testKeyOf({ runId, test, file, titles }: TestAttempt): string {
  return JSON.stringify([runId, ...(test === null ? [file, ...titles] : [test])]);
}

/** A test of a run, with its attempts in their order. */
export interface TestOfRun {
  readonly verdict: TestVerdict;
  readonly attempts: readonly [TestAttempt, ...TestAttempt[]];
}

/** Returns the test of these attempts. Null if there are none. */
export function testOf(attempts: readonly TestAttempt[]): TestOfRun | null {
  const [first, ...later] = attempts.toSorted(
    (one, other) => one.attempt - other.attempt || (one.id < other.id ? -1 : 1),
  );
  if (first === undefined) return null;
  const { outcome } = later.at(-1) ?? first;
  const isFlaky = outcome === 'passed' && attempts.some((one) => one.outcome === 'failed');
  return { verdict: isFlaky ? 'flaky' : outcome, attempts: [first, ...later] };
}

/** The attempts at one test, before and after a change. */
export interface ChangedTest {
  readonly before: readonly TestAttempt[];
  readonly after: readonly TestAttempt[];
}

/** Returns a run after a report, which changed these tests. */
export function runAfterReport(
  run: TestRun | null,
  { runner, project }: ParsedReport,
  { id, changed, now }: { readonly id: TestRunId; readonly changed: readonly ChangedTest[]; readonly now: number },
): TestRun {
  const known = run ?? {
    ...{ id, startedAt: now, attempts: 0, dropped: 0 },
    counts: { running: 0, passed: 0, failed: 0, skipped: 0, flaky: 0 },
  };
  return changed.reduce(runWith, { ...known, runner, project, updatedAt: now });
}

/** Returns a run without a test, which went because the run has too many. */
export function runWithout(run: TestRun, test: readonly TestAttempt[]): TestRun {
  return { ...runWith(run, { before: test, after: [] }), dropped: run.dropped + test.length };
}

function runWith(run: TestRun, { before, after }: ChangedTest): TestRun {
  const counts = { ...run.counts };
  const [was, is] = [testOf(before), testOf(after)];
  if (was !== null) counts[was.verdict]--;
  if (is !== null) counts[is.verdict]++;
  return { ...run, counts, attempts: run.attempts - before.length + after.length };
}

const RANK: Readonly<Record<TestVerdict, number>> = { failed: 0, flaky: 1, running: 2, skipped: 3, passed: 4 };

/**
 * Returns the tests of a run for a reader: failed ones first, then those that passed after a failure, then those that
 * run, each in the order of their start.
 */
export function inReadingOrder(attempts: readonly TestAttempt[]): TestOfRun[] {
  return [...grouped(attempts, testKeyOf).values()]
    .map(testOf)
    .filter((test) => test !== null)
    .sort(
      (one, other) =>
        RANK[one.verdict] - RANK[other.verdict] || one.attempts[0].startedAt - other.attempts[0].startedAt,
    );
}

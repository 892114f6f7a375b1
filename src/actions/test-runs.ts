import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { TestId, TestRunId } from '../domain/ids.ts';
import {
  type GivenReport,
  MOST_RUNS,
  MOST_TESTS,
  type ParsedReport,
  parseReport,
  runAfterReport,
  runWithout,
  type TestAttempt,
  type TestMailbox,
  type TestRun,
  type TestWebhook,
  testKeyOf,
} from '../domain/test-run.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import { recordEvent } from './record-event.ts';

/**
 * Stores what the fixtures report about an attempt at a test, in place of an earlier report about it. Makes room for it
 * by the bounds of docs/runs.md. Throws `invalid_test`.
 */
export async function reportTest(
  ctx: Context,
  tx: Tx,
  { runId, testId, given }: { readonly runId: TestRunId; readonly testId: TestId; readonly given: GivenReport },
): Promise<TestAttempt> {
  const report = parseReport(given);
  const before = await tx.runs.test(testId);
  // Two runs would count it.
  if (before !== null && before.runId !== runId) throw refuse('invalid_test', { field: 'runId' });
  const run = await tx.runs.get(runId);
  const test = { id: testId, runId, ...(await withHandles(tx, report, before)) };
  // A later report may name another test than the first one did.
  const keys = [...new Set([before ?? test, test].map(testKeyOf))];
  const known = await Promise.all(keys.map((key) => tx.runs.attempts(key)));
  await tx.runs.putTest(test);
  const changed = await Promise.all(
    keys.map(async (key, at) => ({ before: known[at] ?? [], after: await tx.runs.attempts(key) })),
  );
  const after = runAfterReport(run, report, { id: runId, changed, now: realTime(ctx.clock) });
  await tx.runs.put(await withRoom(tx, after, testId));
  if (run === null) await removeOldRuns(tx);
  await recordEvent(ctx, tx, 'run.updated', null, { runId, testId, outcome: report.outcome });
  return test;
}

/** Deletes a run with its attempts. Mailboxes and webhooks stay. */
export async function deleteRun(ctx: Context, tx: Tx, { id }: TestRun): Promise<void> {
  await tx.runs.remove(id);
  await recordEvent(ctx, tx, 'run.updated', null, { runId: id, testId: null, outcome: null });
}

/** Replaces the ids of a report by facts. Those of an earlier report stay if the mailbox or webhook is deleted. */
async function withHandles(
  reader: Reader,
  { mailboxIds, webhookIds, runner: _, project: __, ...report }: ParsedReport,
  before: TestAttempt | null,
): Promise<Omit<TestAttempt, 'id' | 'runId'>> {
  const mailboxes = await Promise.all(
    mailboxIds.map(async (id): Promise<TestMailbox | null> => {
      const known = await reader.mailboxes.get(id);
      if (known === null) return before?.mailboxes.find((one) => one.id === id) ?? null;
      const { workspaceId, name, subdomain } = known;
      return { id, workspaceId, name, subdomain };
    }),
  );
  const webhooks = await Promise.all(
    webhookIds.map(async (id): Promise<TestWebhook | null> => {
      const known = await reader.webhooks.get(id);
      if (known === null) return before?.webhooks.find((one) => one.id === id) ?? null;
      return { id, workspaceId: known.workspaceId, name: known.name };
    }),
  );
  return {
    ...report,
    mailboxes: mailboxes.filter((one) => one !== null),
    webhooks: webhooks.filter((one) => one !== null),
  };
}

/** Removes the oldest test of a run with too many attempts: one that passed or was skipped, if there is one. */
async function withRoom(tx: Tx, run: TestRun, newest: TestId): Promise<TestRun> {
  if (run.attempts <= MOST_TESTS) return run;
  const isOther = (attempts: readonly TestAttempt[]) => attempts.every(({ id }) => id !== newest);
  const oldest =
    (await tx.runs.oldestTest(run.id, (attempts) => isOther(attempts) && attempts.every(isPlain))) ??
    (await tx.runs.oldestTest(run.id, isOther));
  if (oldest === null) return run;
  for (const { id } of oldest) await tx.runs.removeTest(id);
  return runWithout(run, oldest);
}

function isPlain({ outcome }: TestAttempt): boolean {
  return outcome === 'passed' || outcome === 'skipped';
}

async function removeOldRuns(tx: Tx): Promise<void> {
  for (const { id } of (await tx.runs.list()).slice(MOST_RUNS)) await tx.runs.remove(id);
}

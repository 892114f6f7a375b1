import { type ReactNode, useEffect, useRef } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidCount, saidExactTime, saidMoment } from '../../../src/text/said.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import type { TestAttempt, TestOfRun, TestRun } from '../app/api.ts';
import { mailboxRoute, messageRoute, type Route, webhooksRoute } from '../app/route.ts';
import { Columns } from '../parts/Columns.tsx';
import { Button, Empty } from '../parts/controls.tsx';
import { CopyButton, NotLoaded, Pre, Tone } from '../parts/view-controls.tsx';
import { useCommands, useLoaded } from '../use-loaded.ts';
import { href, useShell } from '../use-shell.ts';

/** The route of the runs, of one of them, and of one of its tests. */
export type RunsRoute = Extract<Route, { at: 'runs' }>;

const TONES = { failed: 'bad', flaky: 'waiting', running: 'waiting', skipped: 'plain', passed: 'good' } as const;

/** Shows the runs of test runners. Without a run in the address, it shows the one that was reported last. */
export function RunsPage({ route }: { readonly route: RunsRoute }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(
    'runs',
    () => shell.api.listRuns(),
    ({ type }) => type === 'run.updated',
  );
  useCommands((command) => {
    if (command === 'back' && route.testId !== null) shell.go({ ...route, testId: null });
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  const shown = route.runId ?? value[0]?.id ?? null;
  return (
    <div className="page runs">
      <header>
        <h1>Runs</h1>
        <p>The tests that used this server, run by run, failed ones first.</p>
      </header>
      <div className="page-body">
        {shown === null ? (
          <Empty icon="runs" title="No test has run yet">
            <p>
              The fixtures for Playwright and Vitest tell this server which test each mailbox belongs to, and how the
              test ended. Start it before the tests, and their runs appear here.{' '}
              <a href="/docs/runs" target="_blank" rel="noopener">
                Runs in the documentation
              </a>
            </p>
          </Empty>
        ) : (
          <>
            <RunChoice runs={value} shown={shown} />
            {value.some(({ id }) => id === shown) ? (
              <OneRun id={shown} testId={route.testId} />
            ) : (
              <Empty icon="runs" title="This run is gone">
                <p>The server keeps the last 20 runs, until a reset.</p>
              </Empty>
            )}
          </>
        )}
      </div>
    </div>
  );
}

function RunChoice({ runs, shown }: { readonly runs: readonly TestRun[]; readonly shown: string }) {
  const shell = useShell();
  return (
    <nav aria-label="Runs, the newest first">
      <ul className="run-choice">
        {runs.map((run) => (
          <li key={run.id}>
            <a
              href={href({ at: 'runs', runId: run.id, testId: null })}
              aria-current={run.id === shown ? 'true' : undefined}
            >
              <strong>{harmlessLine(run.project, 60)}</strong>
              <span className="faint">
                {harmlessLine(run.runner, 20)}, {saidMoment(Date.parse(run.updatedAt), shell.now())}
              </span>
              <RunTone run={run} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function RunTone({ run }: { readonly run: TestRun }) {
  const tone = run.failed > 0 ? 'bad' : run.running > 0 ? 'waiting' : 'good';
  return <Tone tone={tone}>{saidOutcomes(run)}</Tone>;
}

/** Says how many tests of a run ended how, the failed ones first. Vitest counts flaky tests as passed, Playwright does not. */
function saidOutcomes({ runner, failed, flaky, running, passed, skipped }: TestRun): string {
  const saidPassed =
    runner === 'vitest' && flaky > 0 ? [`${passed + flaky} passed (${flaky} flaky)`] : [`${passed} passed`];
  return [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(flaky > 0 && runner !== 'vitest' ? [`${flaky} flaky`] : []),
    ...(running > 0 ? [`${running} running`] : []),
    ...saidPassed,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
}

function OneRun({ id, testId }: { readonly id: string; readonly testId: string | null }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(
    `run ${id}`,
    () => shell.api.getRun(id),
    ({ type, data }) => (type === 'run.updated' && data['runId'] === id) || type === 'mailbox.deleted',
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  return (
    <section aria-label={`The run of ${harmlessLine(value.project, 60)}`}>
      <div className="run-head">
        <p>
          <strong>{harmlessLine(value.project, 60)}</strong>: {saidOutcomes(value)}
          {value.dropped > 0 && `; ${saidCount(value.dropped, 'older attempt')} dropped`}
        </p>
        <Button look="quiet" onClick={() => void forget()}>
          Forget this run
        </Button>
      </div>
      <ul className="tests">
        {value.tests.map((test) => (
          <OneTest key={test.attempts[0]?.id} test={test} openId={testId} />
        ))}
      </ul>
    </section>
  );

  function forget() {
    return shell.attempt(async () => {
      await shell.api.deleteRun(id);
      shell.go({ at: 'runs', runId: null, testId: null });
    });
  }
}

/** Shows a test. One with retries has its attempts below it, and each of them opens. */
function OneTest({ test, openId }: { readonly test: TestOfRun; readonly openId: string | null }) {
  const { titles, file, outcome, attempts } = test;
  const [only, ...retries] = attempts;
  const last = attempts.at(-1);
  if (only === undefined || last === undefined) return null;
  const name = titles.map((title) => harmlessLine(title, 160)).join(' › ');
  const isRetried = retries.length > 0;
  const head = (
    <>
      <Tone tone={TONES[outcome]}>{outcome}</Tone>
      <span className="test-name">{name}</span>
      <span className="faint">
        {harmlessLine(file, 120)} · {isRetried ? saidCount(attempts.length, 'attempt') : saidTime(only)}
      </span>
    </>
  );
  if (!isRetried)
    return (
      <Opening attempt={only} isOpen={only.id === openId} className={`test ${outcome}`}>
        {head}
      </Opening>
    );
  return (
    <li className={`test ${outcome}`}>
      <a className="test-head" href={href({ at: 'runs', runId: last.runId, testId: last.id })}>
        {head}
      </a>
      <ol className="attempts" aria-label={`The attempts at ${name}`}>
        {attempts.map((attempt) => (
          <Opening key={attempt.id} attempt={attempt} isOpen={attempt.id === openId}>
            <Tone tone={TONES[attempt.outcome]}>{attempt.outcome}</Tone>
            <span>Attempt {attempt.attempt}</span>
            <span className="faint">{saidTime(attempt)}</span>
          </Opening>
        ))}
      </ol>
    </li>
  );
}

/** A row that opens the facts of an attempt. The address has the open one. */
function Opening({
  attempt,
  isOpen,
  className,
  children,
}: {
  readonly attempt: TestAttempt;
  readonly isOpen: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const { id, runId } = attempt;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li ref={row} className={className}>
      <a className="test-head" href={href({ at: 'runs', runId, testId: isOpen ? null : id })} aria-expanded={isOpen}>
        {children}
      </a>
      {isOpen && <TestFacts test={attempt} />}
    </li>
  );
}

function saidTime({ startedAt, endedAt }: TestAttempt): string {
  return endedAt === null ? 'not ended' : saidTook(Date.parse(endedAt) - Date.parse(startedAt));
}

function TestFacts({ test }: { readonly test: TestAttempt }) {
  const { error, waits, mailboxes, webhooks } = test;
  const gone = <span className="faint">deleted with its test</span>;
  return (
    <div className="test-facts">
      {error !== null && (
        <figure className="snippet">
          <figcaption>
            <strong>Why it failed</strong>
            <CopyButton text={error} what="the error" look="quiet" />
          </figcaption>
          <Pre>{harmlessText(error)}</Pre>
        </figure>
      )}
      {mailboxes.length + webhooks.length > 0 && (
        <ul className="handles">
          {mailboxes.map(({ id, name, subdomain, exists }) => (
            <li key={id}>
              Mailbox{' '}
              {exists ? (
                <a href={href(mailboxRoute(id))}>{harmlessLine(name || subdomain, 120)}</a>
              ) : (
                harmlessLine(name, 120)
              )}{' '}
              <code>{subdomain}</code> {!exists && gone}
              {exists && <TestMails mailboxId={id} isFailed={test.outcome === 'failed'} />}
            </li>
          ))}
          {webhooks.map(({ id, name, exists }) => (
            <li key={id}>
              Webhook{' '}
              {exists ? (
                <a href={href(webhooksRoute(id))}>{harmlessLine(name ?? id, 120)}</a>
              ) : (
                harmlessLine(name ?? id, 120)
              )}{' '}
              {!exists && gone}
            </li>
          ))}
        </ul>
      )}
      {waits.length > 0 && (
        <table className="plain stacked">
          <caption>What it waited for</caption>
          <Columns names={['Call', 'Took', 'What came']} />
          <tbody>
            {waits.map(({ at, call, filter, tookMs, outcome }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two waits may be equal, and none moves
              <tr key={`${at} ${index}`}>
                <td>
                  <code>{harmlessLine(`${call} ${filter}`.trim(), 200)}</code>
                </td>
                <td>{saidTook(tookMs)}</td>
                <td className="wait-outcome">
                  {error?.includes(outcome) ? (
                    <span className="faint">Why it failed, above</span>
                  ) : (
                    harmlessText(outcome)
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** The mails of a test's mailbox that are shown. Its list has all. */
const SHOWN_MAILS = 5;

/** Lists the newest mails of a test's mailbox. */
function TestMails({ mailboxId, isFailed }: { readonly mailboxId: string; readonly isFailed: boolean }) {
  const shell = useShell();
  const { value } = useLoaded(
    `mails of the test in ${mailboxId}`,
    (signal) => shell.api.messages(mailboxId, { limit: SHOWN_MAILS, before: null }, signal),
    ({ type, data }) => type.startsWith('message.') && data['mailboxId'] === mailboxId,
  );
  if (value === null) return null;
  if (value.items.length === 0)
    return (
      <p className="faint">
        No mail came. <a href={`#/why/${mailboxId}`}>Why did no mail arrive?</a>
      </p>
    );
  return (
    <>
      <ul className="test-mails" aria-label="Its newest mails">
        {value.items.map(({ id, kind, subject, from, receivedAt }) => (
          <li key={id}>
            <a href={href(messageRoute(id))}>
              <span className="mail-about" title={nameOfMessage({ kind, subject }, 200)}>
                {nameOfMessage({ kind, subject }, 120)}{' '}
                <span className="faint">from {harmlessLine(from ?? 'nobody', 80)}</span>
              </span>
              <time dateTime={receivedAt}>{saidExactTime(Date.parse(receivedAt), shell.now())}</time>
            </a>
          </li>
        ))}
      </ul>
      {isFailed && (
        <p>
          <a href={`#/why/${mailboxId}`}>Why did no mail match?</a>
        </p>
      )}
    </>
  );
}

function saidTook(ms: number): string {
  return ms < 1_000 ? `${Math.max(0, ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

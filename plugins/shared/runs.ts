import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, dirname, extname, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { threadId } from 'node:worker_threads';
import type { Client, TestReport, TestReportedWait } from '../../src/client/index.ts';
import { now, processStart, ULID_DIGITS, ulidTimeDigits } from '../../src/client/internal.ts';
import { beside } from './errands.ts';
import { keepingOf } from './kept.ts';
import { type RunProject, runId } from './leftovers.ts';

// The fixtures tell the server which run and test a mailbox belongs to, and how the test ended (docs/runs.md). A report
// never delays or fails a test.

/** An attempt at a test, as its runner names it. */
export interface TestFacts extends Pick<TestReport, 'titles' | 'attempt' | 'worker'> {
  /** The runner's id of the test, which all its attempts have. */
  readonly test: string;
  /** The whole path of the file. A report has it relative to the project. */
  readonly file: string;
}

/** The end of an attempt, and the waits before it. */
export interface TestEnd {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The message of the error; null if there is none. */
  readonly error: string | null;
  readonly waits: readonly TestReportedWait[];
}

type Handles = Pick<TestReport, 'mailboxIds' | 'webhookIds'>;

const MOST_WAITS = 50;
const MOST_TITLES = 20;
const LONGEST = 500;
const LONGEST_ERROR = 4_000;

/** The reports about one attempt. */
export class TestReports {
  /** The place of the attempt in the web inbox, after the server's URL. */
  readonly path: string;
  readonly #client: Client;
  readonly #project: RunProject;
  readonly #facts: TestFacts;
  readonly #runId: string;
  readonly #id: string;
  readonly #startedAt = new Date(now()).toISOString();
  #last: Promise<void> = Promise.resolve();
  #isTold = false;

  private constructor(client: Client, project: RunProject, facts: TestFacts) {
    this.#client = client;
    this.#project = project;
    this.#facts = facts;
    this.#runId = idOfRun(project);
    this.#id = nextTestId();
    this.path = `/#/runs/${this.#runId}/${this.#id}`;
  }

  /**
   * Returns the reports of an attempt; null in the cloud, and on a server that ends with the worker, because it is gone
   * before anybody could look at it.
   */
  static of(client: Client, facts: TestFacts | undefined): TestReports | null {
    const keeper = keepingOf(client);
    if (keeper === null || keeper.ends === 'with the worker' || facts === undefined) return null;
    return new TestReports(client, keeper.project, facts);
  }

  /** Resolves when the reports until now are answered. */
  get sent(): Promise<void> {
    return this.#last;
  }

  /** Reports that the attempt runs and uses these mailboxes and webhooks. */
  running(handles: Handles): void {
    this.#isTold = true;
    this.#send({ ...handles, outcome: 'running', error: null, endedAt: null, waits: [] });
  }

  /** Reports how the attempt ended. A first attempt that used nothing and passed is not reported. */
  ended(handles: Handles, { outcome, error, waits }: TestEnd): void {
    if (!this.#isTold && outcome !== 'failed' && this.#facts.attempt === 1) return;
    this.#send({
      ...handles,
      outcome,
      error: error === null ? null : cut(stripVTControlCharacters(error), LONGEST_ERROR),
      endedAt: new Date(now()).toISOString(),
      waits:
        outcome === 'failed'
          ? waits.slice(-MOST_WAITS).map(({ at, call, filter, tookMs, outcome: how }) => ({
              at,
              call: cut(call),
              ...(filter && { filter: cut(filter) }),
              tookMs,
              outcome: cut(how, LONGEST_ERROR),
            }))
          : [],
    });
  }

  #send(report: Omit<TestReport, 'runner' | 'project' | keyof TestFacts | 'startedAt'>): void {
    const { path, runner } = this.#project;
    const root = extname(path) === '' ? path : dirname(path);
    const { test, file, titles, attempt, worker } = this.#facts;
    const body = {
      runner,
      project: cut(basename(root)),
      test: cut(test),
      file: cut(relative(root, file).replaceAll('\\', '/') || file),
      titles: titles.slice(-MOST_TITLES).map((title) => cut(title)),
      attempt,
      worker: cut(worker),
      startedAt: this.#startedAt,
      ...report,
    };
    // Reports come in their order, and the worker waits for them before it closes.
    const send = async () => {
      await this.#client.local.reportTest(this.#runId, this.#id, body);
    };
    this.#last = this.#last.then(send).catch(() => {});
    beside(this.#client, this.#last);
  }
}

function cut(text: string, longest = LONGEST): string {
  const plain = text === '' ? '–' : text;
  return plain.length <= longest ? plain : `${plain.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns the id of this run, which all its workers find: that of the process that runs the tests, and its start. */
function idOfRun({ runner, path }: RunProject): string {
  const pid = runId();
  // The first digit of a ULID is at most 7.
  return `0${digitsOf([runner, path, pid, processStart(pid) ?? ''].join('\n'), 25)}`;
}

let made = 0;

/** Returns a ULID of the present time, which no other worker makes. */
function nextTestId(): string {
  const { pid } = process;
  return ulidTimeDigits(now()) + digitsOf([hostname(), pid, processStart(pid) ?? '', threadId, made++].join('\n'), 16);
}

/** Returns digits of a ULID that stand for a text. */
function digitsOf(text: string, length: number): string {
  const hash = createHash('sha256').update(text).digest();
  return [...hash.subarray(0, length)].map((byte) => ULID_DIGITS.charAt(byte % 32)).join('');
}

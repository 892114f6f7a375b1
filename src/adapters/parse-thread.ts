import type { Worker } from 'node:worker_threads';
import { startThread } from '../own-files.ts';
import type { ParseReply, ParseTask, TaskKind, TaskResult } from './parse-message.ts';

/** The limits of one task. */
export interface ParseBounds {
  /**
   * The processor time for the work, in milliseconds. It counts from when the thread has loaded what the task needs, and
   * while nothing is done it counts as well.
   */
  readonly ms: number;
  readonly heapMb: number;
}

export const PARSE_BOUNDS: ParseBounds = { ms: 10_000, heapMb: 512 };
/** The idle time in milliseconds after which a thread ends. A thread holds 20 MB. */
const IDLE_MS = 60_000;

/** The processor time in milliseconds that a thread has to start and to load its modules. */
const START_MS = 60_000;

type Done = Extract<ParseReply, { kind: 'done' }>;

/** The outcome of a task: its result, or the reason for its failure with the facts that were known at that time. */
export type ParseOutcome<Kind extends TaskKind> = { readonly result: TaskResult<Kind> } | ParseFailure;

export interface ParseFailure {
  readonly reason: string;
  readonly known: KnownFacts | null;
}

export type KnownFacts = Extract<ParseReply, { kind: 'known' }>['known'];

const WORK: Readonly<Record<TaskKind, string>> = {
  parse: 'Parsing',
  find: 'The search',
  see: 'The search',
  check: 'The check',
  documents: 'Preparing the text',
  page: 'Rendering',
  password: 'Checking a password',
  thumbnail: 'Making the thumbnail',
};

export function tookTooLong(kind: TaskKind, ms: number): string {
  return `${WORK[kind]} took more than ${ms / 1_000} seconds.`;
}

/** The work and the idle time since a task began, in milliseconds. */
export interface TaskProgress {
  /** The processor time of the process. */
  workedMs(): number;
  /** The time in which the thread of the task had nothing to do. */
  idleMs(): number;
}

/** Returns the progress of a task that begins now. `idleMs` counts the idle time of its thread from any point on. */
export function progressFromNow(idleMs: () => number): TaskProgress {
  const [before, idleBefore] = [process.cpuUsage(), idleMs()];
  return {
    workedMs() {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    },
    idleMs: () => idleMs() - idleBefore,
  };
}

/**
 * Calls `onLate` once a task can have had `ms` of work, or once its thread has waited that long for nothing. On a machine
 * with much else to do, more time passes: a limit of it would fail tasks that never had their turn. The returned function
 * ends the limit.
 */
export function limitWork(ms: number, { workedMs, idleMs }: TaskProgress, onLate: () => void): () => void {
  let isOver = false;
  let timer = setTimeout(look, ms);
  function look(): void {
    const leftMs = ms - Math.max(workedMs(), idleMs());
    if (leftMs > 0) timer = setTimeout(look, Math.max(leftMs, ms / 10));
    // The result may have come while this thread was busy. It is read before this.
    else setImmediate(() => isOver || onLate());
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/**
 * Runs one task after another in its own thread. The thread starts with the first task, and is replaced if a task
 * crashes it or exceeds its time.
 */
export class ParseThread {
  readonly #bounds: ParseBounds;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #known: KnownFacts | null = null;
  #begun: () => void = () => {};
  #settle: (outcome: Done | string) => void = () => {};

  constructor(bounds: ParseBounds) {
    this.#bounds = bounds;
  }

  /** Tells whether the thread runs already. */
  get isUp(): boolean {
    return this.#worker !== null;
  }

  /** Runs a task. It never rejects. The caller must wait for the previous task to settle. */
  async run<Kind extends TaskKind>(task: ParseTask<Kind>, moved: ArrayBuffer[] = []): Promise<ParseOutcome<Kind>> {
    clearTimeout(this.#idle);
    this.#known = null;
    const outcome = await this.#ask(task, moved);
    if (typeof outcome === 'string') {
      const known = this.#known;
      await this.#end();
      return { reason: outcome, known };
    }
    this.#rest();
    return { result: outcome.result }; // each kind of task has its own result
  }

  /** Ends the thread. The running task fails with `reason`. */
  async stop(reason: string): Promise<void> {
    this.#settle(reason);
    await this.#end();
  }

  /** Returns the reply, or the reason for the failure as a string. */
  async #ask(task: ParseTask, moved: ArrayBuffer[]): Promise<Done | string> {
    const { ms } = this.#bounds;
    const late = () => this.#settle(`The parser did not start in ${START_MS / 1_000} seconds.`);
    let endLimit = limitWork(START_MS, this.#progress(), late);
    this.#begun = () => {
      endLimit();
      endLimit = limitWork(ms, this.#progress(), () => this.#settle(tookTooLong(task.kind, ms)));
    };
    try {
      return await new Promise<Done | string>((resolve) => {
        this.#settle = resolve;
        this.#started().postMessage(task, moved);
      });
    } catch (error) {
      return `The parser could not be started: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      this.#begun = () => {};
      endLimit();
    }
  }

  #progress(): TaskProgress {
    return progressFromNow(() => this.#worker?.performance.eventLoopUtilization().idle ?? 0);
  }

  #started(): Worker {
    if (this.#worker !== null) {
      this.#worker.ref();
      return this.#worker;
    }
    const worker = startThread('parse-worker', {
      name: 'mailcap-parse',
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMb },
      env: {},
      execArgv: [],
      // mailauth prints some values of a signature to standard output. Text from a sender must not get into this
      // program's output.
      stdout: true,
    });
    worker.stdout.resume();
    const settle = (outcome: Done | string) => {
      if (this.#worker === worker) this.#settle(outcome);
    };
    worker.on('message', (reply: ParseReply) => {
      if (reply.kind !== 'known' && reply.kind !== 'begun') settle(reply);
      else if (this.#worker !== worker) return;
      else if (reply.kind === 'begun') this.#begun();
      else this.#known = reply.known;
    });
    worker.on('error', (error) => settle(`The parser failed: ${error.message}`));
    worker.on('exit', () => settle('The parser was ended.'));
    this.#worker = worker;
    return worker;
  }

  #rest(): void {
    if (this.#worker === null) return;
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS);
    this.#idle.unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

import { Worker } from 'node:worker_threads';
import { readKnown } from '../mail/known.ts';
import type { Parse } from '../mail/parse.ts';
import type { Log } from '../ports/log.ts';
import { fromMessage, type ParseMessage } from './parse-message.ts';

/** What one mail may take. */
export interface ParseBounds {
  readonly ms: number;
  readonly heapMb: number;
}

export const PARSE_BOUNDS: ParseBounds = { ms: 10_000, heapMb: 512 };
/** A thread that has had nothing to do is ended: it holds 20 MB. */
const IDLE_MS = 60_000;
/** Of mails that wait for their turn, so much is held; others are read again when it comes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const STOPPING = 'The server is stopping.';

// Node 20 runs no TypeScript, so where this file runs from its source (the tests) the thread runs the built one.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/src/adapters/parse-worker.js' : './parse-worker.js',
  import.meta.url,
);

export function tookTooLong(ms: number): string {
  return `Parsing took more than ${ms / 1_000} seconds.`;
}

interface Job {
  raw: Buffer | null;
  readonly read: () => Promise<Buffer>;
  readonly resolve: (parse: Parse) => void;
  readonly reject: (error: unknown) => void;
}

/** Parses large and odd mails one after another in a thread of its own: started when first needed, replaced when one kills it. */
export class ParseThread {
  readonly #log: Log;
  readonly #bounds: ParseBounds;
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #busy = false;
  #settle: (outcome: ParseMessage | string) => void = () => {};
  #closed = false;

  constructor(log: Log, bounds: ParseBounds) {
    this.#log = log;
    this.#bounds = bounds;
  }

  /** Rejects only where `read` does. */
  parse(raw: Buffer, read: () => Promise<Buffer>): Promise<Parse> {
    return new Promise((resolve, reject) => {
      const fits = !this.#busy || this.#waitingBytes + raw.length <= MAX_WAITING_BYTES;
      if (fits) this.#waitingBytes += raw.length;
      this.#waiting.push({ raw: fits ? raw : null, read, resolve, reject });
      void this.#work();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#settle(STOPPING);
    await this.#end();
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      this.#waitingBytes -= job.raw?.length ?? 0;
      try {
        job.resolve(await this.#parse(job.raw ?? (await job.read())));
      } catch (error) {
        job.reject(error);
      }
    }
    this.#busy = false;
    this.#rest();
  }

  async #parse(raw: Buffer): Promise<Parse> {
    if (this.#closed) return { mail: await readKnown(raw, STOPPING), contents: [] };
    const outcome = await this.#ask(raw);
    if (typeof outcome !== 'string') return fromMessage(outcome);
    this.#log.warn('a mail could not be parsed', { reason: outcome, sizeBytes: raw.length });
    await this.#end();
    return { mail: await readKnown(raw, outcome), contents: [] };
  }

  /** The parse, or why there is none. */
  async #ask(raw: Buffer): Promise<ParseMessage | string> {
    clearTimeout(this.#idle);
    const worker = this.#started();
    const { ms } = this.#bounds;
    const timer = setTimeout(() => this.#settle(tookTooLong(ms)), ms);
    try {
      return await new Promise((resolve) => {
        this.#settle = resolve;
        // The store may hold the same bytes: what is moved to the thread is a copy.
        const copy = new Uint8Array(raw).buffer;
        worker.postMessage(copy, [copy]);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #started(): Worker {
    if (this.#worker !== null) {
      this.#worker.ref();
      return this.#worker;
    }
    const worker = new Worker(PROGRAM, {
      name: 'mailcap-parse',
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMb },
      env: {},
      execArgv: [],
    });
    const settle = (outcome: ParseMessage | string) => {
      if (this.#worker === worker) this.#settle(outcome);
    };
    worker.on('message', settle);
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

import type { Worker } from 'node:worker_threads';
import { startThread } from '../../own-files.ts';
import { type LibraryCalls, ThreadEnded } from './message-texts.ts';

export interface TextPlace {
  /** Null keeps them in memory. */
  readonly directory: string | null;
  readonly store: string;
}

/** A call of the thread's library. */
export interface TextCall {
  readonly number: number;
  readonly name: Exclude<keyof LibraryCalls, 'close'>;
  readonly args: readonly unknown[];
}

export type TextReply = { readonly number: number } & ({ readonly result: unknown } | { readonly error: string });

const HEAP = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 24 };

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Runs the library of a store's texts in its own thread, so that the event loop only sends texts and gets ids. */
export class TextThread implements LibraryCalls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #ended: Error | null = null;

  constructor(place: TextPlace) {
    this.#worker = startThread('text-worker', {
      name: 'mailcap-texts',
      workerData: place,
      resourceLimits: HEAP,
      env: {},
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: TextReply) => {
      const waiting = this.#waiting.get(reply.number);
      this.#waiting.delete(reply.number);
      if (this.#waiting.size === 0) this.#worker.unref();
      if ('error' in reply) waiting?.reject(new Error(reply.error));
      else waiting?.resolve(reply.result);
    });
    this.#worker.on('error', (error) => this.#end(`the thread of the texts failed: ${error.message}`));
    this.#worker.on('exit', () => this.#end('the thread of the texts ended'));
  }

  readonly open: LibraryCalls['open'] = () => this.#call('open', []);
  readonly add: LibraryCalls['add'] = (...args) => this.#call('add', args);
  readonly compare: LibraryCalls['compare'] = (...args) => this.#call('compare', args);
  readonly erase: LibraryCalls['erase'] = (...args) => this.#call('erase', args);
  readonly find: LibraryCalls['find'] = (...args) => this.#call('find', args);

  async close(): Promise<void> {
    this.#end('the store is closed');
    await this.#worker.terminate();
  }

  #call<Result>(name: TextCall['name'], args: TextCall['args']): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const number = this.#next++;
      // The cast is safe: the thread calls the library's method of that name.
      this.#waiting.set(number, { resolve: (result) => resolve(result as Result), reject });
      this.#worker.ref();
      this.#worker.postMessage({ number, name, args } satisfies TextCall);
    });
  }

  #end(reason: string): void {
    this.#ended ??= new ThreadEnded(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

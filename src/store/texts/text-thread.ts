import type { Worker } from 'node:worker_threads';
import { startThread } from '../../own-files.ts';
import type { AddedText, Cover, FindReply, FindRequest } from './library.ts';
import { type LibraryCalls, ThreadEnded } from './message-texts.ts';

/** The place of the texts of a store. */
export interface TextPlace {
  /** Null keeps them in memory. */
  readonly directory: string | null;
  readonly store: string;
}

/** A call of the thread's library. */
export type TextCall =
  | { readonly kind: 'open' }
  | { readonly kind: 'add'; readonly after: string; readonly texts: readonly AddedText[] }
  | { readonly kind: 'compare'; readonly cover: Cover; readonly ids: Uint8Array }
  | { readonly kind: 'erase'; readonly gone: readonly string[] }
  | { readonly kind: 'find'; readonly request: FindRequest };

export type TextReply = { readonly number: number } & (
  | { readonly covers: readonly Cover[]; readonly found: FindReply | null }
  | { readonly error: string }
);

const HEAP = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 24 };

interface Waiting {
  readonly resolve: (reply: Extract<TextReply, { covers: unknown }>) => void;
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
      else waiting?.resolve(reply);
    });
    this.#worker.on('error', (error) => this.#end(`the thread of the texts failed: ${error.message}`));
    this.#worker.on('exit', () => this.#end('the thread of the texts ended'));
  }

  async open(): Promise<readonly Cover[]> {
    return (await this.#call({ kind: 'open' })).covers;
  }

  async add(after: string, texts: readonly AddedText[]): Promise<readonly Cover[]> {
    return (await this.#call({ kind: 'add', after, texts })).covers;
  }

  async compare(cover: Cover, ids: Uint8Array): Promise<readonly Cover[]> {
    return (await this.#call({ kind: 'compare', cover, ids })).covers;
  }

  async erase(gone: readonly string[]): Promise<readonly Cover[]> {
    return (await this.#call({ kind: 'erase', gone })).covers;
  }

  async find(request: FindRequest): Promise<FindReply & { readonly covers: readonly Cover[] }> {
    const { found, covers } = await this.#call({ kind: 'find', request });
    if (found === null) throw new Error('the search had no answer');
    return { ...found, covers };
  }

  async close(): Promise<void> {
    this.#end('the store is closed');
    await this.#worker.terminate();
  }

  #call(call: TextCall): Promise<Extract<TextReply, { covers: unknown }>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const number = this.#next++;
      this.#waiting.set(number, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ number, call });
    });
  }

  #end(reason: string): void {
    this.#ended ??= new ThreadEnded(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

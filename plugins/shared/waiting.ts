import type { CallOptions } from '../../src/client/index.ts';
import type { CallSite } from './call-site.ts';

/** Something a test did with a handle. */
export interface Happening {
  readonly at: string;
  readonly call: string;
  readonly filter?: string;
  readonly tookMs: number;
  readonly outcome: string;
}

/** A handle and what was done with it. */
export interface Used<Handle> {
  readonly handle: Handle;
  readonly openedAt: string;
  readonly happenings: Happening[];
}

export interface Waiting {
  /** What is waited at: an address, a URL. */
  readonly of: string;
  readonly call: string;
  readonly filter?: object | undefined;
  /** Milliseconds, where it is given none: those of the attempt's options, if left out. */
  readonly timeout?: number | undefined;
  readonly happenings: Happening[];
  readonly site: CallSite | undefined;
}

/** An attempt at a test, as the handles know it that it gives out. */
export interface Waiter {
  /** A wait that ends before the test's own timeout, shown as a step, and remembered. */
  wait<Options extends CallOptions, T>(
    waiting: Waiting,
    options: Options,
    act: (options: Options) => Promise<T>,
  ): Promise<T>;
  /** Watches for so many milliseconds, or says that the test has no time for it. */
  watch(waiting: Waiting, forMs: number | undefined, act: () => Promise<void>): Promise<void>;
  /** Milliseconds that a wait may take without the test's own timeout ending first. */
  allowedMs(): number;
}

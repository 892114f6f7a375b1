import type { CallOptions, TestReportedWait } from '../../src/client/index.ts';
import type { CallSite } from './call-site.ts';

/** A handle and the calls on it. */
export interface UsedHandle<Handle> {
  readonly handle: Handle;
  readonly openedAt: string;
  readonly happenings: TestReportedWait[];
}

/** A mailbox or a webhook on the server. */
export interface Thing {
  readonly what: 'mailbox' | 'webhook';
  readonly id: string;
}

export interface RecordedWait {
  /** The address or URL that the wait is about. */
  readonly of: string;
  /** The thing that the wait is about; null for an authenticator. */
  readonly thing: Thing | null;
  readonly call: string;
  readonly filter?: object | undefined;
  /** The default timeout of the wait in milliseconds; the timeout in the attempt's options if left out. */
  readonly timeout?: number | undefined;
  readonly happenings: TestReportedWait[];
  readonly site: CallSite | undefined;
}

/** An attempt at a test, as its handles see it. */
export interface Waiter {
  /** Runs a wait that ends before the test's own timeout, shows it as a step, and records it. */
  wait<Options extends CallOptions, T>(
    waiting: RecordedWait,
    options: Options,
    act: (options: Options) => Promise<T>,
  ): Promise<T>;
  /** Watches for `forMs` milliseconds. Throws an OptionError if the test has less time left. */
  watch(waiting: RecordedWait, forMs: number | undefined, act: () => Promise<void>): Promise<void>;
  /** Returns the longest time a wait may take before the test's own timeout, in milliseconds. */
  allowedMs(): number;
}

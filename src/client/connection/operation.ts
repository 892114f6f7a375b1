import type { Checks } from '../options/check-options.ts';
import type { Call } from '../transport/call.ts';

/** The facts of an operation that a call of it needs. */
export interface Operation {
  readonly method: Call['method'];
  /** The path with its parameters in braces. */
  readonly path: string;
  /** The form in which the answer is read. */
  readonly gives: Reading;
  /** The checks of the query parameters. */
  readonly query?: Checks;
  /** The names of the fields of a request body that is an object. */
  readonly body?: readonly string[];
}

/** The forms of an answer: `jsonOrNull` is null if the answer has no body. */
export type Reading = 'json' | 'jsonOrNull' | 'nothing' | 'bytes' | 'text';

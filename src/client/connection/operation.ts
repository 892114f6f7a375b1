import type { OptionChecks } from '../options/check-options.ts';
import type { Call } from '../transport/transport.ts';

/** The facts of an operation that a call of it needs. */
export interface CalledOperation {
  readonly method: Call['method'];
  /** The path with its parameters in braces. */
  readonly path: string;
  /** The form in which the answer is read. */
  readonly gives: AnswerForm;
  /** The checks of the query parameters. */
  readonly query?: OptionChecks;
  /** The names of the fields of a request body that is an object. */
  readonly body?: readonly string[];
}

/** The forms of an answer: `jsonOrNull` is null if the answer has no body. */
export type AnswerForm = 'json' | 'jsonOrNull' | 'nothing' | 'bytes' | 'text';

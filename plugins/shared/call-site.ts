import { fileURLToPath } from 'node:url';
import { framesOf, moveTo, pointed, printed, type Site, siteAbove } from '../../src/client/internal.ts';

/** A position in a test file. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Parses a stack frame; undefined if it holds no position. */
export function callSiteOf(frame: string | undefined): CallSite | undefined {
  const found = /(?:^\s+at |\()((?:file:\/\/)?[^()]+):(\d+):(\d+)\)?$/.exec(frame ?? '');
  const [, place = '', line, column] = found ?? [];
  if (found === null) return undefined;
  const file = place.replace(/^async /, '');
  return { file: file.startsWith('file://') ? fileURLToPath(file) : file, line: Number(line), column: Number(column) };
}

/** Wraps a function so that it gets the line that called it, and its errors point at that line. */
export function sited<Args extends unknown[], Result>(
  run: (site: CallSite | undefined, ...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const outer = (...args: Args): Promise<Result> => {
    const site = siteAbove(outer);
    return pointed(site, () => run(callSiteOf(framesOf(site)[0]), ...args));
  };
  return outer;
}

/**
 * The stack depth to record. The runner adds more frames between a matcher and the test than the default depth holds.
 */
const FRAMES = 60;

/** The part of a matcher's result that a runner reads. */
interface Told {
  message(): string;
}

/**
 * Wraps a matcher so that its errors point at the line of the `expect`, and its message is harmless where the runner
 * prints it. `safe` makes it so.
 */
export function sitedMatcher<This, Args extends unknown[], Result extends Told | Promise<Told>>(
  run: (this: This, ...args: Args) => Result,
  safe: (text: string) => string = printed,
): (this: This, ...args: Args) => Result {
  const told = <One extends Told>(result: One): One => ({ ...result, message: () => safe(result.message()) });
  return function outer(this: This, ...args: Args): Result {
    const site = siteOfTest(outer);
    const fail = (error: unknown): never => {
      if (error instanceof Error) moveTo(site, error);
      throw error;
    };
    try {
      const result = run.apply(this, args);
      // The result keeps its type.
      return (result instanceof Promise ? result.then(told, fail) : told(result)) as Result;
    } catch (error) {
      return fail(error);
    }
  };
}

function siteOfTest(callee: (...args: never[]) => unknown): Site {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const frames = framesOf(siteAbove(callee));
  Error.stackTraceLimit = stackTraceLimit;
  const first = frames.findIndex((frame) => !/[\\/]node_modules[\\/]|\(node:|at node:/.test(frame));
  return { stack: frames.slice(Math.max(0, first)).join('\n') };
}

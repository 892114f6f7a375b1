import { printed } from '../../text/harmless.ts';

/**
 * Wraps a function so that its errors point at the line that called it. The stack frames between that line and the
 * failure belong to the client, and do not help a reader of a test report.
 */
export function located<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  // This function is not async, because JavaScriptCore would leave an async function out of the stack.
  const outer = (...args: Args): Promise<Result> => pointed(siteAbove(outer), () => run(...args));
  return outer;
}

/** Runs a function, and moves the stack of its error to the call site. */
export async function pointed<Result>(site: Site, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) moveTo(site, error);
    throw error;
  }
}

/** Wraps a synchronous function, otherwise like `located`. */
export function locatedSync<Args extends unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  const outer = (...args: Args): Result => {
    try {
      return run(...args);
    } catch (error) {
      if (error instanceof Error) moveTo(siteAbove(outer), error);
      throw error;
    }
  };
  return outer;
}

/** Wraps all functions of an object with `located`. */
export function locatedAll<Calls extends object>(calls: Calls): Calls {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    typeof call === 'function' ? located(call) : call,
  ]);
  // Each entry keeps its name and its type.
  return Object.fromEntries(entries) as Calls;
}

/** The place of a call. */
export interface Site {
  /** The stack is formatted when it is first read. Most calls succeed and never need it. */
  readonly stack?: string;
}

/** Records the place where a running function was called. It has no stack if the runtime does not support that. */
export function siteAbove(callee: (...args: never[]) => unknown): Site {
  const site: Site = {};
  Error.captureStackTrace?.(site, callee);
  return site;
}

/** Returns the stack frames of a site, one line each. */
export function framesOf({ stack = '' }: Site): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

/** Replaces the stack frames of an error by those of a site. The error keeps its own if the site has none. */
export function moveTo(site: Site, error: Error): void {
  const frames = framesOf(site);
  if (frames.length === 0) return;
  const stack = [printed(`${error.name}: ${error.message}`), ...frames].join('\n');
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
}

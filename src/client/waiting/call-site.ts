/**
 * A function whose errors point at the line that called it: what stands between that line and the failure is the client's,
 * and says nothing to who reads a test's report.
 */
export function located<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  // Not async itself: JavaScriptCore would not find it among the frames.
  const outer = (...args: Args): Promise<Result> => pointed(siteAbove(outer), () => run(...args));
  return outer;
}

/** What it rejects with points there. */
export async function pointed<Result>(site: Site, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) moveTo(site, error);
    throw error;
  }
}

/** As `located`, of what answers at once. */
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

/** All functions of an object, located. */
export function locatedAll<Calls extends object>(calls: Calls): Calls {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    typeof call === 'function' ? located(call) : call,
  ]);
  // Each has the name and the type it had.
  return Object.fromEntries(entries) as Calls;
}

/** Where a call was made. */
export interface Site {
  /** Made when it is first read: most calls succeed, and nobody asks. */
  readonly stack?: string;
}

/** Where a function that runs was called; without a stack where the runtime does not tell. */
export function siteAbove(callee: (...args: never[]) => unknown): Site {
  const site: Site = {};
  Error.captureStackTrace?.(site, callee);
  return site;
}

/** The frames of a site, a line each. */
export function framesOf({ stack = '' }: Site): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

/** Gives an error the frames of a site; where there are none it keeps its own. */
export function moveTo(site: Site, error: Error): void {
  const frames = framesOf(site);
  if (frames.length === 0) return;
  const stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
}

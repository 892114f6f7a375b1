/**
 * A function whose errors point at the line that called it: what stands between that line and the failure is the client's,
 * and says nothing to who reads a test's report.
 */
export function located<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const outer = async (...args: Args): Promise<Result> => {
    const site: { stack?: string } = {};
    // V8 alone has it; elsewhere an error keeps the stack it has.
    Error.captureStackTrace?.(site, outer);
    try {
      return await run(...args);
    } catch (error) {
      if (error instanceof Error) moveTo(site, error);
      throw error;
    }
  };
  return outer;
}

/** As `located`, of what answers at once. */
export function locatedSync<Args extends unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  const outer = (...args: Args): Result => {
    try {
      return run(...args);
    } catch (error) {
      if (error instanceof Error) {
        const site: { stack?: string } = {};
        Error.captureStackTrace?.(site, outer);
        moveTo(site, error);
      }
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

/** Gives an error the frames of a site. */
export function moveTo(site: { readonly stack?: string }, error: Error): void {
  const frames = (site.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  if (frames.length === 0) return;
  const stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
}

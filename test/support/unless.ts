declare module 'vitest' {
  interface TaskMeta {
    /** The reason why the test is skipped. */
    skipped?: string;
  }
}

/** `test` or `describe`, or one of them with fixtures. */
interface Skippable {
  skipIf(condition: unknown): (...args: never[]) => unknown;
}

/**
 * Returns `test` or `describe`, which skips its tests if there is a reason to. Vitest's own `skipIf` takes no reason, and
 * the line at the end of a run names one for each skipped test (test/support/skipped-reporter.ts).
 *
 * @param reason a phrase such as "curl is not installed here". Null if the tests can run.
 */
export function unless<Api extends Skippable>(api: Api, reason: string | null): ReturnType<Api['skipIf']>;
export function unless(api: Skippable, reason: string | null): unknown {
  if (reason === null) return api.skipIf(false);
  return withMeta(api.skipIf(true), { skipped: reason });
}

function withMeta<Declare extends (...args: never[]) => unknown>(declare: Declare, meta: object): Declare {
  return new Proxy(declare, {
    apply: (target, self, args: unknown[]) => Reflect.apply(target, self, addMeta(args, meta)),
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if ((key !== 'each' && key !== 'for') || typeof value !== 'function') return value;
      return (...rows: unknown[]) => withMeta(Reflect.apply(value, target, rows), meta);
    },
  });
}

/** Adds the meta to the options of a test: `(name, body)`, `(name, body, timeout)` and `(name, options, body)` have some. */
function addMeta([name, second, third]: readonly unknown[], meta: object): unknown[] {
  if (typeof second !== 'function') return [name, { ...Object(second), meta }, third];
  return [name, typeof third === 'number' ? { meta, timeout: third } : { meta }, second];
}

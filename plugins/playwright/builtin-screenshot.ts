/** The table in which Playwright keeps all matchers, in versions that use Jest's table. */
interface Table {
  readonly matchers?: { toHaveScreenshot?: unknown };
}

const table = (globalThis as Readonly<Record<symbol, Table | undefined>>)[Symbol.for('$$jest-matchers-object')];
const builtin = table?.matchers?.toHaveScreenshot;

/**
 * Restores Playwright's own `toHaveScreenshot`. In versions that use Jest's table, `extend` replaces it for every
 * `expect`. In later versions `extend` replaces it only for the `expect` that it returns.
 */
export function keepBuiltin(): void {
  if (table?.matchers !== undefined && builtin !== undefined) table.matchers.toHaveScreenshot = builtin;
}

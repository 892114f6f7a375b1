/** The table in which Playwright keeps all matchers, if it is a version that uses Jest's. */
interface Table {
  readonly matchers?: { toHaveScreenshot?: unknown };
}

const table = (globalThis as Readonly<Record<symbol, Table | undefined>>)[Symbol.for('$$jest-matchers-object')];
const builtin = table?.matchers?.toHaveScreenshot;

/**
 * Puts Playwright's own `toHaveScreenshot` back. In versions that use Jest's table `extend` replaces it for every
 * `expect`, where later ones replace it only for the `expect` that `extend` returns.
 */
export function keepBuiltin(): void {
  if (table?.matchers !== undefined && builtin !== undefined) table.matchers.toHaveScreenshot = builtin;
}

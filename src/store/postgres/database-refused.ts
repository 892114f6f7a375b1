/** The error for a database that can't be used. Its message tells the reason and the remedy. It holds no secret. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly code = 'DATABASE_REFUSED';
}

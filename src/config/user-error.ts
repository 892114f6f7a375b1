/** What the user can put right: one sentence on standard error and an exit code, no stack. Everything else is our fault. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A wrong option, variable or config key, by its name in the place it was given. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, options);
  }
}

/**
 * An error that the user can correct. It is printed as one sentence on standard error, without a stack. Every other
 * error is a defect of mailcap.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** An error in an option, variable or config key. The message uses the name from the place where it was given. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, options);
  }
}

import { type Config, OPTIONS } from './options.ts';
import { ConfigError, UserError } from './user-error.ts';

// What the system says when a start fails, as a sentence that says what to do.

/** One of the listeners, and the option its port comes from. */
export type Listening = {
  readonly what: 'HTTP' | 'SMTP' | 'SMTPS';
  readonly option: 'port' | 'smtpPort' | 'smtpsPort';
};

/** Why a listener is not up. Unforeseen errors come back as they are. */
export function whyNotListening(error: unknown, { what, option }: Listening, config: Config): unknown {
  const port = config[option];
  const flag = `--${OPTIONS[option].flag}`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return sentence(`${what} port ${port} is in use: choose another with ${flag}, or 0 for any free one.`, error);
    case 'EACCES':
      return sentence(`${what} port ${port} needs rights this user does not have: choose another with ${flag}.`, error);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ConfigError(`--host: ${config.host} is no address of this machine.`, { cause: error });
    default:
      return error;
  }
}

/** Why a directory or a file of the state can't be used. */
export function whyNotOpened(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case 'STORE_LOCKED':
      return sentence(error instanceof Error ? error.message : `${path} is in use.`, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return sentence(`${path} can't be written: give rights to it, or choose another with --data-dir.`, error);
    case 'ENOTDIR':
    case 'EEXIST':
      return sentence(`${path} is no directory: choose another with --data-dir.`, error);
    case 'ENOSPC':
      return sentence(`The disk of ${path} is full.`, error);
    default:
      return error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function sentence(message: string, cause: unknown): UserError {
  return new UserError(message, 1, { cause });
}

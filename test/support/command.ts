import { type Exit, mailcap, type RunOptions, withoutOurs } from './cli.ts';
import { commandHere, isCommandHere } from './command-here.ts';
import type { TestServer } from './mailcap.ts';
import { IS_NIGHT } from './night.ts';

export interface CommandOptions extends Partial<RunOptions> {
  readonly stdin?: string | Uint8Array;
}

export type CommandLine = (args: readonly string[], options?: CommandOptions) => Promise<Exit>;

/** Returns a function that runs commands which find the server through environment variables. */
export function commandLine({ ready }: TestServer, cwd: string): CommandLine {
  const told = { MAILCAP_URL: ready.url, MAILCAP_API_KEY: ready.apiKey, MAILCAP_SMTP_URL: ready.smtpUrl };
  return (args, { env = {}, ...options } = {}) => command(args, { cwd, ...options, env: { ...told, ...env } });
}

/**
 * Runs a command to its end: by day in this process, unless another one runs here; at night in a process of its own.
 */
export function command(
  args: readonly string[],
  { stdin = '', env = {}, ...options }: CommandOptions & Pick<RunOptions, 'cwd'>,
): Promise<Exit> {
  if (!IS_NIGHT && !isCommandHere())
    return commandHere({ args, cwd: options.cwd, env: { ...withoutOurs(), ...env }, stdin });
  const { child, exit } = mailcap(args, { ...options, env });
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  return exit;
}

import { type Exit, mailcap, type RunOptions } from './cli.ts';
import type { TestServer } from './mailcap.ts';

export interface CommandOptions extends Partial<RunOptions> {
  readonly stdin?: string | Uint8Array;
}

export type CommandLine = (args: readonly string[], options?: CommandOptions) => Promise<Exit>;

/** Runs commands that find the server through environment variables. */
export function commandLine({ ready }: TestServer, cwd: string): CommandLine {
  const told = { MAILCAP_URL: ready.url, MAILCAP_API_KEY: ready.apiKey, MAILCAP_SMTP_URL: ready.smtpUrl };
  return (args, { stdin = '', env = {}, ...options } = {}) => {
    const { child, exit } = mailcap(args, { cwd, ...options, env: { ...told, ...env } });
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
    return exit;
  };
}

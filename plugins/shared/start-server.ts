import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MailcapError, type Ready } from '../../src/client/index.ts';
import type { MailcapOptions } from '../../src/index.ts';

export interface StartedServer {
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** The program of a server of a test run. */
export const PROGRAM = fileURLToPath(new URL('./serve.js', import.meta.url));

/** On free ports, without limits, gone with its process. Libraries that find STARTTLS refuse its self-signed certificate: it has none. */
export const DEFAULTS = {
  port: 0,
  smtpPort: 0,
  ephemeral: true,
  limits: 'off',
  starttls: 'off',
  logLevel: 'error',
} as const satisfies MailcapOptions;

/** What {@link PROGRAM} is told: how to serve, and the id of the process to end with beside the one that starts it, if there is one. */
export function orderOf(options: MailcapOptions, runner: number | null): string {
  return JSON.stringify({ options: { ...DEFAULTS, ...options }, runner });
}

/** Starts a server in a process that ends with this one. Throws a MailcapError where it does not come up. */
export async function startServer(options: MailcapOptions = {}): Promise<StartedServer> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  // A worker process of a runner that was killed may go on with its test.
  const run = process.send === undefined ? null : process.ppid;
  const child = fork(PROGRAM, {
    // What this process was started with, as a debugger's port, is not the server's.
    execArgv: [],
    env: { ...env, MAILCAP_SERVE: orderOf(options, run) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<Ready>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new MailcapError('no_server', `The mailcap server did not start: ${reason}`));
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`it ended with ${code}.`));
    // serve.ts wrote it.
    child.once('message', (message: Ready | { event: 'failed'; reason: string }) => {
      if (message.event === 'ready') resolve(message);
      else fail(message.reason);
    });
  });
  child.unref();
  child.channel?.unref();
  return {
    ready,
    stop: async () => {
      child.ref();
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

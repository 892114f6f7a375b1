import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MailcapError, type Ready } from '../../src/client/index.ts';
import type { MailcapOptions } from '../../src/index.ts';

/** A server that was started, with its addresses. `stop` ends it and resolves when its process is gone. */
export interface StartedServer {
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** The path of the program that serves a test run. */
export const PROGRAM = fileURLToPath(new URL('./serve.js', import.meta.url));

/**
 * The arguments of Node for {@link PROGRAM}, which gets no other options of this process, such as a debugger's port.
 * Under Yarn's Plug'n'Play only this hook finds the packages that a server loads.
 */
export const NODE_ARGUMENTS: readonly string[] =
  process.versions['pnp'] === undefined ? [] : ['--require', createRequire(import.meta.url).resolve('pnpapi')];

/**
 * The defaults of such a server: free ports, no limits, no stored data. It offers no STARTTLS, because libraries would
 * refuse its self-signed certificate.
 */
export const DEFAULTS = {
  port: 0,
  smtpPort: 0,
  ephemeral: true,
  limits: 'off',
  starttls: 'off',
  logLevel: 'error',
} as const satisfies MailcapOptions;

/**
 * Returns the JSON order for {@link PROGRAM}: the server's options, and the id of a second process, or null. The server
 * ends when either process ends.
 */
export function orderOf(options: MailcapOptions, runner: number | null): string {
  return JSON.stringify({ options: { ...DEFAULTS, ...options }, runner });
}

/** The order for {@link PROGRAM} to print the variables of the server that runs here, or null. */
export const FIND_ORDER = JSON.stringify({ options: {}, runner: null, find: true });

/** Starts a server in a process that ends with this one. Throws a MailcapError if it does not start. */
export async function startServer(options: MailcapOptions = {}): Promise<StartedServer> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  // A worker may outlive a killed runner, so the server also watches the runner's process.
  const run = process.send === undefined ? null : process.ppid;
  const child = fork(PROGRAM, {
    execArgv: [...NODE_ARGUMENTS],
    env: { ...env, MAILCAP_SERVE: orderOf(options, run) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<Ready>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new MailcapError('no_server', `The mailcap server did not start: ${reason}`));
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`its process ended with exit code ${code}.`));
    // serve.ts sent this message.
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

import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/cli/main.ts';
import { BIN, type Exit } from './cli.ts';

/** A command line, and what its process would have. */
export interface Commanded {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string | Uint8Array;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let isRunning = false;

/** Tells whether a command runs in this process. A process has its streams and its directory once. */
export function isCommandHere(): boolean {
  return isRunning;
}

/**
 * Runs a command in this process, which costs a tenth of one of its own. It has the streams, the directory and the
 * variables that it would have there.
 */
export async function commandHere({ args, cwd, env, stdin }: Commanded): Promise<Exit> {
  const before = process.cwd();
  process.chdir(cwd);
  isRunning = true;
  const streams = { stdin: Readable.from([Buffer.from(stdin)]), stdout: new PassThrough(), stderr: new PassThrough() };
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    streams[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
  const { argv, exit } = process;
  const listeners = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const variables = process.env;
  const kept = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  process.argv = [process.execPath, BIN, ...args];
  process.env = { ...env };
  process.exit = () => {
    throw new Error('a command that ends its process is to run in one of its own');
  };
  try {
    const code = await runProgram(args);
    // A stream reads in a later turn what was written.
    await new Promise(setImmediate);
    return { code, signal: null, ...said };
  } finally {
    for (const [name, descriptor] of kept)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
    process.argv = argv;
    process.env = variables;
    process.exit = exit;
    // A process that ends takes with it what listens to signals.
    for (const [signal, were] of listeners)
      for (const listener of process.listeners(signal))
        if (!were.includes(listener)) process.removeListener(signal, listener);
    process.chdir(before);
    isRunning = false;
  }
}

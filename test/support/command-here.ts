import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/cli/run-program.ts';
import { BIN, type Exit } from './cli.ts';

/** A command line, and what its process would have. */
export interface Commanded {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string | Uint8Array;
}

/** Thrown where a command ends its process. */
class Ended extends Error {
  constructor(readonly code: number) {
    super(`it ended with ${code}`);
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which costs a tenth of one of its own. It has the streams, the directory and the
 * variables that it would have there. Commands run one after another, because a process has these once.
 */
export function commandHere(commanded: Commanded): Promise<Exit> {
  const exit = last.then(() => run(commanded));
  last = exit.catch(() => {});
  return exit;
}

async function run({ args, cwd, env, stdin }: Commanded): Promise<Exit> {
  const streams = { stdin: Readable.from([Buffer.from(stdin)]), stdout: new PassThrough(), stderr: new PassThrough() };
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    streams[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
  const { argv, exit } = process;
  const variables = process.env;
  const before = process.cwd();
  const kept = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  process.argv = [process.execPath, BIN, ...args];
  process.env = { ...env };
  process.exit = (code) => {
    throw new Ended(Number(code ?? 0));
  };
  process.chdir(cwd);
  try {
    const code = await runProgram(args).catch((error: unknown) => {
      if (error instanceof Ended) return error.code;
      throw error;
    });
    // What was written is read in a later turn.
    await new Promise(setImmediate);
    return { code, signal: null, ...said };
  } finally {
    for (const [name, descriptor] of kept)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
    process.argv = argv;
    process.env = variables;
    process.exit = exit;
    process.chdir(before);
  }
}

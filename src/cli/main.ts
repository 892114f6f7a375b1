import { basename } from 'node:path';
import { inspect } from 'node:util';
import { UserError } from '../config/user-error.ts';
import { EXIT, plainDevFlags } from './command.ts';
import { flushed, say, sayText } from './output.ts';

/** Runs the command line of this process, and ends the process. `bin/mailcap.js` calls it. */
export async function main(): Promise<never> {
  const args = process.argv.slice(2);
  // A server finishes its work on SIGINT; every other command just ends.
  if (args[0] !== 'dev' && !isSendmail(args)) process.once('SIGINT', () => process.exit(EXIT.interrupted));
  const code = await runProgram(args);
  // The output may still be in a slow pipe. A server has already waited for its reader.
  if (args[0] !== 'dev') await flushed();
  process.exit(code);
}

/** Runs a command line and returns its exit code. It prints errors on standard error. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (!(error instanceof UserError)) {
      sayText(`${inspect(error)}\n`);
      return EXIT.bug;
    }
    say(error.message);
    if (isDebugging()) sayText(`${inspect(error)}\n`);
    return error.exitCode;
  }
}

/** Tells whether the command line is that of sendmail, by its first word or by the name of a symbolic link. */
function isSendmail(args: readonly string[]): boolean {
  return args[0] === 'sendmail' || isLinkedAsSendmail();
}

async function run(args: readonly string[]): Promise<number> {
  const flags = plainDevFlags(args);
  if (flags !== null) return (await import('./dev.ts')).dev(flags);
  // Callers wait for sendmail, so it is started early.
  if (isSendmail(args)) {
    const { sendmail } = await import('./sendmail/sendmail.ts');
    return sendmail(isLinkedAsSendmail() ? args : args.slice(1));
  }
  return (await import('./program.ts')).runCommand(args);
}

function isLinkedAsSendmail(): boolean {
  return basename(process.argv[1] ?? '') === 'sendmail';
}

/** Tells whether `--log-level debug` or MAILCAP_LOG_LEVEL ask for stacks of errors. */
function isDebugging(): boolean {
  const { argv, env } = process;
  return env['MAILCAP_LOG_LEVEL'] === 'debug' || /--log-level[ =]debug/.test(argv.join(' '));
}

import { basename } from 'node:path';
import { inspect } from 'node:util';
import { UserError } from '../config/user-error.ts';
import { EXIT, plainDevFlags } from './command.ts';
import { say, sayText } from './output.ts';

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
export function isSendmail(args: readonly string[]): boolean {
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

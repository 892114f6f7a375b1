import { basename } from 'node:path';
import { inspect } from 'node:util';
import { UserError } from '../config/user-error.ts';
import { DEV_OPTIONS, EXIT } from './command.ts';
import { flushed, say, sayText } from './output.ts';
import { plainLine } from './parse.ts';

/** Runs the command line of this process, and ends the process. `bin/mailcap.js` calls it. */
export async function main(): Promise<never> {
  const args = process.argv.slice(2);
  const entry = await otherEntry(args);
  const isServer = entry === null ? args[0] === 'dev' : entry.startsServer;
  // A server finishes its work on SIGINT; every other command just ends.
  if (!isServer && !isSendmail(args)) process.once('SIGINT', () => process.exit(EXIT.interrupted));
  const code = await runProgram(args, entry?.run);
  // The output may still be in a slow pipe. A server has already waited for its reader.
  if (!isServer) await flushed();
  process.exit(code);
}

/** An option before the command that asks mailcap for no help or version. */
const EARLY_OPTION = /^-(?!(?:-help|h|-version|v|V)$)/;

/**
 * Returns how to run a command line of another mail catcher; null for one of mailcap. The tables of their flags are loaded
 * only for the name of another program, or where an option stands before the command.
 */
async function otherEntry(
  args: readonly string[],
): Promise<{ startsServer: boolean; run(): Promise<number | null> } | null> {
  // The letters of sendmail's options are those of other programs too.
  if (isLinkedAsSendmail()) return null;
  const program = basename(process.argv[1] ?? '');
  if (!/^(?:mailpit|maildev)(?:\.(?:js|exe))?$/.test(program) && !EARLY_OPTION.test(args[0] ?? '')) return null;
  const { entryOf, runInPlace, startsServer } = await import('./drop-in/entry.ts');
  const entry = entryOf(program, args);
  return entry && { startsServer: startsServer(entry, args), run: () => runInPlace(entry, args) };
}

/** Runs a command line and returns its exit code, after `first` if that returns one. It prints errors on standard error. */
export async function runProgram(
  args: readonly string[],
  first: () => Promise<number | null> = async () => null,
): Promise<number> {
  try {
    return (await first()) ?? (await run(args));
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
  // A server starts without the tables of the other commands.
  const line = args[0] === 'dev' ? plainLine(DEV_OPTIONS, args.slice(1)) : null;
  const isSimple = line !== null && line.operands.length === 0 && !line.flags['help'] && !line.flags['version'];
  if (isSimple) return (await import('./dev.ts')).dev(line.flags);
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

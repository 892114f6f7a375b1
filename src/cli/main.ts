import { basename } from 'node:path';
import { UserError } from '../config/user-error.ts';
import { EXIT } from './command.ts';
import { plainDevFlags } from './dev-flags.ts';
import { flushed } from './output.ts';

async function run(args: readonly string[]): Promise<number> {
  const flags = plainDevFlags(args);
  if (flags !== null) return (await import('./dev.ts')).dev(flags);
  // Callers wait for sendmail, so it is started early. A symbolic link of that name runs it too.
  if (basename(process.argv[1] ?? '') === 'sendmail') return (await import('./sendmail/sendmail.ts')).sendmail(args);
  if (args[0] === 'sendmail') return (await import('./sendmail/sendmail.ts')).sendmail(args.slice(1));
  // A server finishes its work on SIGINT; every other command just ends.
  if (args[0] !== 'dev') process.once('SIGINT', () => process.exit(EXIT.interrupted));
  return (await import('./program.ts')).runCommand(args);
}

/** Tells whether `--log-level debug` or MAILCAP_LOG_LEVEL ask for stacks of errors. */
function isDebugging(): boolean {
  const { argv, env } = process;
  return env['MAILCAP_LOG_LEVEL'] === 'debug' || /--log-level[ =]debug/.test(argv.join(' '));
}

try {
  const args = process.argv.slice(2);
  const code = await run(args);
  // The output may still be in a slow pipe. A server has already waited for its reader.
  if (args[0] !== 'dev') await flushed();
  process.exit(code);
} catch (error) {
  if (error instanceof UserError) {
    // Arguments and file names may hold control characters.
    console.error(`mailcap: ${error.message.replace(/[^\P{Cc}\n]/gu, '?')}`);
    if (isDebugging()) console.error(error);
    process.exit(error.exitCode);
  }
  console.error(error);
  process.exit(EXIT.bug);
}

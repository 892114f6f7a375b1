import { basename } from 'node:path';
import { UserError } from '../config/user-error.ts';
import { EXIT } from './command.ts';
import { plainDevFlags } from './dev-flags.ts';
import { flushed } from './output.ts';

async function run(args: readonly string[]): Promise<number> {
  const flags = plainDevFlags(args);
  if (flags !== null) return (await import('./dev.ts')).dev(flags);
  // Callers of a sendmail wait for it, and by a link of that name it is one.
  if (basename(process.argv[1] ?? '') === 'sendmail') return (await import('./sendmail/sendmail.ts')).sendmail(args);
  if (args[0] === 'sendmail') return (await import('./sendmail/sendmail.ts')).sendmail(args.slice(1));
  // A server finishes what is under way; everything else just ends.
  if (args[0] !== 'dev') process.once('SIGINT', () => process.exit(EXIT.interrupted));
  return (await import('./program.ts')).runCommand(args);
}

/** `--log-level debug` or MAILCAP_LOG_LEVEL ask for the stack. */
function isDebugging(): boolean {
  const { argv, env } = process;
  return env['MAILCAP_LOG_LEVEL'] === 'debug' || /--log-level[ =]debug/.test(argv.join(' '));
}

try {
  const args = process.argv.slice(2);
  const code = await run(args);
  // What was printed may still be on its way down a slow pipe. A server waited for its reader long enough.
  if (args[0] !== 'dev') await flushed();
  process.exit(code);
} catch (error) {
  if (error instanceof UserError) {
    // What was typed, and a file's name, may hold anything.
    console.error(`mailcap: ${error.message.replace(/[^\P{Cc}\n]/gu, '?')}`);
    if (isDebugging()) console.error(error);
    process.exit(error.exitCode);
  }
  console.error(error);
  process.exit(EXIT.bug);
}

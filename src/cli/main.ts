import { UserError } from '../config/user-error.ts';
import { plainDevFlags } from './dev-flags.ts';

/** Something we did not foresee (sysexits EX_SOFTWARE). */
const EXIT_BUG = 70;

async function run(args: readonly string[]): Promise<number> {
  const flags = plainDevFlags(args);
  if (flags !== null) return (await import('./dev.ts')).dev(flags);
  return (await import('./commands.ts')).runCommand(args);
}

try {
  process.exit(await run(process.argv.slice(2)));
} catch (error) {
  if (error instanceof UserError) {
    console.error(`mailcap: ${error.message}`);
    process.exit(error.exitCode);
  }
  console.error(error);
  process.exit(EXIT_BUG);
}

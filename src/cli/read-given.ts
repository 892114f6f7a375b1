import { readFile } from 'node:fs/promises';
import { UserError } from '../config/user-error.ts';
import { EXIT } from './command.ts';

/** Reads a file that the command line names. `said` names it in the {@link UserError} that is thrown if it can't be read. */
export function readGiven(path: string, said = path): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${said} can't be read (${error.code}).`, EXIT.misuse, { cause: error });
  });
}

import { otherWriter } from '../../ownership.ts';
import { errorCode } from '../../text/unknown.ts';

// This module is loaded only where there is a file system. It gets the modules of Node from the process, as
// find-server.ts does.

/** The name of a file that this module wrote. */
const OURS = /^\d{13,}-[0-9a-f]{32}$/;

/**
 * Creates the empty file `<end>-<fingerprint>` of a time step. Returns false if another process created it first.
 * Deletes the files of steps that ended before `forgottenBefore`. Returns true if no file can be written, or if another
 * user may write there: then the memory of this process is the only record.
 */
export async function takeFile(name: string, forgottenBefore: number): Promise<boolean> {
  const { lstat, mkdir, readdir, rm, writeFile } = process.getBuiltinModule('node:fs/promises');
  const { tmpdir } = process.getBuiltinModule('node:os');
  const { join } = process.getBuiltinModule('node:path');
  // Several users may share the temporary directory, and one can't write to the files of another.
  const directory = join(tmpdir(), `mailcap-steps-${process.getuid?.() ?? 'user'}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Another user may have made it first, to say that all codes were used, or as a link to a directory of this user.
    const about = await lstat(directory);
    if (!about.isDirectory() || otherWriter(about) !== null) return true;
    const old = (await readdir(directory)).filter(
      (other) => OURS.test(other) && Number.parseInt(other, 10) < forgottenBefore,
    );
    await Promise.all(old.map((other) => rm(join(directory, other), { force: true })));
    await writeFile(join(directory, name), '', { flag: 'wx' });
    return true;
  } catch (error) {
    return errorCode(error) !== 'EEXIST';
  }
}

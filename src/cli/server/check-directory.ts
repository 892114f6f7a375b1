import { Stats } from 'node:fs';
import { lstat, mkdtemp, readFile, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { whyNotOpened } from '../../config/start-error.ts';
import { UserError } from '../../config/user-error.ts';
import type { Ready } from '../../runtime.ts';
import { writeSize } from '../write.ts';
import { type DoctorFinding, failed, ok, warning } from './finding.ts';

/** The free space below which a server may soon answer 452, in bytes. */
const LOW_BYTES = 100 * 1024 ** 2;

/**
 * Checks whether a server could keep its state in a directory, by writing to it. Permissions alone do not reveal /proc
 * or a read-only disk.
 */
export async function checkDirectory(
  name: string,
  path: string,
  option: 'dataDir' | 'store',
  ephemeral: boolean,
): Promise<DoctorFinding> {
  const choose = `Choose another with ${option === 'store' ? '--store' : '--data-dir'}.`;
  const about = await stat(path).catch(() => null);
  if (about === null) {
    const error = await whyNotMade(path);
    return error === null
      ? ok(name, `${path}, which the first start creates`)
      : failed(name, saidOf(error, path), choose);
  }
  if (!about.isDirectory()) return failed(name, `${path} is not a directory.`, choose);
  const uid = process.getuid?.();
  const error = await whyNotWritten(path);
  if (error !== null) {
    const whose = uid !== undefined && about.uid !== uid ? ` It belongs to user ${about.uid}.` : '';
    return failed(
      name,
      `${saidOf(error, path)}${whose}`,
      `chown it to this user${uid === undefined ? '' : ` (${uid})`}, or choose another with --data-dir.`,
    );
  }
  if (uid !== undefined && about.uid !== uid && !ephemeral)
    return warning(
      name,
      `${path} belongs to user ${about.uid}, not to this one (${uid}).`,
      `Was a server started as another user, with sudo perhaps? chown -R ${uid} ${path}`,
    );
  return ok(name, path);
}

export async function checkDisk(path: string): Promise<DoctorFinding> {
  const { bavail, bsize } = await statfs(await existing(path));
  const free = bavail * bsize;
  const message = `${writeSize(free)} free`;
  if (free >= LOW_BYTES) return ok('Disk', message);
  return warning(
    'Disk',
    `${message}: SMTP answers 452 once the disk is full.`,
    'Make room, or choose another place with --data-dir.',
  );
}

/** Checks for a `server.json` that a killed server left behind. It is harmless, but misleads a person. */
export async function checkServerFile(path: string, running: Ready | null): Promise<DoctorFinding> {
  if (running !== null) return ok('Server', `${running.url}, process ${running.pid}`);
  const isThere = await readFile(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return ok('Server', 'none runs here; `mailcap dev` starts one');
  return warning(
    'Server',
    `${path} belongs to a server that no longer runs.`,
    'Nothing to do: commands ignore the file, and the next start replaces it.',
  );
}

/** Returns the nearest directory above that exists. */
async function existing(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const isThere = await stat(at).then(
      (about) => about.isDirectory(),
      () => false,
    );
    if (isThere || at === dirname(at)) return at;
  }
}

/** Returns the error message of `dev` without its advice. */
function saidOf(error: unknown, path: string): string {
  const said = whyNotOpened(error, path, 'dataDir');
  const message = said instanceof UserError ? said.message : String(error);
  return `${message.replace(/: (give rights|choose|make room).*$/s, '')}.`;
}

/** Returns the error that stops the creation of a directory; null if it could be created. */
async function whyNotMade(path: string): Promise<unknown> {
  const link = await lstat(path).catch((error: unknown) => error);
  if (!(link instanceof Stats) && !isMissing(link)) return link;
  if (link instanceof Stats) return Object.assign(new Error(`${path} is a link to nothing`), { code: 'EEXIST' });
  const parent = await stat(dirname(path)).catch((error: unknown) => error);
  if (parent instanceof Stats) {
    if (!parent.isDirectory())
      return Object.assign(new Error(`${dirname(path)} is not a directory`), { code: 'ENOTDIR' });
    return whyNotWritten(dirname(path));
  }
  return isMissing(parent) && dirname(path) !== path ? whyNotMade(dirname(path)) : parent;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Returns the error that stops writing to a directory; null if it is writable. */
async function whyNotWritten(directory: string): Promise<unknown> {
  try {
    await rmdir(await mkdtemp(join(directory, '.mailcap-doctor-')));
    return null;
  } catch (error) {
    return error;
  }
}

import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Ready } from '../../runtime.ts';
import { writeSize } from '../write.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** With less than this a server soon answers 452. */
const LOW_BYTES = 100 * 1024 ** 2;

export async function checkDirectory(path: string, ephemeral: boolean): Promise<Finding> {
  const name = 'Data directory';
  const about = await stat(path).catch(() => null);
  if (about === null) {
    const parent = await existing(dirname(path));
    if (await isWritable(parent)) return ok(name, `${path}, made at the first start`);
    return failed(name, `${path} can't be made: ${parent} is not writable.`, 'Choose another with --data-dir.');
  }
  if (!about.isDirectory()) return failed(name, `${path} is no directory.`, 'Choose another with --data-dir.');
  const uid = process.getuid?.();
  if (!(await isWritable(path))) {
    const whose = uid !== undefined && about.uid !== uid ? ` and belongs to user ${about.uid}` : '';
    return failed(
      name,
      `${path} is not writable${whose}.`,
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

export async function checkDisk(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await existing(path));
  const free = bavail * bsize;
  const message = `${writeSize(free)} free`;
  if (free >= LOW_BYTES) return ok('Disk', message);
  return warning(
    'Disk',
    `${message}: mail is answered 452 where it is full.`,
    'Make room, or choose another place with --data-dir.',
  );
}

/** What a server that was killed leaves behind harms nobody, but tells a person the wrong thing. */
export async function checkServerFile(path: string, running: Ready | null): Promise<Finding> {
  if (running !== null) return ok('Server', `${running.url}, process ${running.pid}`);
  const isThere = await readFile(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return ok('Server', 'none runs here; `mailcap dev` starts one');
  return warning(
    'Server',
    `${path} is of a server that does not run any more.`,
    'It is ignored, and replaced at the next start.',
  );
}

/** The nearest directory above that is there. */
async function existing(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const isThere = await stat(at).then(
      (about) => about.isDirectory(),
      () => false,
    );
    if (isThere || at === dirname(at)) return at;
  }
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

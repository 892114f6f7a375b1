// This module tells who may write to a file. The client and the server share it. It gets the modules of Node from the
// process, so that a bundler for browsers finds no import that it can't resolve.

/** The facts about a file or directory that decide who may write to it, as `lstat` returns them. */
export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Returns who may write to a file or directory beside this user and root, as in "user 1000 owns it"; null if nobody may.
 * Windows has no such facts there, so the answer is always null.
 */
export function otherWriter({ uid, gid, mode }: Ownership): string | null {
  const me = process.getuid?.();
  if (me === undefined) return null;
  // Root can write to everything in any case.
  if (uid !== me && uid !== 0) return `user ${uid} owns it`;
  if ((mode & 0o002) !== 0) return 'every user may write to it';
  if ((mode & 0o020) !== 0 && !isOwnGroup(gid, me)) return `group ${gid} may write to it`;
  return null;
}

/**
 * Tells whether a group holds this user alone. Many systems give each user a group with the id of the user and a umask of
 * 002, so that all files are writable by the group.
 */
function isOwnGroup(gid: number, me: number): boolean {
  if (gid !== me || gid === 0) return false;
  const users = entriesOf('/etc/passwd');
  const names = ['', ...users.filter(([, , uid]) => Number(uid) === me).map(([name]) => name)];
  const isShared = users.some(([, , uid, group]) => Number(group) === gid && Number(uid) !== me);
  const groups = entriesOf('/etc/group').filter(([, , id]) => Number(id) === gid);
  return !isShared && groups.every(([, , , members = '']) => members.split(',').every((name) => names.includes(name)));
}

/** Returns the fields of each line of a file such as /etc/passwd; none if there is no such file. */
function entriesOf(path: string): string[][] {
  try {
    const text = process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
    return text.split('\n').map((line) => line.trim().split(':'));
  } catch {
    return [];
  }
}

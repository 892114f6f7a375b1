import { otherWriter } from '../../ownership.ts';
import { isRunning, isSameProcess } from '../../process-start.ts';
import type { Ready, ServerFile } from '../../runtime.ts';
import { errorCode, jsonOrNull } from '../../text/unknown.ts';
import { isLoopbackUrl, isUrl } from '../../text/url.ts';
import { NoServerError } from '../errors.ts';
import { shown } from '../options/check-options.ts';

// The one door to `server.json`: nothing else reads the file. Whoever writes it tells commands where to send mail and
// keys, so it is believed only if this user's own server wrote it (docs/security.md#files-of-other-people).
//
// This module is loaded only where there is a file system. It gets the modules of Node from the process, so that a
// bundler for browsers finds no import that it can't resolve.

const TEXTS = [
  'url',
  'apiUrl',
  'smtpUrl',
  'smtpHost',
  'webhookBaseUrl',
  'feedUrl',
  'mailDomain',
  'apiKey',
  'workspaceId',
  'mailboxId',
  'version',
] as const satisfies readonly (keyof Ready)[];

/** A server writes less than 2 kB. */
const MOST_BYTES = 65_536;

/**
 * Reads the `server.json` of a data directory that the user named. Returns null if no server runs there; ignores a file
 * that a process left which has ended. Throws a NoServerError `server_refused` for a file that is not believed.
 *
 * Such a directory may be shared, as the volume of a container is. So only the owner of the file is checked there.
 */
export async function findReadyServer(dataDir: string): Promise<ServerFile | null> {
  return believed(dataDir, false);
}

/**
 * Looks for a `.mailcap` directory here and in the directories above, up to the root of the project. Returns the nearest
 * server that runs, or null. Throws a NoServerError `server_refused` if the nearest file is not believed: the user may
 * have meant that server, so no other one takes its place.
 */
export async function findServerAbove(directory: string): Promise<ServerFile | null> {
  const { join } = process.getBuiltinModule('node:path');
  // Most commands run where the server does, so the project's root is looked for only above.
  const here = await findServerIn(join(directory, '.mailcap'));
  if (here !== null) return here;
  for (const place of placesToSearch(directory).slice(1)) {
    const announced = await findServerIn(join(place, '.mailcap'));
    if (announced !== null) return announced;
  }
  return null;
}

/** Reads the `server.json` of a data directory that the user did not name. The directory must be private. */
export async function findServerIn(dataDir: string): Promise<ServerFile | null> {
  return believed(dataDir, true);
}

async function believed(dataDir: string, isFound: boolean): Promise<ServerFile | null> {
  const file = process.getBuiltinModule('node:path').join(dataDir, 'server.json');
  const text = textOf(file, isFound);
  if (text === null) return null;
  const content = jsonOrNull(text);
  if (!isAnnouncement(content)) {
    const pid = typeof content === 'object' && content !== null && 'pid' in content ? content.pid : null;
    // A server of another version may run.
    if (typeof pid === 'number' && isRunning(pid)) throw refused(file, 'this version writes another content', RESTART);
    return null;
  }
  const { processStart, ...announced } = content;
  if (!isSameProcess(announced.pid, processStart)) return null;
  const { url, apiUrl, feedUrl, smtpUrl, smtpHost, smtpsUrl, pop3Url, pop3sUrl, imapUrl, imapsUrl } = announced;
  const smtpHostUrl = `smtp://${smtpHost.includes(':') ? `[${smtpHost}]` : smtpHost}`;
  // A server of an earlier version tells nothing of POP3 and IMAP.
  for (const at of [url, apiUrl, feedUrl, smtpUrl, smtpHostUrl, smtpsUrl, pop3Url, pop3sUrl, imapUrl, imapsUrl])
    if (at != null && !isOfThisMachine(at)) throw refused(file, `${shown(at)} is no address of this machine`, REMOVE);
  return announced;
}

/** Reads the file after it has checked who may write it. Returns null if there is none. */
function textOf(file: string, isFound: boolean): string | null {
  const { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  try {
    // A link may lead to a file of this user that another program wrote. Opening a pipe would wait for its writer.
    if (!lstatSync(file).isFile()) throw refused(file, 'it is no file', REMOVE);
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    const handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const about = fstatSync(handle);
      const { uid, gid } = about;
      const why = otherWriter(isFound ? about : { uid, gid, mode: 0o600 });
      if (why !== null) throw refused(file, why, OWN);
      if (isFound) checkDirectory(file, dirname(file));
      if (!about.isFile() || about.size > MOST_BYTES) throw refused(file, 'it is no file of a server', REMOVE);
      return readFileSync(handle, 'utf8');
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (error instanceof NoServerError) throw error;
    throw refused(file, `it can't be read (${code ?? error})`, OWN);
  }
}

function checkDirectory(file: string, directory: string): void {
  const { statSync } = process.getBuiltinModule('node:fs');
  const why = otherWriter(statSync(directory));
  if (why !== null) throw refused(file, `of its directory: ${why}`, OWN);
}

const NAME = 'set MAILCAP_URL and MAILCAP_API_KEY to use a server all the same';
const OWN = `Run this as the user who started the server, or ${NAME}. Remove the file if no server of yours wrote it.`;
const RESTART = `Restart the server, or ${NAME}. Remove the file if none runs.`;
const REMOVE = `Remove the file, or ${NAME}.`;

function refused(file: string, why: string, hint: string): NoServerError {
  return new NoServerError('server_refused', `${file} is not believed, because ${why}.`, { hint });
}

/** Tells whether a URL leads to this machine: to loopback or to an address of one of its networks. */
function isOfThisMachine(url: string): boolean {
  if (!isUrl(url)) return false;
  if (isLoopbackUrl(url.replace(/^[a-z]+:/, 'http:'))) return true;
  const { networkInterfaces } = process.getBuiltinModule('node:os');
  const host = new URL(url.replace(/^[a-z]+:/, 'http:')).hostname.replace(/^\[|\]$/g, '');
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

type Announcement = ServerFile & { readonly processStart: string | null };

function isAnnouncement(value: unknown): value is Announcement {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const isTextOrNull = (name: string) => fields.get(name) === null || typeof fields.get(name) === 'string';
  return (
    ['smtpPort', 'pid'].every((name) => Number.isInteger(fields.get(name))) &&
    TEXTS.every((name) => typeof fields.get(name) === 'string') &&
    ['smtpsUrl', 'smtpCa', 'adminToken', 'processStart'].every(isTextOrNull) &&
    ['pop3Url', 'pop3sUrl', 'imapUrl', 'imapsUrl'].every((name) => !fields.has(name) || isTextOrNull(name))
  );
}

/** Only the root of a repository holds one of these. */
const REPOSITORY = ['.git', '.hg', '.jj', '.svn'];

/** The root of a project, and that of each of its packages, holds one of these. */
const MANIFESTS = [
  'package.json',
  'deno.json',
  'pyproject.toml',
  'composer.json',
  'Gemfile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
];

/**
 * Returns the directories in which a server is looked for: the given one and those above it, up to the root of the
 * project or the home directory, whichever comes first (docs/cli.md#how-a-command-finds-the-server). What lies above
 * belongs to other projects or other people.
 *
 * The root of the project is the root of the repository. A directory outside of a repository and outside of the home
 * directory belongs to the project of the topmost manifest, as in an image that holds a copy of the project.
 */
function placesToSearch(directory: string): string[] {
  const above = directoriesAbove(directory);
  for (const [at, place] of above.entries()) if (isRepository(place)) return above.slice(0, at + 1);
  if (above.some(isHome)) return above;
  const topmost = above.map((place) => holdsOne(place, MANIFESTS)).lastIndexOf(true);
  return above.slice(0, Math.max(0, topmost) + 1);
}

/** Returns a directory and those above it. The home directory is the last of them, if it is one. */
function directoriesAbove(directory: string): string[] {
  const { dirname } = process.getBuiltinModule('node:path');
  const above = [directory];
  for (let at = directory; !isHome(at) && dirname(at) !== at; ) {
    at = dirname(at);
    above.push(at);
  }
  return above;
}

/** Tells whether a directory is this user's home. The users of services have none, or `/`. */
function isHome(place: string): boolean {
  const { dirname, relative } = process.getBuiltinModule('node:path');
  const home = process.getBuiltinModule('node:os').homedir();
  // On Windows, upper and lower case mean the same directory, and `relative` knows it.
  return home !== '' && dirname(home) !== home && relative(place, home) === '';
}

function isRepository(place: string): boolean {
  return holdsOne(place, REPOSITORY) && !isSubmodule(place);
}

/** The size of the longest `.git` file that is read: a path. */
const MOST_LINK_BYTES = 8_192;

/** Tells whether a directory is a submodule, which is a part of the repository above it. A worktree is not. */
function isSubmodule(place: string): boolean {
  const { lstatSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const path = join(place, '.git');
  try {
    const about = lstatSync(path);
    // In a repository of its own this is a directory.
    const link = about.isFile() && about.size <= MOST_LINK_BYTES ? readFileSync(path, 'utf8') : '';
    return /^gitdir: (?:.*[\\/])?\.git[\\/](?:worktrees[\\/][^\\/]+[\\/])?modules[\\/]/.test(link);
  } catch {
    return false;
  }
}

function holdsOne(place: string, names: readonly string[]): boolean {
  const { lstatSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  return names.some((name) => {
    try {
      return lstatSync(join(place, name), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  });
}

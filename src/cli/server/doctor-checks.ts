import { once } from 'node:events';
import { Stats } from 'node:fs';
import { lstat, mkdtemp, readFile, rmdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/options.ts';
import { readS3Place } from '../../config/s3-place.ts';
import { whyNotOpened } from '../../config/start-error.ts';
import { UserError } from '../../config/user-error.ts';
import { verifyDatabaseAt, verifyDirectory } from '../../index.ts';
import type { Ready } from '../../runtime.ts';
import { errorCode } from '../../text/unknown.ts';
import { now } from '../clock.ts';
import { writeSize } from '../output.ts';
import { type DoctorFinding, failed, ok, warning } from './doctor-finding.ts';
import { holderOf } from './port-holder.ts';

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok('Node.js', version);
  return failed('Node.js', `${version} is too old.`, 'mailcap needs Node.js 20.19 or later.');
}

/** Checks the proxy variables. A client that reaches localhost through a proxy reaches another machine. */
export function checkProxies(env: Readonly<Record<string, string | undefined>>): DoctorFinding {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('Proxy', 'no proxy variables are set');
  const exceptions = `${env['NO_PROXY'] ?? ''},${env['no_proxy'] ?? ''}`
    .split(',')
    .map((one) => one.trim().toLowerCase());
  const covers = (host: string) => exceptions.some((one) => one === '*' || one === host || one === `.${host}`);
  const uncovered = ['localhost', '127.0.0.1'].filter((host) => !covers(host));
  if (uncovered.length === 0) return ok('Proxy', `${set.join(', ')} set, NO_PROXY covers localhost`);
  return warning(
    'Proxy',
    `${set.join(', ')} sends requests to ${uncovered.join(' and ')} to a proxy: clients that follow it do not reach the server.`,
    'Set NO_PROXY=localhost,127.0.0.1',
  );
}

const PATIENCE_MS = 2_000;
/** A time before the release of this program. An earlier clock is wrong. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** The length of a TOTP time step in seconds. */
const FAR_OFF_SECONDS = 30;

/** Checks the clock. A wrong clock makes TOTP codes wrong and lets mail expire at the wrong time. */
export async function checkClock(url: string | null, adminToken: string | null): Promise<DoctorFinding> {
  const own = now();
  if (own < EARLIEST)
    return warning(
      'Clock',
      `this machine's clock says ${new Date(own).toISOString()}, which is in the past.`,
      'Set the clock of this machine: codes of authenticators depend on it.',
    );
  const set = url === null ? null : await clockOf(url, adminToken);
  if (set === null) return ok('Clock', new Date(own).toISOString());
  if (set.offsetSeconds !== 0)
    return warning(
      'Clock',
      `the server's is set ${describe(set.offsetSeconds)}: retention, codes and counters follow it.`,
      'PUT null to /_mailcap/clock sets it back to real time.',
    );
  const apart = Math.abs(Date.parse(set.now) - now()) / 1_000;
  if (apart > FAR_OFF_SECONDS)
    return warning(
      'Clock',
      `the server's is ${Math.round(apart)} s from this machine's.`,
      'Codes of authenticators depend on the clock: correct the wrong one.',
    );
  return ok('Clock', `${set.now}, the server's agrees`);
}

function describe(seconds: number): string {
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'back'}`;
}

async function clockOf(url: string, adminToken: string | null): Promise<{ now: string; offsetSeconds: number } | null> {
  const headers = adminToken === null ? {} : { authorization: `Bearer ${adminToken}` };
  try {
    const response = await fetch(`${url}/_mailcap/clock`, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const value: unknown = await response.json();
    if (typeof value !== 'object' || value === null || !('now' in value) || !('offsetSeconds' in value)) return null;
    const { now: at, offsetSeconds } = value;
    return typeof at === 'string' && typeof offsetSeconds === 'number' ? { now: at, offsetSeconds } : null;
  } catch {
    return null;
  }
}

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
  return `${message.replace(/: (change its permissions|choose|make room).*$/s, '')}.`;
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
  return errorCode(error) === 'ENOENT';
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

const PORT_PATIENCE_MS = 1_000;

/**
 * Checks whether a server could listen on a port. If not, it names the process or program there, if it can be found.
 * `own` is the address of the server that runs here.
 */
export async function checkPort(
  what: 'HTTP' | 'SMTP',
  flag: string,
  host: string,
  port: number,
  own: string | null,
): Promise<DoctorFinding> {
  const name = `${what} port`;
  if (port === 0) return ok(name, 'any free port');
  if (own !== null && portOf(own) === port) return ok(name, `${port}, the server that runs here`);
  const code = await whyNotFree(host, port);
  if (code === null) return ok(name, `${port} is free`);
  if (code === 'EACCES')
    return failed(name, `${port} needs rights that this user does not have.`, `Choose another with ${flag}.`);
  if (code !== 'EADDRINUSE')
    return failed(name, `${host} is not an address of this machine (${code}).`, 'Choose another with --host.');
  const { description, stop } = await holderOf(what, host, port, PORT_PATIENCE_MS);
  return failed(
    name,
    `${port} is in use${description === '' ? '' : ` by ${description}`}.`,
    `${stop === null ? 'Stop it' : `\`${stop}\` ends it`}, or choose another port with ${flag}; 0 takes any free port.`,
  );
}

/** Returns the port of a URL; 0 if it has none. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function whyNotFree(host: string, port: number): Promise<string | null> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
    await once(probe.close(), 'close');
    return null;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}

const NAME = 'Stored data';

/**
 * Verifies every byte of a store: each checksum, each reference, each count. A server that uses the store is not
 * disturbed.
 */
export async function checkStore(directory: string): Promise<DoctorFinding[]> {
  let verified: Awaited<ReturnType<typeof verifyDirectory>>;
  try {
    verified = await verifyDirectory(directory);
  } catch (error) {
    if (errorCode(error) === 'STORE_LOCKED')
      return [ok(NAME, 'a server uses it: stop that server to check every byte')];
    if (error instanceof Error && errorCode(error) === 'PLANTED')
      return [failed(NAME, error.message, 'Ask who put it there before you start a server on the directory.')];
    return [failed(NAME, `${directory} can't be read: ${String(error)}`, 'Check the disk for errors.')];
  }
  if (verified === null || (verified.format === null && verified.findings.length === 0)) return [ok(NAME, 'none yet')];
  const errors = verified.findings.filter(({ level }) => level === 'error');
  const { messages, mailboxes, capturedRequests, segments, records } = verified;
  const counts = `${messages} messages, ${mailboxes} mailboxes, ${capturedRequests} captured requests`;
  if (errors.length === 0) return [ok(NAME, `${counts}: ${records} records in ${segments} segments are whole`)];
  return errors.map(({ path, offset, message }) =>
    failed(
      NAME,
      `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`,
      'Everything else is still served. Restore the file from a backup, if there is one.',
    ),
  );
}

/** Verifies a store in a database: each row, reference and count. Servers can use it meanwhile. */
export async function checkDatabase(
  url: string,
  { storeBlobs, aws }: Pick<Config, 'aws' | 'storeBlobs'>,
): Promise<DoctorFinding[]> {
  let verified: Awaited<ReturnType<typeof verifyDatabaseAt>>;
  try {
    verified = await verifyDatabaseAt(url, (named) => readS3Place(storeBlobs ?? named, aws));
  } catch (error) {
    if (error instanceof UserError && /holds no store/.test(error.message)) return [ok(NAME, 'none yet')];
    if (error instanceof UserError) return [failed(NAME, error.message, 'Nothing was checked.')];
    const said = error instanceof Error ? error.message : String(error);
    return [failed(NAME, `the database can't read it: ${said}`, 'PostgreSQL has lost bytes: restore its backup.')];
  }
  const { faults, messages, mailboxes, capturedRequests, bodies, servers, hasChecksums } = verified;
  const now = servers === 0 ? 'no server uses it' : `${servers} ${servers === 1 ? 'server uses' : 'servers use'} it`;
  const counts = `${messages} messages, ${mailboxes} mailboxes, ${capturedRequests} captured requests`;
  const checksums = hasChecksums ? 'its pages have checksums' : 'its pages have no checksums (initdb -k makes them)';
  const whole = `${counts}: all rows, references, counts and ${bodies} bodies are whole; ${checksums}; ${now}`;
  if (faults.length === 0) return [ok(NAME, whole)];
  const hint = 'Everything else is still served. Restore the database from a backup, if there is one.';
  return faults.map((fault) => failed(NAME, fault, hint));
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInRun, onceInRun } from './once-in-run.ts';

/** A cluster of PostgreSQL that a test starts for itself, on a free port of the loopback. */
export interface Cluster {
  readonly port: number;
  /** Returns the URL of a database, created if it does not exist. */
  url(database?: string): string;
  /** Stops as after a power cut and starts again. */
  restart(): Promise<void>;
  /** Stops it. `immediate` is like a power cut. */
  stop(mode?: 'fast' | 'immediate'): void;
  start(): Promise<void>;
  /** Starts it if it has ended by itself, as after a write-ahead log that could not be written. */
  startAgain(): Promise<void>;
  /** Runs a statement and returns what psql prints. */
  psql(text: string, database?: string): string;
  /** Stops it and removes its files. */
  remove(): void;
}

/** The directory of PostgreSQL's programs. Null if there is none on this machine. */
export const POSTGRES_BIN: string | null = findBin();
/** The reason to skip a test that needs PostgreSQL. Null if it is installed. */
export const NO_POSTGRES: string | null = POSTGRES_BIN === null ? 'PostgreSQL is not installed here' : null;

function findBin(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const found = [...versions.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/usr/bin'].find((bin) =>
    existsSync(join(bin, 'initdb')),
  );
  if (found === undefined && process.env['NEED_ALL_PROGRAMS'] !== undefined)
    throw new Error('NEED_ALL_PROGRAMS is set and initdb is missing');
  return found ?? null;
}

/** Starts a cluster below `parent`. PostgreSQL refuses to run as root, so root starts it as the user `nobody`. */
export async function startCluster(
  settings: Readonly<Record<string, string>> = {},
  parent = tmpdir(),
): Promise<Cluster> {
  const bin = POSTGRES_BIN ?? '';
  const directory = mkdtempSync(join(parent, 'mailcap-pg-'));
  const data = join(directory, 'data');
  const identity = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (identity.uid !== undefined) {
    chownSync(directory, identity.uid, identity.gid);
    chmodSync(directory, 0o700);
  }
  const run = (program: string, args: readonly string[]) =>
    execFileSync(join(bin, program), args, { ...identity, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const initialize = (path: string) =>
    run('initdb', ['-D', path, '-U', 'mailcap', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
  if (isInRun()) {
    // To copy an empty cluster takes a tenth of the time of making one.
    const empty = await onceInRun('postgres', async (path) => {
      mkdirSync(path, { mode: 0o700 });
      if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
      initialize(path);
    });
    execFileSync('cp', ['-a', empty, data]);
  } else initialize(data);
  const port = await freePort();
  const options: Readonly<Record<string, string>> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    shared_buffers: '64MB',
    max_connections: '200',
    fsync: 'off',
    ...settings,
  };
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`);
  const psql = (text: string, database = 'postgres') =>
    run('psql', [
      '-X',
      '-A',
      '-t',
      '-q',
      '-h',
      directory,
      '-p',
      String(port),
      '-U',
      'mailcap',
      '-d',
      database,
      '-c',
      text,
    ])
      .toString()
      .trim();
  const start = async (): Promise<void> => {
    const child = spawn(
      join(bin, 'pg_ctl'),
      ['-D', data, '-l', join(directory, 'log'), '-w', '-t', '60', '-o', flags.join(' '), 'start'],
      { ...identity, cwd: directory, stdio: 'ignore' },
    );
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`PostgreSQL did not start: see ${join(directory, 'log')}`);
  };
  const stop = (mode: 'fast' | 'immediate' = 'immediate') => void run('pg_ctl', ['-D', data, '-m', mode, '-w', 'stop']);
  await start();
  const made = new Set(['postgres']);
  return {
    port,
    url: (database = 'mailcap') => {
      if (!made.has(database)) psql(`create database "${database}"`);
      made.add(database);
      return `postgres://mailcap:secret-of-test@127.0.0.1:${port}/${database}`;
    },
    restart: async () => {
      stop('immediate');
      await start();
    },
    stop,
    start,
    startAgain: async () => {
      try {
        run('pg_ctl', ['-D', data, 'status']);
      } catch {
        await start();
      }
    },
    psql,
    remove: () => {
      try {
        stop('immediate');
      } catch {
        // It is stopped already.
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody']).toString());
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

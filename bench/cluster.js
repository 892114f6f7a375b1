import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { end, removeDirectory, run, start, temporaryDirectory } from './processes.js';
import { freePorts } from './servers.js';

const debian = '/usr/lib/postgresql';
const TICKS_PER_SECOND = 100;

/** Returns the directory of PostgreSQL's programs: the newest of Debian's. Null if there are none. */
export function findPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(debian, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null;
}

/** Starts a cluster of PostgreSQL in a new directory, with its default durability. */
export async function startPostgres() {
  const bin = findPostgres();
  const directory = temporaryDirectory();
  const data = join(directory, 'data');
  const [port] = await freePorts(1);
  // PostgreSQL refuses to run as root, and its user has to reach the directory.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) {
    chownSync(directory, user.uid, user.gid);
    chmodSync(dirname(directory), 0o711);
  }
  const options = { ...user, cwd: directory };
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'mailcap', '-A', 'trust', '-E', 'UTF8', '--locale=C'], options);
  const flags = { port, listen_addresses: '127.0.0.1', unix_socket_directories: directory, max_connections: 200 };
  const settings = Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = start(join(bin, 'postgres'), ['-D', data, ...settings], options);
  const urlOf = (database) => `postgres://mailcap@127.0.0.1:${port}/${database}`;
  const admin = await connect(urlOf('postgres'), child);
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  let databases = 0;
  return {
    pid,
    /** Creates an empty database and returns its URL. */
    async database() {
      const name = `bench${databases++}`;
      await admin.query(`create database ${name}`);
      return urlOf(name);
    },
    /** The processor time of all its processes, including ended ones, in seconds. */
    processorSeconds: () => familySeconds(pid),
    async stop() {
      await admin.end();
      // SIGINT is PostgreSQL's fast shutdown: it waits for no client.
      process.kill(pid, 'SIGINT');
      await end(child);
      removeDirectory(directory);
    },
  };
}

function idOf(flag) {
  return Number(execFileSync('id', [flag, 'nobody']).toString());
}

/** Opens a session of a database. */
export async function openSession(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function connect(url, child) {
  let ended = false;
  child.ended.then(() => {
    ended = true;
  });
  for (;;) {
    try {
      return await openSession(url);
    } catch (error) {
      if (ended) throw new Error(`PostgreSQL did not start: ${child.printed}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function familySeconds(root) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let line;
    try {
      line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    } catch {
      // The process has ended since.
      continue;
    }
    // The program name is in parentheses and may hold any character. The state, the parent and more fields follow it.
    const fields = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent] = fields;
    const [user, system, childUser, childSystem] = fields.slice(11, 15);
    if (Number(pid) === root) ticks += user + system + childUser + childSystem;
    else if (parent === root) ticks += user + system;
  }
  return ticks / TICKS_PER_SECOND;
}

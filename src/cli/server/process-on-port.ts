import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTEN = '0A';
/** The most processes that are examined. Some machines have very many. */
const MOST = 5_000;

/**
 * Returns the process that listens on a TCP port, as `node (process 123)`. Returns null if the system does not tell:
 * outside Linux, or for a process of another user.
 */
export async function processOnPort(port: number): Promise<string | null> {
  const sockets = await socketsOn(port);
  if (sockets.size === 0) return null;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids.slice(0, MOST)) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (sockets.has(link)) return `${await nameOf(pid)} (process ${pid})`;
    }
  }
  return null;
}

async function nameOf(pid: string): Promise<string> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return (
    commandLine
      .split('\0')
      .filter((word) => word !== '')
      .join(' ')
      .slice(0, 60) || 'a process'
  );
}

/** Returns the sockets that listen on a port, in the form in which file descriptors link to them: `socket:[12345]`. */
async function socketsOn(port: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      // The fields are: sl, local address and port, remote address and port, state, ..., inode (proc_net_tcp.txt).
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state] = fields;
      if (state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port)
        found.add(`socket:[${fields[9]}]`);
    }
  }
  return found;
}

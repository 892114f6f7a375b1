import { readdir, readFile, readlink } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { findReadyServer } from '../../client/connection/find-server.ts';
import { nullIfNoServer } from '../../client/errors.ts';
import type { LISTENERS, ListenerOption, PortHolder } from '../../config/start-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { inShell } from '../../text/in-shell.ts';

// Finds out who listens on a port: another mailcap, another mail catcher, or any other program.

/** The names of other mail catchers, as they appear in a greeting or a page. */
const CATCHERS = ['MailDev', 'Mailpit', 'smtp4dev', 'MailHog', 'MailCatcher', 'Inbucket', 'GreenMail', 'Mailtrap'];

/**
 * Names the program that listens on a port, and its process if the system tells. Of another mailcap it also names the
 * URL and the data directory. Each question to the port takes at most `patienceMs` milliseconds.
 */
export async function holderOf(
  what: (typeof LISTENERS)[ListenerOption],
  host: string,
  port: number,
  patienceMs: number,
): Promise<PortHolder> {
  const place = { host, port, patienceMs };
  const [said, pid] = await Promise.all([what === 'HTTP' ? pageOf(place, '/') : greetingOf(place), pidOnPort(port)]);
  const holder = pid === null ? null : `${await commandOf(pid)} (process ${pid})`;
  const catcher = CATCHERS.find((one) => said.toLowerCase().includes(one.toLowerCase()));
  const isOurs = catcher === undefined && (/mailcap/i.test(said) || /\bmailcap\b/.test(holder ?? ''));
  // A server that is too busy to answer has said in its directory who it is.
  const told = isOurs && what === 'HTTP' ? await announcedAt(place) : null;
  const ours = told ?? (catcher === undefined ? await announcedBy(pid) : null);
  if (ours !== null)
    return {
      description: `another mailcap: ${ours.url}, process ${ours.pid}, data directory ${ours.dataDir}`,
      stop: `mailcap stop --data-dir ${inShell(ours.dataDir)}`,
    };
  const who = catcher ?? (isOurs ? 'another mailcap' : harmlessLine(said.split(/\r?\n/)[0] ?? '', 80));
  return { description: [who, holder].filter((text) => text).join(', '), stop: null };
}

interface OtherServer {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
}

interface ListeningPlace {
  readonly host: string;
  readonly port: number;
  readonly patienceMs: number;
}

/** Asks a mailcap where it stores its state. Null if it does not tell, as without its admin token. */
async function announcedAt(place: ListeningPlace): Promise<OtherServer | null> {
  const answer = await pageOf(place, '/_mailcap/info');
  try {
    const info: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    if (typeof info !== 'object' || info === null) return null;
    const { url, pid, dataDir }: { url?: unknown; pid?: unknown; dataDir?: unknown } = info;
    if (typeof url !== 'string' || typeof pid !== 'number' || typeof dataDir !== 'string') return null;
    return { url: harmlessLine(url), pid, dataDir: harmlessLine(dataDir) };
  } catch {
    return null;
  }
}

/** Finds the server of a process in the directory in which it runs. */
async function announcedBy(pid: string | null): Promise<OtherServer | null> {
  const directory = pid === null ? null : await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (directory === null) return null;
  const dataDir = join(directory, '.mailcap');
  const announced = await findReadyServer(dataDir).catch(nullIfNoServer);
  return announced === null || `${announced.pid}` !== pid ? null : { url: announced.url, pid: announced.pid, dataDir };
}

function greetingOf(place: ListeningPlace): Promise<string> {
  return said(place, null);
}

/** Returns an answer to a GET, with its head; empty if there is none. */
function pageOf(place: ListeningPlace, path: string): Promise<string> {
  return said(place, `GET ${path} HTTP/1.0\r\nHost: localhost:${place.port}\r\nConnection: close\r\n\r\n`);
}

/** Returns the first bytes that a listener sends: an SMTP greeting, or the answer to a request. */
function said({ host, port, patienceMs }: ListeningPlace, request: string | null): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = createConnection({ host, port, timeout: patienceMs });
    const finish = () => {
      socket.destroy();
      resolve(text.trim());
    };
    socket.once('timeout', finish).once('error', finish).once('close', finish);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if ((request === null && text.includes('\n')) || text.length > 16_384) finish();
    });
    if (request !== null) socket.write(request);
  });
}

const LISTEN = '0A';
/** The most processes that are examined. Some machines have very many. */
const MOST = 5_000;

/**
 * Returns the id of the process that listens on a TCP port. Returns null if the system does not tell: outside Linux, or
 * for a process of another user.
 */
async function pidOnPort(port: number): Promise<string | null> {
  const sockets = await socketsOn(port);
  if (sockets.size === 0) return null;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids.slice(0, MOST)) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (sockets.has(link)) return pid;
    }
  }
  return null;
}

async function commandOf(pid: string): Promise<string> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = commandLine.split('\0').filter((word) => word !== '');
  return harmlessLine(words.join(' ').slice(0, 60)) || 'a process';
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

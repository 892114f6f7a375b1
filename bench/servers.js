import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findTool } from './load.js';
import { end, removeDirectory, run, start, temporaryDirectory } from './processes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const peers = join(root, 'bench/peers');
const maildevScript = join(peers, 'node_modules/maildev/dist/bin/maildev.js');

// This shell command allows a process as many open files as the system permits.
const MANY_FILES = 'ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -H -n)"; exec "$0" "$@"';

/**
 * Starts `mailcap dev` with durable storage in a new directory, or in `directory`, which it does not remove. It runs
 * this build, or the one in `root`.
 * @param {{ root?: string, directory?: string, manyFiles?: boolean, ports?: { http: number, smtp: number }, args?: string[] }} options
 */
export async function startMailcap({ root: build = root, directory, manyFiles = false, ports, args = [] } = {}) {
  const dataDirectory = directory ?? temporaryDirectory();
  const command = mailcapCommand({ build, directory: dataDirectory, ports, args });
  const startedAt = performance.now();
  const child = manyFiles
    ? start('/bin/sh', ['-c', MANY_FILES, command.program, ...command.args], command.options)
    : start(command.program, command.args, command.options);
  await firstLine(child);
  const startMs = performance.now() - startedAt;
  const ready = JSON.parse(readFileSync(join(dataDirectory, 'server.json'), 'utf8'));
  return {
    ...ready,
    pid: child.pid,
    directory: dataDirectory,
    /** The time from the process start until all ports listen, in milliseconds, as the server reports it. */
    startMs,
    headers: { authorization: `Bearer ${ready.apiKey}` },
    async stop() {
      await end(child);
      if (directory === undefined) removeDirectory(dataDirectory);
    },
  };
}

export function mailcapCommand({ build = root, directory, ports, args = [] }) {
  return {
    program: process.execPath,
    args: [
      ...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? []),
      join(build, 'bin/mailcap.js'),
      'dev',
      ...['--port', String(ports?.http ?? 0), '--smtp-port', String(ports?.smtp ?? 0)],
      ...['--data-dir', directory, '--limits', 'off'],
      ...args,
    ],
    // The user's own settings must not influence the measurement.
    options: {
      cwd: directory,
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MAILCAP_'))),
    },
  };
}

/** Starts MailDev as users do, with its mail in a directory that is removed at the end. */
export function startMailDev() {
  return startPeer(maildevCommand);
}

export function maildevCommand({ directory, ports }) {
  return {
    program: process.execPath,
    args: [maildevScript, '--ip', '127.0.0.1', '-s', String(ports.smtp), '-w', String(ports.http)],
    options: { env: { ...process.env, TMPDIR: directory } },
  };
}

/** Starts Mailpit as users do, with its mail in a directory that is removed at the end. @param {string[]} args more flags */
export function startMailpit(args = []) {
  return startPeer((given) => mailpitCommand({ ...given, args }));
}

function mailpitCommand({ directory, ports: { smtp, http }, args }) {
  return {
    program: findMailpit(),
    args: ['--smtp', `127.0.0.1:${smtp}`, '--listen', `127.0.0.1:${http}`, '--disable-version-check', ...args],
    options: { env: { ...process.env, TMPDIR: directory } },
  };
}

async function startPeer(commandOf) {
  const directory = temporaryDirectory();
  const [smtp, http] = await freePorts(2);
  const command = commandOf({ directory, ports: { smtp, http } });
  const child = start(command.program, command.args, command.options);
  await untilListening(child, [smtp, http]);
  return {
    pid: child.pid,
    smtpPort: smtp,
    httpUrl: `http://127.0.0.1:${http}`,
    async stop() {
      await end(child);
      removeDirectory(directory);
    },
  };
}

/** Returns the path of Mailpit, which npm does not have: `MAILPIT`, else the one on the search path. Null if it is nowhere. */
export function findMailpit() {
  return process.env['MAILPIT'] || findTool('mailpit');
}

/** Returns the milliseconds from the process start until both ports accept connections. This works for every server. */
export async function timeToListening(command, ports) {
  const startedAt = performance.now();
  const child = start(command.program, command.args, command.options);
  await untilListening(child, [ports.smtp, ports.http]);
  const ms = performance.now() - startedAt;
  await end(child);
  return ms;
}

/** Starts Postfix's smtp-sink, which discards all mail. */
export async function startSmtpSink() {
  const [smtpPort] = await freePorts(1);
  // smtp-sink refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = start(findTool('smtp-sink'), [...user, `127.0.0.1:${smtpPort}`, '1000']);
  await untilListening(child, [smtpPort]);
  return { pid: child.pid, smtpPort, stop: () => end(child) };
}

/** Returns the path of Dovecot, or null. */
export function findDovecot() {
  return findTool('dovecot');
}

/**
 * Starts Debian's Dovecot with a user `inbox` in a new directory. `fill` gets the directory of the user's Maildir. Its
 * own users have to exist, so it runs as root alone.
 */
export async function startDovecot(fill) {
  const directory = temporaryDirectory();
  const mail = join(directory, 'mail');
  fill(mail);
  const idOf = (flag) => Number(execFileSync('id', [flag, 'mail']).toString());
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  execFileSync('chown', ['-R', `${uid}:${gid}`, mail]);
  // The mail's user has to reach its directory.
  for (const path of [directory, dirname(directory)]) chmodSync(path, 0o711);
  const [port] = await freePorts(1);
  const config = join(directory, 'dovecot.conf');
  writeFileSync(
    config,
    [
      `base_dir = ${directory}/run`,
      `state_dir = ${directory}/state`,
      `log_path = ${directory}/log`,
      'protocols = imap',
      'listen = 127.0.0.1',
      'ssl = no',
      'disable_plaintext_auth = no',
      'first_valid_uid = 1',
      'first_valid_gid = 1',
      `mail_location = maildir:${mail}`,
      'passdb {\n driver = static\n args = password=x\n}',
      `userdb {\n driver = static\n args = uid=${uid} gid=${gid} home=${mail}\n}`,
      `service imap-login {\n inet_listener imap {\n port = ${port}\n }\n inet_listener imaps {\n port = 0\n }\n}`,
      '',
    ].join('\n'),
  );
  const child = start(findDovecot(), ['-F', '-c', config]);
  await untilListening(child, [port]);
  return {
    pid: child.pid,
    port,
    async stop() {
      await end(child);
      removeDirectory(directory);
    },
  };
}

/** Starts a server with a single Express handler that answers with `body`. */
export async function startBareExpress(body) {
  const script = join(root, 'bench/clients/bare-express.js');
  const child = start(process.execPath, [script, JSON.stringify(body)]);
  const { url } = await firstJsonLine(child);
  return { pid: child.pid, url, stop: () => end(child) };
}

/** Installs the servers that mailcap is compared with. If that fails, returns the reason, else null. */
export async function installPeers() {
  if (existsSync(maildevScript)) return null;
  try {
    await run('npm', ['ci', '--prefix', peers, '--ignore-scripts', '--no-audit', '--no-fund']);
    return null;
  } catch (error) {
    console.error(String(error));
    return 'needs MailDev (npm ci --prefix bench/peers failed)';
  }
}

export async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer();
      await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function untilListening(child, ports) {
  let ended = false;
  child.ended.then(() => {
    ended = true;
  });
  const deadline = performance.now() + 30_000;
  for (const port of ports) {
    while (!(await accepts(port))) {
      if (ended || performance.now() > deadline) throw new Error(`no server came up on ${port}: ${child.printed}`);
    }
  }
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // A pause between two attempts, so that the server gets the processor.
    socket.once('error', () => setTimeout(resolve, 2, false));
  });
}

/** Waits for the first line of output. Users start the server without --json, which would also print every event. */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => {
      child.stdout.resume();
      resolve();
    });
    child.ended.then(({ code, signal }) =>
      reject(new Error(`the server ended with ${signal ?? code}: ${child.printed}`)),
    );
  });
}

function firstJsonLine(child) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      child.stdout.resume();
      try {
        resolve(JSON.parse(line));
      } catch (cause) {
        reject(new Error(`the server's first line is not JSON: ${line}`, { cause }));
      }
    });
    child.ended.then(({ code, signal }) =>
      reject(new Error(`the server ended with ${signal ?? code}: ${child.printed}`)),
    );
  });
}

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { end, run, start } from './processes.js';

// This module runs real load generators. Postfix and wrk are separate programs; figures whose program is missing are
// not run.

const PACKAGES = {
  'smtp-source': 'postfix',
  'smtp-sink': 'postfix',
  wrk: 'wrk',
  script: 'bsdutils',
  taskset: 'util-linux',
  chrt: 'util-linux',
  chromium: 'chromium',
};

/** More messages than a flood ever sends. */
const ENDLESS = 1_000_000_000;

/** Other programs that do the same work. Chromium's headless shell is its engine without windows. */
const INSTEAD = { chromium: 'chromium-headless-shell' };

/** Returns the path of a tool, or null. Debian installs some outside an ordinary user's PATH. */
export function findTool(name) {
  return findProgram(name) ?? (INSTEAD[name] === undefined ? null : findProgram(INSTEAD[name]));
}

function findProgram(name) {
  for (const directory of [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // The tool is not in this directory.
    }
  }
  return null;
}

/** Returns the reason why a figure can't be run here, or null. */
export function whatIsMissing(tools) {
  for (const tool of tools) {
    if (tool === '/proc') {
      if (process.platform !== 'linux') return 'needs /proc (Linux)';
    } else if (findTool(tool) === null) return `needs ${tool} (Debian package ${PACKAGES[tool]})`;
  }
  return null;
}

/**
 * Sends mail with Postfix's smtp-source, which stops at the first unexpected reply.
 * @param {{ port: number, sessions: number, messages: number, bytes: number, reuse: boolean, to?: string }} load
 * @returns the messages per second
 */
export async function sendMail({
  port,
  sessions,
  messages,
  bytes,
  file,
  reuse,
  to = 'bench@inbox.mailcap.example.com',
}) {
  // The default mails of smtp-source repeat one letter, which a database compresses to almost nothing.
  const what = file === undefined ? ['-l', String(bytes)] : ['-F', file];
  const counts = ['-s', String(sessions), '-m', String(messages), ...what];
  const addresses = ['-f', 'sender@app.test', '-t', to];
  const { seconds } = await run(findTool('smtp-source'), [
    ...counts,
    ...(reuse ? ['-d'] : []),
    ...addresses,
    `127.0.0.1:${port}`,
  ]);
  return messages / seconds;
}

/** Starts smtp-source on reused connections without an end. Returns a function that ends it. */
export function startFlood({ port, sessions, bytes, to = 'bench@inbox.mailcap.example.com' }) {
  const counts = ['-s', String(sessions), '-m', String(ENDLESS), '-l', String(bytes), '-d'];
  const child = start(findTool('smtp-source'), [...counts, '-f', 'sender@app.test', '-t', to, `127.0.0.1:${port}`]);
  return { end: () => end(child) };
}

/**
 * Returns the requests per second by wrk over 32 connections. It sends GETs, or what a wrk script says. Throws for any
 * answer but 2xx.
 */
export async function requestRate(url, { seconds, headers = {}, script }) {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const scripted = script === undefined ? [] : ['-s', script];
  const load = ['-t', '2', '-c', '32', '-d', `${seconds}s`];
  const { stdout } = await run(findTool('wrk'), [...load, ...scripted, ...lines, url]);
  const refused = stdout.match(/Non-2xx or 3xx responses: (\d+)/);
  if (refused) throw new Error(`${refused[1]} requests of ${url} were refused`);
  const rate = stdout.match(/Requests\/sec:\s+([\d.]+)/);
  if (!rate) throw new Error(`wrk did not say a rate: ${stdout}`);
  return Number(rate[1]);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, printFolded } from './runner.mjs';

// start.mjs told these in GITHUB_STATE.
const { STATE_pid: pid = '', STATE_logs: logs = '' } = process.env;
/** The time in which the server may finish its work, and that in which the system may end it after that. */
const GRACE_MS = 15_000;
const END_MS = 2_000;
const LOOK_MS = 50;

try {
  if (pid !== '') await stop(Number(pid));
  if (logs !== '') printFolded('The log of mailcap', readFileSync(join(logs, 'server.log'), 'utf8') || '(empty)');
} catch (error) {
  fail(error.message);
}

async function stop(server) {
  if (!signal(server, 'SIGTERM') || (await isGone(server, GRACE_MS))) return;
  console.log(`mailcap was still at work after ${GRACE_MS / 1_000} s, and is ended.`);
  signal(server, 'SIGKILL');
  // A process that nobody waits for keeps its number, in a container without an init. It is not waited for either.
  await isGone(server, END_MS);
}

async function isGone(server, ms) {
  const end = performance.now() + ms;
  while (signal(server, 0)) {
    if (performance.now() > end) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/** Sends a signal. Returns false where the process has ended. */
function signal(server, name) {
  try {
    process.kill(server, name);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

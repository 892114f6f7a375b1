import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

// This module reads the facts that Linux reports about a process. Figures that need it run only there.

/** Returns the processor time of all living threads of a process, in nanoseconds. */
function processorNanoseconds(pid) {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]);
    } catch (error) {
      // A thread may end between the list and its reading.
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    }
  }
  return total;
}

export function processorSeconds(pid) {
  return processorNanoseconds(pid) / 1e9;
}

function statusMegabytes(pid, field) {
  const line = readFileSync(`/proc/${pid}/status`, 'latin1').match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'));
  return (Number(line[1]) * 1024) / 1e6;
}

/** Returns the resident memory of a process, in MB of a million bytes. */
export function residentMegabytes(pid) {
  return statusMegabytes(pid, 'VmRSS');
}

/** Returns the peak of the resident memory of a process, in MB of a million bytes. */
export function peakMegabytes(pid) {
  return statusMegabytes(pid, 'VmHWM');
}

/** Waits until a process is almost idle, so that everything sent to it is handled. */
export async function untilIdle(pid, { patienceMs = 20_000 } = {}) {
  const isIdle = await becomesIdle(() => processorNanoseconds(pid), patienceMs);
  if (!isIdle) throw new Error(`process ${pid} did not come to rest`);
}

/** Waits until a process did nothing for some seconds. A server prepares texts in the background, with pauses. */
export async function untilDone(pid, seconds) {
  for (let idle = 0; idle < seconds; ) {
    const before = processorSeconds(pid);
    await delay(1_000);
    idle = processorSeconds(pid) - before < 0.05 ? idle + 1 : 0;
  }
}

/** Waits until a process and all that descend from it are almost idle, or for five seconds: some pages never rest. */
export async function untilFamilyRests(pid) {
  await becomesIdle(() => familyOf(pid).reduce((sum, member) => sum + nanosecondsOrNone(member), 0), 5_000);
}

/** Returns whether a number of nanoseconds grows by almost nothing within the time. */
async function becomesIdle(used, patienceMs) {
  const windowMs = 250;
  for (let waited = 0; waited < patienceMs; waited += windowMs) {
    const before = used();
    await delay(windowMs);
    if (Math.abs(used() - before) < windowMs * 1e6 * 0.04) return true;
  }
  return false;
}

/** Sends a signal to a process and all that descend from it. */
export function signalFamily(pid, signal) {
  for (const member of familyOf(pid)) {
    try {
      process.kill(member, signal);
    } catch (error) {
      // A process may end between the list and its signal.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Returns the processor time of a process, or 0 if it ended. */
function nanosecondsOrNone(pid) {
  try {
    return processorNanoseconds(pid);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return 0;
  }
}

/** Returns a process and its descendants. */
function familyOf(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readOf(`/proc/${name}/stat`);
    // The name of a program may hold parentheses and blanks. The parent is the second field after it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/** Returns the text of a file of a process, or an empty one if the process ended. */
function readOf(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return '';
  }
}

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
  const windowMs = 250;
  for (let waited = 0; waited < patienceMs; waited += windowMs) {
    const before = processorNanoseconds(pid);
    await delay(windowMs);
    if (processorNanoseconds(pid) - before < windowMs * 1e6 * 0.04) return;
  }
  throw new Error(`process ${pid} did not come to rest`);
}

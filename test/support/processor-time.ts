import { readFileSync } from 'node:fs';

/**
 * Returns the processor time of this thread so far, in milliseconds. A test of a cost measures it instead of the clock,
 * because other processes and threads do not lengthen it. Off Linux it is the time of the whole process.
 */
export function processorMs(): number {
  return process.platform === 'linux' ? threadMs() : process.cpuUsage().user / 1_000;
}

/**
 * Measures the longest time for which this thread's event loop is held, in milliseconds of its own processor time.
 * Returns a function that ends the measurement. Off Linux it measures by the clock.
 */
export function longestHold(): () => number {
  let last = threadMs();
  let most = 0;
  const look = () => {
    const now = threadMs();
    most = Math.max(most, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

function threadMs(): number {
  if (process.platform !== 'linux') return performance.now();
  // The first number is the nanoseconds that the thread ran.
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
}

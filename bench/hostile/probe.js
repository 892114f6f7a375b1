import { openSync, readSync } from 'node:fs';

// `node --import` loads this module into a server on Linux. It reports over IPC the longest time that the event loop
// was blocked, in processor time of the main thread, which other programs do not extend. `{ "reset": true }` starts a
// new measurement.

const buffer = Buffer.alloc(64);
const file = openSync(`/proc/self/task/${process.pid}/schedstat`);
const usedMs = () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ', 1)[0]) / 1e6;

let last = usedMs();
let most = 0;
setInterval(() => {
  const now = usedMs();
  most = Math.max(most, now - last);
  last = now;
}, 1).unref();
process.on('message', (question) => {
  // The interval fires after the event loop was blocked, and has measured by then.
  setTimeout(() => {
    process.send?.({ heldMs: most });
    if (question?.reset) most = 0;
  }, 5);
});
process.channel?.unref();

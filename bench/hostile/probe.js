import { openSync, readSync } from 'node:fs';

// Loaded into a server by `node --import`: tells its parent over IPC how long the event loop was held at most, in processor
// time of the main thread, which other programs on the machine do not lengthen. Linux. `{ "reset": true }` begins anew.

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
  // The interval comes due after a hold; by then it has told.
  setTimeout(() => {
    process.send?.({ heldMs: most });
    if (question?.reset) most = 0;
  }, 5);
});
process.channel?.unref();

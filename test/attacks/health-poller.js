// Runs in a thread of its own, so that an attacker who keeps its own thread busy measures nothing of itself.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let heldMs = 0;
let answers = 0;
let over = false;

/** The processor time of the server's main thread in milliseconds, or null where the system does not tell it. */
function processorMs() {
  try {
    const path = `/proc/${workerData.pid}/task/${workerData.pid}/schedstat`;
    return Number(readFileSync(path, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return null;
  }
}

function poll() {
  const start = performance.now();
  const before = processorMs();
  const next = (answered) => {
    longestMs = Math.max(longestMs, performance.now() - start);
    const after = processorMs();
    heldMs = Math.max(heldMs, before === null || after === null ? performance.now() - start : after - before);
    if (answered) answers++;
    if (over) {
      agent.destroy();
      parentPort.postMessage({ longestMs, heldMs, answers });
    } else setTimeout(poll, PAUSE_MS);
  };
  const request = get(`${workerData.url}/_mailcap/health`, { agent }, (response) => {
    response.resume();
    response.once('end', () => next(true));
  });
  request.once('error', () => next(false));
}

parentPort.once('message', () => {
  over = true;
});
poll();

// Runs in a thread of its own, so that an attacker who keeps its own thread busy measures nothing of itself.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let answers = 0;
let over = false;

function poll() {
  const start = performance.now();
  const next = (answered) => {
    longestMs = Math.max(longestMs, performance.now() - start);
    if (answered) answers++;
    if (over) {
      agent.destroy();
      parentPort.postMessage({ longestMs, answers });
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

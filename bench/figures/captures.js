import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { requestRate } from '../load.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, percentile, spread } from '../statistics.js';

const POST = fileURLToPath(new URL('../clients/capture.lua', import.meta.url));

export const captures = {
  name: 'captures',
  title: 'Captured requests',
  tools: ['wrk'],
  peers: false,
  async run({ runs, quick, say }) {
    const seconds = quick ? 2 : 4;
    const rates = [];
    const added = [];
    const target = http.createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
    try {
      for (let run = 0; run < runs; run++) {
        const server = await startMailcap();
        try {
          const plain = await addHook(server, {});
          await requestRate(plain, { seconds: 1, script: POST });
          rates.push(await requestRate(plain, { seconds, script: POST }));
          const forwardUrl = `http://127.0.0.1:${target.address().port}`;
          const sync = await addHook(server, { forwardMode: 'sync', forwardUrl });
          const count = quick ? 200 : 500;
          added.push((await latency(sync, count)) - (await latency(plain, count)));
        } finally {
          await server.stop();
        }
        say(`run ${run + 1} of ${runs}`);
      }
    } finally {
      target.closeAllConnections();
      target.close();
    }
    return {
      rows: [
        row({
          figure: 'Requests of 1 KB captured per second, each durable before its answer',
          value: median(rates),
          unit: '/s',
          digits: 0,
          atLeast: 2_000,
          absolute: `${spread(rates)}/s`,
        }),
        told({
          figure: 'What forwarding in sync mode adds to an answer, p50',
          value: median(added),
          unit: ' ms',
          absolute: `${spread(added, 2)} ms`,
        }),
      ],
      notes: ['Captures: wrk, 32 connections; forwards go to a bare node server on the same machine, one at a time.'],
    };
  },
};

async function addHook(server, settings) {
  const headers = { ...server.headers, 'content-type': 'application/json' };
  const response = await fetch(`${server.apiUrl}/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify(settings),
  });
  const { key } = await response.json();
  return `${server.webhookBaseUrl}/${key}`;
}

/**
 * Returns the median time of `count` requests one after another, in milliseconds. As many requests warm up the server
 * before.
 */
async function latency(url, count) {
  const times = [];
  for (let i = 0; i < 2 * count; i++) {
    const start = performance.now();
    await (await fetch(url, { method: 'POST', body: '{}' })).text();
    if (i >= count) times.push(performance.now() - start);
  }
  return percentile(times, 50);
}

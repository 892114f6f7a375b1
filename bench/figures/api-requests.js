import { requestRate } from '../load.js';
import { row } from '../results.js';
import { startBareExpress, startMailcap } from '../servers.js';
import { median, spread } from '../statistics.js';

export const apiRequests = {
  name: 'api-requests',
  title: 'API requests against a bare Express handler',
  tools: ['wrk'],
  peers: false,
  async run({ runs, quick, say }) {
    const seconds = quick ? 2 : 3;
    const mailcap = [];
    const express = [];
    for (let run = 0; run < runs; run++) {
      const server = await startMailcap();
      const url = `${server.apiUrl}/mailboxes`;
      const body = await (await fetch(url, { headers: server.headers })).json();
      try {
        mailcap.push(await rateAfterWarmUp(url, { seconds, headers: server.headers }));
      } finally {
        await server.stop();
      }
      const bare = await startBareExpress(body);
      try {
        express.push(await rateAfterWarmUp(bare.url, { seconds }));
      } finally {
        await bare.stop();
      }
      say(`run ${run + 1} of ${runs}`);
    }
    return {
      rows: [
        row({
          figure: '`GET /v1/mailboxes` per second against a bare Express handler',
          value: median(mailcap) / median(express),
          unit: 'x',
          atLeast: 0.5,
          absolute: `mailcap ${spread(mailcap)}/s, bare Express ${spread(express)}/s`,
        }),
      ],
      notes: ['API requests: wrk, 32 connections, the same JSON from both, `--limits off`.'],
    };
  },
};

async function rateAfterWarmUp(url, options) {
  await requestRate(url, { ...options, seconds: 1 });
  return requestRate(url, options);
}

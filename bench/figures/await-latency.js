import { fileURLToPath } from 'node:url';
import { runClient } from '../processes.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const client = fileURLToPath(new URL('../clients/await-latency.js', import.meta.url));

export const awaitLatency = {
  name: 'await-latency',
  title: 'From a mail sent to the answer of a waiting await',
  tools: [],
  peers: false,
  async run({ runs, quick, say }) {
    const p50 = { fromCall: [], fromCallTls: [], from250: [] };
    const p99 = { fromCall: [], fromCallTls: [], from250: [] };
    for (let run = 0; run < runs; run++) {
      const server = await startMailcap();
      try {
        const { apiUrl, smtpPort, mailboxId, headers } = server;
        const counts = { mails: quick ? 150 : 500, warmUp: quick ? 50 : 100 };
        const latencies = await runClient(client, { apiUrl, smtpPort, mailboxId, headers, ...counts });
        for (const [name, ms] of Object.entries(latencies)) {
          p50[name].push(percentile(ms, 50));
          p99[name].push(percentile(ms, 99));
        }
      } finally {
        await server.stop();
      }
      say(`run ${run + 1} of ${runs}`);
    }
    const inMs = { unit: ' ms', digits: 2 };
    return {
      rows: [
        row({
          figure: '`sendMail()` of an unpooled nodemailer to the answer of a waiting await, p50',
          value: median(p50.fromCall),
          ...inMs,
          atMost: 5,
          absolute: `p50 ${spread(p50.fromCall, 2)} ms, p99 ${spread(p99.fromCall, 2)} ms`,
        }),
        row({
          figure: "From the SMTP 250 to the await's answer, p99",
          value: median(p99.from250),
          ...inMs,
          atMost: 5,
          absolute: `p50 ${spread(p50.from250, 2)} ms, p99 ${spread(p99.from250, 2)} ms`,
        }),
        told({
          figure: 'The same `sendMail()` with STARTTLS, p50',
          value: median(p50.fromCallTls),
          ...inMs,
          absolute: `p50 ${spread(p50.fromCallTls, 2)} ms, p99 ${spread(p99.fromCallTls, 2)} ms`,
        }),
      ],
      notes: [
        `Await latency: the client is a process of its own; ${number(quick ? 150 : 500)} mails a run and row, the first ones not counted; the answer counts when its JSON is read.`,
      ],
    };
  },
};

import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createMailboxes } from '../mailbox.js';
import { residentMegabytes, untilIdle } from '../process-usage.js';
import { end, start } from '../processes.js';
import { row } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const client = fileURLToPath(new URL('../clients/waiting.js', import.meta.url));

export const waiters = {
  name: 'waiters',
  title: '10,000 waiting awaits',
  tools: ['/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const count = quick ? 2000 : 10_000;
    const cases = [
      { title: '100 mailboxes', mailboxes: 100, results: [] },
      { title: 'one mailbox', mailboxes: 1, results: [] },
    ];
    for (let run = 0; run < runs; run++) {
      for (const one of cases) one.results.push(await measure(count, one.mailboxes));
      say(`run ${run + 1} of ${runs}`);
    }
    return {
      rows: cases.flatMap(({ title, results }) => {
        const sizes = results.map(({ kilobytes }) => kilobytes);
        const worst = results.map(({ ms }) => percentile(ms, 99));
        const usual = results.map(({ ms }) => percentile(ms, 50));
        return [
          row({
            figure: `${number(count)} waiters, ${title}: RSS of each`,
            value: median(sizes),
            unit: ' KB',
            digits: 1,
            atMost: 20,
            absolute: `${spread(sizes, 1)} KB; the server ${spread(results.map(({ resident }) => resident))} MB`,
          }),
          row({
            figure: `${number(count)} waiters, ${title}: wake-up of one, p99`,
            value: median(worst),
            unit: ' ms',
            atMost: 20,
            absolute: `p50 ${spread(usual, 2)} ms, p99 ${spread(worst, 2)} ms`,
          }),
        ];
      }),
      notes: [
        "Waiters: raw sockets of another process, each for a subject of its own; RSS of the server once it has come to rest, less what it was before, divided by their number; wake-up from the mail's 250 to the answer, 200 of them one after the other.",
      ],
    };
  },
};

async function measure(count, mailboxCount) {
  const server = await startMailcap({ manyFiles: true });
  let child = null;
  try {
    const mailboxes = await createMailboxes(server, mailboxCount);
    await untilIdle(server.pid);
    const before = residentMegabytes(server.pid);
    const { smtpPort, headers } = server;
    const port = Number(new URL(server.url).port);
    const settings = { port, smtpPort, headers, mailboxes, waiters: count, wakeUps: 200 };
    child = start(process.execPath, [client, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const says = events(child);
    await says('waiting');
    await untilIdle(server.pid);
    const resident = residentMegabytes(server.pid);
    child.stdin.write('wake\n');
    const { ms, lost } = await says('woken');
    if (lost > 0) throw new Error(`${lost} waiters were not held: ${child.printed}`);
    return { kilobytes: ((resident - before) * 1000) / count, resident, ms };
  } finally {
    if (child !== null) await end(child);
    await server.stop();
  }
}

/** Creates a reader of a client's output lines, one after the other. */
function events(child) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (expected) => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the client ended: ${child.printed}`);
    const message = JSON.parse(value);
    if (message.event !== expected) throw new Error(`expected ${expected}, got ${value}`);
    return message;
  };
}

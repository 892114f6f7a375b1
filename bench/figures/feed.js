import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { processorSeconds } from '../process-usage.js';
import { end, runClient, start } from '../processes.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

// This figure measures how much the feed's subscribers slow down ingest, and how soon a subscriber gets an event.

const subscribers = fileURLToPath(new URL('../clients/subscribers.js', import.meta.url));
const latency = fileURLToPath(new URL('../clients/feed-latency.js', import.meta.url));

const SUBSCRIBERS = 500;
const WARM_UP = 1000;
const load = { sessions: 50, bytes: 10 * 1024, reuse: true };

export const feed = {
  name: 'feed',
  title: 'Ingest with 500 subscribers of the feed',
  tools: ['smtp-source', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const messages = quick ? 4000 : 12_000;
    const alone = { rates: [], costs: [] };
    const cases = [
      {
        title: 'all of everything',
        queriesOf: async () => Array(SUBSCRIBERS).fill(''),
        rates: [],
        costs: [],
        events: [],
      },
      { title: 'each of a mailbox of its own', queriesOf: ownMailboxes, rates: [], costs: [], events: [] },
    ];
    const p50 = [];
    const p99 = [];
    for (let run = 0; run < runs; run++) {
      const { rate, cost } = await measure(messages, async () => []);
      alone.rates.push(rate);
      alone.costs.push(cost);
      for (const one of cases) {
        const measured = await measure(messages, one.queriesOf);
        one.rates.push(measured.rate);
        one.costs.push(measured.cost);
        one.events.push(measured.events);
      }
      const ms = await latencies(quick ? 200 : 1000);
      p50.push(percentile(ms, 50));
      p99.push(percentile(ms, 99));
      say(`run ${run + 1} of ${runs}`);
    }
    return {
      rows: [
        ...cases.flatMap(({ title, rates, costs, events }) => [
          row({
            figure: `SMTP ingest 10 KB with ${SUBSCRIBERS} subscribers of the feed, ${title}, against none`,
            value: median(rates) / median(alone.rates),
            unit: 'x',
            atLeast: 0.9,
            absolute: `${spread(rates)}/s, none ${spread(alone.rates)}/s; told meanwhile ${spread(events)} events`,
          }),
          told({
            figure: `Processor time of a message with ${SUBSCRIBERS} subscribers, ${title}, against none`,
            value: median(costs) / median(alone.costs),
            unit: 'x',
            absolute: `${spread(costs)} us, none ${spread(alone.costs)} us`,
          }),
        ]),
        row({
          figure: "From the SMTP 250 to the event at a subscriber's, p99",
          value: median(p99),
          unit: ' ms',
          atMost: 5,
          absolute: `p50 ${spread(p50, 2)} ms, p99 ${spread(p99, 2)} ms`,
        }),
      ],
      notes: [
        `Feed: ${number(messages)} messages a run over 50 sessions into the inbox, one of whose subscribers is its own mailbox's; the subscribers are raw sockets of another process on the same two cores, and read what they are told while the mail comes.`,
      ],
    };
  },
};

async function measure(messages, queriesOf) {
  const server = await startMailcap({ manyFiles: true });
  let child = null;
  try {
    await sendMail({ ...load, port: server.smtpPort, messages: WARM_UP });
    const { port, pathname: path } = new URL(server.feedUrl);
    const settings = { port: Number(port), path, queries: await queriesOf(server) };
    child = start(process.execPath, [subscribers, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await said(lines, child, 'subscribed');
    const before = processorSeconds(server.pid);
    const rate = await sendMail({ ...load, port: server.smtpPort, messages });
    const cost = ((processorSeconds(server.pid) - before) * 1e6) / messages;
    child.stdin.end();
    const { events, lost } = await said(lines, child, 'told');
    if (lost > 0) throw new Error(`${lost} subscribers were closed`);
    await checkStored(server, WARM_UP + messages);
    return { rate, cost, events };
  } finally {
    if (child !== null) await end(child);
    await server.stop();
  }
}

async function said(lines, child, event) {
  const { value, done } = await lines.next();
  const message = done ? null : JSON.parse(value);
  if (message?.event !== event) throw new Error(`expected ${event}, got ${value ?? child.printed}`);
  return message;
}

/** Returns a query for each subscriber: the inbox for the first, new mailboxes for the others. */
async function ownMailboxes({ apiUrl, workspaceId, mailboxId, headers }) {
  const ids = [mailboxId];
  while (ids.length < SUBSCRIBERS) {
    const response = await fetch(`${apiUrl}/workspaces/${workspaceId}/mailboxes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `subscribed ${ids.length}` }),
    });
    if (response.status !== 201) throw new Error(`no mailbox: ${response.status} ${await response.text()}`);
    ids.push((await response.json()).id);
  }
  return ids.map((id) => `mailboxId=${id}`);
}

async function latencies(mails) {
  const server = await startMailcap();
  try {
    return await runClient(latency, { feedUrl: server.feedUrl, smtpPort: server.smtpPort, mails, warmUp: 100 });
  } finally {
    await server.stop();
  }
}

import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { sendMail } from '../load.js';
import { checkStored, getJson } from '../mailbox.js';
import { processorSeconds, residentMegabytes } from '../process-usage.js';
import { removeDirectory, temporaryDirectory } from '../processes.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const bytes = 1024;

const loads = [
  { title: '1 session', sessions: 1, messages: 1500 },
  { title: '50 sessions', sessions: 50, messages: 6000 },
];

/** The targets for a store with this many messages. */
const sizes = [
  { name: 'full-store', stored: 200_000, startMs: 1500, residentMb: 400, more: 1.1 },
  { name: 'million', stored: 1_000_000, startMs: 2500, residentMb: 600, more: 1.05 },
];

export const [fullStore, million] = sizes.map((aims) => ({
  name: aims.name,
  title: `A store with ${number(aims.stored)} messages`,
  tools: ['smtp-source', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const stored = quick ? aims.stored / 10 : aims.stored;
    const directory = temporaryDirectory();
    const filled = await fill(directory, stored);
    say(`filled with ${number(stored)} messages at ${number(filled.rate)}/s`);
    const opened = [];
    for (let run = 0; run < runs; run++) opened.push(await open(directory, stored));
    say('opened');
    const costs = await compareCosts(directory, { runs, quick, say });
    removeDirectory(directory);
    return {
      rows: [...openRows(number(stored), opened, filled, aims), ...costRows(number(stored), costs, aims)],
      notes: [
        `Full store: ${number(stored)} messages of ${number(bytes)} bytes in one mailbox, filled at ${number(filled.rate)}/s over 50 sessions; \`--limits off\` because of the daily cap.`,
        'Full store, one more message: an empty and a full server run side by side and take bursts in turns; the cost is the time per message as the sender sees it.',
      ],
    };
  },
}));

async function fill(directory, messages) {
  const server = await startMailcap({ directory });
  try {
    const rate = await sendMail({ port: server.smtpPort, sessions: 50, messages, bytes, reuse: true });
    return { rate, resident: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
}

async function open(directory, stored) {
  const server = await startMailcap({ directory });
  const agent = new http.Agent({ keepAlive: true });
  try {
    const pages = [];
    for (let page = 0; page < 20; page++) pages.push(await timeFirstPage(server, agent));
    const resident = residentMegabytes(server.pid);
    await checkStored(server, stored);
    return { startMs: server.startMs, firstMs: pages[0], pageMs: percentile(pages, 50), resident };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

function timeFirstPage({ apiUrl, mailboxId, headers }, agent) {
  const startedAt = performance.now();
  return getJson(`${apiUrl}/mailboxes/${mailboxId}/messages`, { agent, headers }).then((page) => {
    if (page.length !== 50) throw new Error(`the first page has ${page.length} messages`);
    return performance.now() - startedAt;
  });
}

async function compareCosts(directory, { runs, quick, say }) {
  const costs = loads.map(() => []);
  for (let run = 0; run < runs; run++) {
    const empty = await startMailcap();
    const full = await startMailcap({ directory });
    try {
      for (const server of [empty, full]) {
        await sendMail({ port: server.smtpPort, sessions: 50, messages: quick ? 3000 : 8000, bytes, reuse: true });
      }
      for (const [index, load] of loads.entries()) {
        const messages = Math.ceil(load.messages / (quick ? 3 : 1));
        const spent = { empty: [], full: [] };
        // The order alternates, so that the after-effects of one run do not always affect the same store.
        for (const turn of ['empty', 'full', 'full', 'empty']) {
          spent[turn].push(await burst(turn === 'empty' ? empty : full, { ...load, messages }));
        }
        costs[index].push({ empty: mean(spent.empty), full: mean(spent.full) });
      }
    } finally {
      await Promise.all([empty.stop(), full.stop()]);
    }
    say(`cost of one more: run ${run + 1} of ${runs}`);
  }
  return costs;
}

function mean(bursts) {
  const of = (name) => bursts.reduce((sum, one) => sum + one[name], 0) / bursts.length;
  return { microseconds: of('microseconds'), processor: of('processor') };
}

async function burst(server, { sessions, messages }) {
  const before = processorSeconds(server.pid);
  const rate = await sendMail({ port: server.smtpPort, sessions, messages, bytes, reuse: true });
  const processor = processorSeconds(server.pid) - before;
  return { microseconds: 1e6 / rate, processor: (processor * 1e6) / messages };
}

function openRows(stored, opened, filled, { startMs, residentMb }) {
  const all = (name) => opened.map((one) => one[name]);
  return [
    row({
      figure: `${stored} messages: process start to ready`,
      value: median(all('startMs')),
      unit: ' ms',
      digits: 0,
      atMost: startMs,
      absolute: `${spread(all('startMs'))} ms`,
    }),
    row({
      figure: `${stored} messages: first list page, p50 of 20`,
      value: median(all('pageMs')),
      unit: ' ms',
      atMost: 5,
      absolute: `${spread(all('pageMs'), 2)} ms; the very first after start ${spread(all('firstMs'), 2)} ms`,
    }),
    row({
      figure: `${stored} messages: RSS after start`,
      value: median(all('resident')),
      unit: ' MB',
      digits: 0,
      atMost: residentMb,
      absolute: `${spread(all('resident'))} MB`,
    }),
    row({
      figure: `${stored} messages: RSS of the process that took them`,
      value: filled.resident,
      unit: ' MB',
      digits: 0,
      atMost: residentMb,
      absolute: 'one filling',
    }),
  ];
}

function costRows(stored, costs, { more }) {
  return loads.flatMap(({ title }, index) => {
    const all = (store, name) => costs[index].map((run) => run[store][name]);
    // Runs next to each other are compared, because the load of the machine changes by more than 10 % between runs.
    const ratio = (name) => median(costs[index].map(({ full, empty }) => full[name] / empty[name]));
    const compare = (name) => `full ${spread(all('full', name))} us, empty ${spread(all('empty', name))} us`;
    return [
      row({
        figure: `${stored} messages: time of one more against an empty store, ${title}`,
        value: ratio('microseconds'),
        unit: 'x',
        atMost: more,
        absolute: compare('microseconds'),
      }),
      told({
        figure: `${stored} messages: processor time of one more against an empty store, ${title}`,
        value: ratio('processor'),
        unit: 'x',
        absolute: compare('processor'),
      }),
    ];
  });
}

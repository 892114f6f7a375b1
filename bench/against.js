import { parseArgs } from 'node:util';
import { sendMail } from './load.js';
import { checkStored } from './mailbox.js';
import { processorSeconds, residentMegabytes } from './process-usage.js';
import { removeDirectory, temporaryDirectory } from './processes.js';
import { startMailcap } from './servers.js';
import { median, spread } from './statistics.js';

// This program compares this build with another one on the same machine. The two builds take turns: A B B A.

const USAGE = `node bench/against.js <directory of a built mailcap> [--runs <n>] [--stored <n>]

  --runs    pairs of runs, 5 otherwise
  --stored  messages in the store that is opened, 200000 otherwise`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' }, stored: { type: 'string', default: '200000' } },
});
const runs = Number(values.runs);
const stored = Number(values.stored);
if (positionals.length !== 1 || !Number.isInteger(runs) || !Number.isInteger(stored)) {
  console.error(USAGE);
  process.exit(2);
}
const builds = { before: positionals[0], now: undefined };

const loads = [
  { title: '10 KB, 50 sessions, reused', sessions: 50, messages: 12_000, bytes: 10 * 1024, reuse: true },
  { title: '10 KB, 1 session, reused', sessions: 1, messages: 2000, bytes: 10 * 1024, reuse: true },
  { title: '10 KB, 10 sessions, new connection each', sessions: 10, messages: 4000, bytes: 10 * 1024, reuse: false },
  { title: '1 MB, 10 sessions', sessions: 10, messages: 400, bytes: 1024 * 1024, reuse: true },
];

for (const load of loads) {
  const measured = { before: [], now: [] };
  for (let run = 0; run < runs; run++) {
    for (const build of run % 2 === 0 ? ['before', 'now'] : ['now', 'before']) {
      measured[build].push(await ingest(builds[build], load));
    }
  }
  say(load.title, measured, 'rate', '/s');
  say(`${load.title}: processor time`, measured, 'processor', ' us');
  say(`${load.title}: RSS`, measured, 'resident', ' MB');
}

if (stored > 0) {
  const directories = {};
  for (const build of ['before', 'now']) directories[build] = await fill(builds[build]);
  const measured = { before: [], now: [] };
  for (let run = 0; run < runs; run++) {
    for (const build of run % 2 === 0 ? ['before', 'now'] : ['now', 'before']) {
      measured[build].push(await open(builds[build], directories[build]));
    }
  }
  say(`${stored} messages: start`, measured, 'startMs', ' ms');
  say(`${stored} messages: RSS after start`, measured, 'resident', ' MB');
  for (const directory of Object.values(directories)) removeDirectory(directory);
}

async function ingest(root, { sessions, messages, bytes, reuse }) {
  const server = await startMailcap({ root });
  try {
    await sendMail({ port: server.smtpPort, sessions: 20, messages: 1000, bytes: 1024, reuse: true });
    const before = processorSeconds(server.pid);
    const rate = await sendMail({ port: server.smtpPort, sessions, messages, bytes, reuse });
    const processor = ((processorSeconds(server.pid) - before) * 1e6) / messages;
    const resident = residentMegabytes(server.pid);
    await checkStored(server, 1000 + messages);
    return { rate, processor, resident };
  } finally {
    await server.stop();
  }
}

async function fill(root) {
  const directory = temporaryDirectory();
  const server = await startMailcap({ root, directory });
  await sendMail({ port: server.smtpPort, sessions: 50, messages: stored, bytes: 1024, reuse: true });
  await server.stop();
  return directory;
}

async function open(root, directory) {
  const server = await startMailcap({ root, directory });
  try {
    await checkStored(server, stored);
    return { startMs: server.startMs, resident: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
}

function say(title, measured, name, unit) {
  const of = (build) => measured[build].map((one) => one[name]);
  const ratio = median(of('now')) / median(of('before'));
  console.log(
    `${title}: ${ratio.toFixed(3)}x | now ${spread(of('now'))}${unit}, before ${spread(of('before'))}${unit}`,
  );
}

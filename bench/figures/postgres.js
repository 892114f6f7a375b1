import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findPostgres, openSession, startPostgres } from '../cluster.js';
import { sendMail } from '../load.js';
import { checkStored, getJson } from '../mailbox.js';
import { processorSeconds } from '../process-usage.js';
import { runClient } from '../processes.js';
import { notRun, row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const client = fileURLToPath(new URL('../clients/await-latency.js', import.meta.url));
const bytes = 10 * 1024;
const WARM_UP = 1000;
/** With fewer cores, servers, database and senders share them, and a second server has none. */
const CORES_TO_SCALE = 6;
const HANG_MS = 30_000;

const shapes = [
  { title: '1 session', sessions: 1, messages: 1500, atLeast: 0.6 },
  { title: '50 sessions', sessions: 50, messages: 6000, atLeast: 0.6 },
];

const title = 'A store on PostgreSQL';

export const postgres = {
  name: 'postgres',
  title,
  tools: ['smtp-source', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    if (findPostgres() === null)
      return { rows: [notRun(title, 'needs initdb (Debian package postgresql)')], notes: [] };
    const cluster = await startPostgres();
    try {
      const rows = [];
      rows.push(...ingestRows(await repeat(runs, say, 'ingest', () => compareIngest(cluster, quick))));
      rows.push(...severalRows(await repeat(runs, say, 'several servers', () => severalServers(cluster, quick))));
      rows.push(...awaitRows(await repeat(runs, say, 'awaits', () => awaitAcross(cluster, quick))));
      rows.push(...takeoverRows(await repeat(runs, say, 'takeover', () => takeOver(cluster))));
      return {
        rows,
        notes: [
          'PostgreSQL: Debian’s, one cluster with its default durability (`fsync`, `synchronous_commit`), beside servers and senders on the same cores; mails of 10 KB; the file store runs in turns with it, with `--durability fsync`, after 4,000 mails to each to warm up.',
          'PostgreSQL, the lock: samples every 4 ms tell the share of the time in which a writer has the lock of all servers. Waiting for a core counts, so that what follows from it for more servers is a lower bound. But a server that writes alone locks as it stores; where several write, each locks before its transactions run.',
        ],
      };
    } finally {
      await cluster.stop();
    }
  },
};

async function repeat(runs, say, what, act) {
  const results = [];
  for (let run = 0; run < runs; run++) {
    results.push(await act());
    say(`${what}: run ${run + 1} of ${runs}`);
  }
  return results;
}

function startOn(url) {
  return startMailcap({ args: ['--store', url] });
}

async function burst(servers, cluster, { sessions, messages }) {
  const usage = () => servers.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  const [node, database] = [usage(), cluster.processorSeconds()];
  const startedAt = performance.now();
  // Each server has its share of the senders.
  await Promise.all(
    servers.map(({ smtpPort }) =>
      sendMail({
        port: smtpPort,
        sessions: Math.max(1, Math.floor(sessions / servers.length)),
        messages: Math.ceil(messages / servers.length),
        bytes,
        reuse: true,
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const per = 1000 / (Math.ceil(messages / servers.length) * servers.length);
  return {
    rate: 1000 / per / seconds,
    seconds: seconds * per,
    node: (usage() - node) * per,
    database: (cluster.processorSeconds() - database) * per,
  };
}

async function compareIngest(cluster, quick) {
  const files = await startMailcap();
  const url = await cluster.database();
  const onPostgres = await startOn(url);
  const session = await openSession(url);
  try {
    // A server compiles what it does often. Before that it takes twice the processor time, also on files.
    const warmUp = { 20: 3 * WARM_UP, 1: WARM_UP };
    for (const { smtpPort } of [files, onPostgres])
      for (const [sessions, messages] of Object.entries(warmUp))
        await sendMail({ port: smtpPort, sessions: Number(sessions), messages, bytes, reuse: true });
    const results = [];
    let sent = warmUp[20] + warmUp[1];
    for (const shape of shapes) {
      const messages = Math.ceil(shape.messages / (quick ? 3 : 1));
      const spent = { files: [], postgres: [], locked: [] };
      for (const turn of ['files', 'postgres', 'postgres', 'files']) {
        const server = turn === 'files' ? files : onPostgres;
        spent[turn].push(await burst([server], cluster, { ...shape, messages }));
      }
      // The samples cost the database processor time, so they have a burst of their own.
      const sampler = sampleLock(session);
      const { seconds } = await burst([onPostgres], cluster, { ...shape, messages });
      spent.locked.push({ seconds, share: await sampler.stop() });
      sent += 3 * messages;
      results.push(spent);
    }
    await checkStored(onPostgres, sent);
    return results;
  } finally {
    await session.end();
    await Promise.all([files.stop(), onPostgres.stop()]);
  }
}

/** Samples whether a writer has the lock of all servers. */
function sampleLock(session) {
  let over = false;
  const sampled = (async () => {
    let held = 0;
    let samples = 0;
    while (!over) {
      const { rows } = await session.query(
        `select exists (
           select from pg_locks join pg_class on pg_class.oid = relation join pg_stat_activity as activity on activity.pid = pg_locks.pid
           where relname = 'head' and mode in ('RowShareLock', 'RowExclusiveLock') and granted
             and wait_event_type is distinct from 'Lock'
         ) as held`,
      );
      samples++;
      if (rows[0].held) held++;
      await delay(4);
    }
    return held / samples;
  })();
  return {
    stop: () => {
      over = true;
      return sampled;
    },
  };
}

function ingestRows(runs) {
  return shapes.flatMap(({ title: shape, atLeast, sessions }, index) => {
    const all = (store, name) => runs.flatMap((run) => run[index][store].map((one) => one[name]));
    const ratio = median(
      runs.map(
        (run) => mean(run[index].postgres.map(({ rate }) => rate)) / mean(run[index].files.map(({ rate }) => rate)),
      ),
    );
    const figure = `PostgreSQL: processor time of the database per 1,000 mails, ${shape}`;
    const processor = {
      figure,
      value: median(all('postgres', 'database')),
      unit: ' s',
      digits: 3,
      absolute: `database ${spread(all('postgres', 'database'), 3)} s, server ${spread(all('postgres', 'node'), 3)} s; server on files ${spread(all('files', 'node'), 3)} s`,
    };
    const { share, serial } = lockOf(runs.map((run) => run[index].locked[0]));
    const computed = `computed from it: ${number(1000 / serial)} mails/s at most, ${number(Math.min(2, 1 / share), 2)} times one server with two, ${number(Math.min(4, 1 / share), 2)} times with four, where each has cores of its own`;
    return [
      row({
        figure: `PostgreSQL: SMTP ingest 10 KB against the file store, ${shape}`,
        value: ratio,
        unit: 'x',
        atLeast,
        absolute: `PostgreSQL ${spread(all('postgres', 'rate'))}/s, files ${spread(all('files', 'rate'))}/s`,
      }),
      // With one session each mail is a group of its own. The target is about groups.
      sessions === 1 ? told(processor) : row({ ...processor, atMost: 0.1 }),
      told({
        figure: `PostgreSQL: time under the lock of all servers per 1,000 mails, ${shape}`,
        value: serial,
        unit: ' s',
        digits: 3,
        absolute: `${number(share * 100, 0)} % of the time${sessions === 1 ? '' : `; ${computed}`}`,
      }),
    ];
  });
}

/** Returns the share of the time in which a writer had the lock, and the seconds per 1,000 mails. */
function lockOf(sampled) {
  return {
    share: median(sampled.map(({ share }) => share)),
    serial: median(sampled.map(({ share, seconds }) => share * seconds)),
  };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function severalServers(cluster, quick) {
  const url = await cluster.database();
  const session = await openSession(url);
  const servers = [];
  try {
    for (let count = 0; count < 4; count++) servers.push(await startOn(url));
    const messages = quick ? 2000 : 6000;
    for (const { smtpPort } of servers)
      await sendMail({ port: smtpPort, sessions: 10, messages: WARM_UP / 2, bytes, reuse: true });
    const rates = { 1: [], 2: [], 4: [] };
    const processor = { 1: [], 2: [], 4: [] };
    for (const count of [1, 2, 4, 4, 2, 1]) {
      const one = await burst(servers.slice(0, count), cluster, { sessions: 48, messages });
      rates[count].push(one.rate);
      processor[count].push(one.node + one.database);
    }
    const sampler = sampleLock(session);
    const { seconds } = await burst(servers.slice(0, 2), cluster, { sessions: 48, messages });
    return { rates, processor, locked: { seconds, share: await sampler.stop() } };
  } finally {
    await session.end();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function severalRows(runs) {
  const { share, serial } = lockOf(runs.map(({ locked }) => locked));
  const lock = told({
    figure: 'PostgreSQL: time under the lock of all servers per 1,000 mails, 2 servers, 48 sessions in all',
    value: serial,
    unit: ' s',
    digits: 3,
    absolute: `${number(share * 100, 0)} % of the time; computed from it: ${number(1000 / serial)} mails/s at most where all share ${os.cpus().length} cores`,
  });
  const rates = [2, 4].map((count) => {
    const ratio = median(runs.map(({ rates }) => mean(rates[count]) / mean(rates[1])));
    const all = (name, servers) => runs.flatMap((run) => run[name][servers]);
    const cores = os.cpus().length;
    const facts = {
      figure: `PostgreSQL: ${count} servers against one, 48 sessions in all`,
      value: ratio,
      unit: 'x',
      absolute: `${spread(all('rates', count))}/s against ${spread(all('rates', 1))}/s on ${cores} cores for everything; processor time per 1,000 mails ${spread(all('processor', count), 3)} s against ${spread(all('processor', 1), 3)} s`,
    };
    return count === 2 && cores >= CORES_TO_SCALE ? row({ ...facts, atLeast: 1.3 }) : told(facts);
  });
  return [...rates, lock];
}

async function awaitAcross(cluster, quick) {
  const url = await cluster.database();
  const [a, b] = [await startOn(url), await startOn(url)];
  try {
    const { apiUrl, mailboxId, headers } = b;
    const counts = { mails: quick ? 150 : 500, warmUp: 50 };
    return await runClient(client, { apiUrl, mailboxId, headers, smtpPort: a.smtpPort, ...counts });
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
}

function awaitRows(runs) {
  const all = (p) => runs.map(({ from250 }) => percentile(from250, p));
  const absolute = `p50 ${spread(all(50), 2)} ms, p99 ${spread(all(99), 2)} ms`;
  return [
    [50, 5],
    [99, 25],
  ].map(([p, atMost]) =>
    row({
      figure: `PostgreSQL: from the 250 of one server to the await's answer of another, p${p}`,
      value: median(all(p)),
      unit: ' ms',
      atMost,
      absolute,
    }),
  );
}

/** Returns the milliseconds until another server leads, after the leader is killed and after it hangs. */
async function takeOver(cluster) {
  const url = await cluster.database();
  const session = await openSession(url);
  const leader = async () => (await session.query('select server from mailcap.leader')).rows[0]?.server;
  const untilOther = async (than) => {
    const startedAt = performance.now();
    while ((await leader()) === than) {
      if (performance.now() - startedAt > HANG_MS) throw new Error('nobody took over');
      await delay(5);
    }
    return performance.now() - startedAt;
  };
  const servers = [];
  try {
    for (let count = 0; count < 3; count++) servers.push(await startOn(url));
    const numbers = await Promise.all(
      servers.map(async ({ url: base }) => (await getJson(`${base}/_mailcap/info`)).server),
    );
    const pidOfLeader = async () => {
      const which = await leader();
      return { which, pid: servers[numbers.findIndex((of) => String(of) === which)].pid };
    };
    const first = await pidOfLeader();
    process.kill(first.pid, 'SIGKILL');
    const killed = await untilOther(first.which);
    const second = await pidOfLeader();
    process.kill(second.pid, 'SIGSTOP');
    const hung = await untilOther(second.which);
    process.kill(second.pid, 'SIGCONT');
    return { killed, hung };
  } finally {
    await session.end();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function takeoverRows(runs) {
  return [
    ['killed', 'after kill -9 of the leader', 1000],
    ['hung', 'after SIGSTOP of the leader', 12_000],
  ].map(([name, when, atMost]) => {
    const all = runs.map((run) => run[name]);
    return row({
      figure: `PostgreSQL: another server leads ${when}`,
      value: median(all),
      unit: ' ms',
      digits: 0,
      atMost,
      absolute: `${spread(all)} ms`,
    });
  });
}

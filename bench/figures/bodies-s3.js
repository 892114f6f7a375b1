import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { findPostgres, openSession, startPostgres } from '../cluster.js';
import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { processorSeconds } from '../process-usage.js';
import { end, removeDirectory, start, temporaryDirectory } from '../processes.js';
import { notRun, told } from '../results.js';
import { freePorts, startMailcap } from '../servers.js';
import { median, number, spread } from '../statistics.js';

const title = 'Bodies in S3';
const bytes = 10 * 1024;
const WARM_UP = 500;
const KEY = 'benchbench';
/** The added delay of a request, in milliseconds: about the time that a storage in the same region takes. */
const FAR_MS = 20;

const shapes = [
  { title: '1 session', sessions: 1, messages: 600 },
  { title: '50 sessions', sessions: 50, messages: 6000 },
];

export const bodiesS3 = {
  name: 'bodies-s3',
  title,
  tools: ['smtp-source', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const program = process.env['MAILCAP_TEST_S3'];
    if (program === undefined || findPostgres() === null)
      return { rows: [notRun(title, 'needs initdb, and the program versitygw in MAILCAP_TEST_S3')], notes: [] };
    const cluster = await startPostgres();
    const storage = await startStorage(program);
    const far = await startFar(storage.port);
    try {
      const results = [];
      for (let run = 0; run < runs; run++) {
        results.push(await compare(cluster, { near: storage.port, far: far.port }, quick));
        say(`${title}: run ${run + 1} of ${runs}`);
      }
      return {
        rows: rowsOf(results),
        notes: [
          `Bodies in S3: versitygw on this machine's disk, beside servers, database and senders on the same cores; "far" adds ${FAR_MS} ms to each request. Mails of 10 KB that do not compress; PostgreSQL at its default durability.`,
        ],
      };
    } finally {
      await far.stop();
      await storage.stop();
      await cluster.stop();
    }
  },
};

async function startStorage(program) {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'bodies'));
  const [port] = await freePorts(1);
  const env = { ...process.env, ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: KEY };
  const child = start(program, ['--port', `127.0.0.1:${port}`, 'posix', directory], { cwd: directory, env });
  for (let i = 0; i < 200 && !(await answers(port)); i++) await delay(50);
  return {
    port,
    async stop() {
      await end(child);
      removeDirectory(directory);
    },
  };
}

function answers(port) {
  return fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  );
}

/** Starts a proxy that makes a storage look far away. */
async function startFar(target) {
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    await delay(FAR_MS);
    const onward = http.request(
      { port: target, host: '127.0.0.1', method: req.method, path: req.url, headers: req.headers, agent },
      (answer) => {
        res.writeHead(answer.statusCode, answer.headers);
        answer.pipe(res);
      },
    );
    onward.end(Buffer.concat(chunks));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Measures the database alone, and with its bodies in a storage that is near and one that is far. */
async function compare(cluster, ports, quick) {
  process.env['AWS_ACCESS_KEY_ID'] = KEY;
  process.env['AWS_SECRET_ACCESS_KEY'] = KEY;
  const directory = temporaryDirectory();
  const file = join(directory, 'mail');
  writeFileSync(file, mail());
  const spent = {};
  for (const where of ['alone', 'near', 'far']) {
    const url = await cluster.database();
    const blobs = where === 'alone' ? [] : ['--store-blobs', `s3://bodies?endpoint=http://127.0.0.1:${ports[where]}`];
    const server = await startMailcap({ args: ['--store', url, ...blobs] });
    const session = await openSession(url);
    try {
      await sendMail({ port: server.smtpPort, sessions: 20, messages: WARM_UP, file, reuse: true });
      let sent = WARM_UP;
      spent[where] = [];
      for (const shape of shapes) {
        const messages = Math.ceil(shape.messages / (quick ? 3 : 1));
        spent[where].push(await burst(server, cluster, session, { ...shape, messages, file }));
        sent += messages;
      }
      await checkStored(server, sent);
    } finally {
      await session.end();
      await server.stop();
    }
  }
  removeDirectory(directory);
  return spent;
}

/** Returns a mail whose body is as random as an attachment. */
function mail() {
  const lines = randomBytes((bytes * 3) / 4)
    .toString('base64')
    .match(/.{1,76}/g);
  return `Subject: bench\nFrom: sender@app.test\nTo: bench@inbox.mailcap.example.com\n\n${lines.join('\n')}\n`;
}

async function burst(server, cluster, session, { sessions, messages, file }) {
  const written = async () =>
    Number((await session.query("select pg_current_wal_lsn() - '0/0' as bytes")).rows[0].bytes);
  // PostgreSQL logs the whole page at its first change after a checkpoint.
  await session.query('checkpoint');
  const before = [processorSeconds(server.pid), cluster.processorSeconds(), await written()];
  const startedAt = performance.now();
  await sendMail({ port: server.smtpPort, sessions, messages, file, reuse: true });
  const seconds = (performance.now() - startedAt) / 1000;
  const after = [processorSeconds(server.pid), cluster.processorSeconds(), await written()];
  const [node, database, wal] = after.map((value, i) => (value - before[i]) / messages);
  return { rate: messages / seconds, node: 1000 * node, database: 1000 * database, wal };
}

function rowsOf(results) {
  return shapes.flatMap((shape, at) => {
    const of = (where, what) => results.map((result) => result[where][at][what]);
    const said = (where) =>
      `${spread(of(where, 'rate'))} mails/s, CPU-s per 1,000 mails ${number(median(of(where, 'node')), 2)} + ${number(median(of(where, 'database')), 2)}, WAL ${number(median(of(where, 'wal')), 0)} bytes a mail`;
    return ['near', 'far'].map((where) =>
      told({
        figure: `${title}, ${where}, ${shape.title}: rate against the database alone`,
        value: median(results.map((result) => result[where][at].rate / result.alone[at].rate)),
        absolute: `${said(where)}; alone ${said('alone')}`,
      }),
    );
  });
}

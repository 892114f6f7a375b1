import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { findPostgres, startPostgres } from '../cluster.js';
import { createMailboxes, getJson } from '../mailbox.js';
import { runClient } from '../processes.js';
import { notRun, row } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const filler = fileURLToPath(new URL('../clients/fill.js', import.meta.url));
const title = 'A million messages on PostgreSQL';
/** The mailboxes that share the messages. */
const MAILBOXES = 100;

export const postgresMillion = {
  name: 'postgres-million',
  title,
  tools: [],
  peers: false,
  async run({ runs, quick, say }) {
    if (findPostgres() === null)
      return { rows: [notRun(title, 'needs initdb (Debian package postgresql)')], notes: [] };
    const stored = quick ? 100_000 : 1_000_000;
    const cluster = await startPostgres();
    const server = await startMailcap({ args: ['--store', await cluster.database()] });
    try {
      const mailboxes = await createMailboxes(server, MAILBOXES);
      const addresses = mailboxes.map(({ address }) => address);
      const { smtpPort } = server;
      const { rate } = await runClient(filler, { smtpPort, addresses, mails: stored / MAILBOXES, sessions: 10 });
      say(`filled with ${number(stored)} messages at ${number(rate)}/s`);
      const results = [];
      for (let run = 0; run < runs; run++) results.push(await timeReads(server, mailboxes[0].id));
      const all = (name, p) => results.map((run) => percentile(run[name], p));
      const rowOf = (name, what, atMost) =>
        row({
          figure: `PostgreSQL, ${number(stored)} messages: ${what}, p50`,
          value: median(all(name, 50)),
          unit: ' ms',
          atMost,
          absolute: `p50 ${spread(all(name, 50), 2)} ms, p99 ${spread(all(name, 99), 2)} ms`,
        });
      return {
        rows: [
          rowOf('pages', 'a page of 50 at any place of the list', 5),
          rowOf('ids', 'a message by its id, with its text', 5),
          rowOf('feeds', '256 events of the feed from any position, connection and all', 50),
        ],
        notes: [
          `PostgreSQL, million: small mails to ${MAILBOXES} mailboxes each, so that each mailbox has a hundredth; filled at ${number(rate)} messages/s over 10 sessions.`,
        ],
      };
    } finally {
      await server.stop();
      await cluster.stop();
    }
  },
};

async function timeReads({ apiUrl, feedUrl, headers }, mailboxId) {
  const agent = new http.Agent({ keepAlive: true });
  const list = `${apiUrl}/mailboxes/${mailboxId}/messages`;
  const [newest] = await getJson(`${list}?limit=1`, { agent, headers });
  const events = await firstEvents(feedUrl, '0'.repeat(26), 1);
  // Positions are spread over the time in which the messages came. The first ten characters of an id are its time.
  const [from, to] = [timeOf(events[0].id), timeOf(newest.id)];
  const places = Array.from({ length: 100 }, (_, i) => idAt(from + ((to - from) * (i + 1)) / 102));
  const timed = async (act) => {
    const startedAt = performance.now();
    const result = await act();
    return { ms: performance.now() - startedAt, result };
  };
  const [pages, ids, feeds] = [[], [], []];
  for (const place of places) {
    const page = await timed(() => getJson(`${list}?limit=50&before=${place}`, { agent, headers }));
    if (page.result.length === 0) throw new Error(`nothing before ${place}`);
    pages.push(page.ms);
    const { id } = page.result[0];
    ids.push((await timed(() => getJson(`${list}/${id}`, { agent, headers }))).ms);
    if (place < places[95]) feeds.push((await timed(() => firstEvents(feedUrl, place, 256))).ms);
  }
  agent.destroy();
  return { pages, ids, feeds };
}

function firstEvents(feedUrl, since, count) {
  return new Promise((resolve, reject) => {
    const events = [];
    const socket = new WebSocket(`${feedUrl}?since=${since}&types=message.received`);
    socket.on('error', reject);
    socket.on('message', (data) => {
      events.push(JSON.parse(data.toString()));
      if (events.length < count) return;
      socket.removeAllListeners('message');
      socket.terminate();
      resolve(events);
    });
  });
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function timeOf(id) {
  return [...id.slice(0, 10)].reduce((time, letter) => time * 32 + ALPHABET.indexOf(letter), 0);
}

function idAt(time) {
  let rest = Math.floor(time);
  let text = '';
  for (let place = 0; place < 10; place++, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text + '0'.repeat(16);
}

import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { openSmtpSession } from '../clients/smtp-session.js';
import { getJson } from '../mailbox.js';
import { processorSeconds, residentMegabytes, untilDone } from '../process-usage.js';
import { row, told } from '../results.js';
import { findMailpit, startMailcap, startMailpit } from '../servers.js';
import { number, percentile } from '../statistics.js';
import { vocabulary } from '../vocabulary.js';

const CHARACTERS = 4_000;
const NEEDLE = 'zyxneedle';
const IDLE_SECONDS = 5;
const MILLION = 1_000_000;
const QUERIES = [
  {
    title: 'a word in the body of one mail, the oldest',
    query: NEEDLE,
    finds: 1,
    atMost: 60,
    ofMillion: 500,
    times: 10,
  },
  { title: 'a word in no mail', query: 'zyxnowhere', finds: 0, atMost: 60, ofMillion: 500, times: 10 },
  { title: 'a word that half the mails have', query: 'harbour', finds: null, atMost: 200, times: 10 },
  { title: 'the first page of this word, without the count', query: 'harbour', finds: null, atMost: 20, isPage: true },
];

/** The numbers of mails. Mailpit takes part in the first. */
const SIZES = [
  { name: 'search', stored: 30_000, beside: true },
  { name: 'search-100k', stored: 100_000, beside: false },
  { name: 'search-million', stored: MILLION, beside: false },
];

export const searches = SIZES.map(({ name, stored: all, beside }) => ({
  name,
  title: `Searches in ${number(all)} mails`,
  tools: ['/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const stored = quick ? all / 10 : all;
    const own = await measure(await startMailcap(), mailcapApi, { stored, runs, say });
    const isBeside = beside && findMailpit() !== null;
    const peer = isBeside ? await measure(await startMailpit(['--max', '0']), mailpitApi, { stored, runs, say }) : null;
    return { rows: rowsOf(own, peer, stored), notes: notesOf(own, number(stored), beside && !isBeside) };
  },
}));

function rowsOf(own, peer, all) {
  const stored = number(all);
  return QUERIES.flatMap(({ title, ofMillion, times, isPage, ...query }, index) => {
    const atMost = all >= MILLION ? ofMillion : query.atMost;
    const ms = own.times[index];
    const figure = `${stored} mails of 4 KB, search for ${title}`;
    const absolute = `p95 ${number(percentile(ms, 95), 1)} ms`;
    const measured = { figure, value: percentile(ms, 50), unit: ' ms', digits: 1, absolute };
    const rows = [atMost === undefined ? told(measured) : row({ ...measured, atMost })];
    // Mailpit always counts.
    if (peer === null || isPage) return rows;
    const theirs = percentile(peer.times[index], 50);
    const against = { figure: `${figure}, Mailpit's time to mailcap's`, value: theirs / percentile(ms, 50), unit: 'x' };
    return [...rows, row({ ...against, atLeast: times, absolute: `Mailpit ${number(theirs)} ms` })];
  }).concat(
    told({
      figure: `${stored} mails of 4 KB: processor time to prepare the text of a mail`,
      value: own.preparedMs,
      unit: ' ms',
      digits: 2,
      absolute: `${number(own.resident)} MB resident afterwards`,
    }),
  );
}

function notesOf(own, stored, isAlone) {
  return [
    `Searches: ${stored} mails of ${number(CHARACTERS)} characters in words that follow Zipf's law, one connection, the first page and, unless a row says otherwise, the count; the texts of all mails were prepared, ${number(own.seconds)} s after the last mail.`,
    ...(isAlone ? ['In searches, Mailpit took no part: neither MAILPIT nor PATH names its program.'] : []),
  ];
}

async function measure(server, apiOf, { stored, runs, say }) {
  const agent = new http.Agent({ keepAlive: true });
  const api = apiOf(server, agent);
  try {
    await fill(server.smtpPort, api.address, stored);
    say(`filled with ${number(stored)} mails`);
    const before = processorSeconds(server.pid);
    const startedAt = performance.now();
    await untilDone(server.pid, IDLE_SECONDS);
    const seconds = (performance.now() - startedAt) / 1_000 - IDLE_SECONDS;
    const preparedMs = ((processorSeconds(server.pid) - before) * 1_000) / stored;
    say('prepared');
    const times = [];
    for (const asked of QUERIES) times.push(asked.isPage && !api.page ? null : await timesOf(api, asked, runs * 5));
    return { times, seconds, preparedMs, resident: residentMegabytes(server.pid) };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Searches several times. The first one opens what is read later, and is not counted. */
async function timesOf(api, { query, finds, isPage }, count) {
  const times = [];
  for (let turn = -1; turn < count; turn++) {
    const startedAt = performance.now();
    const found = await (isPage ? api.page(query) : api.find(query));
    if (turn >= 0) times.push(performance.now() - startedAt);
    if (finds !== null && found !== finds) throw new Error(`${query} was found ${found} times, not ${finds}`);
  }
  return times;
}

function mailcapApi({ url, headers }, agent) {
  const search = (query, more = '') =>
    getJson(`${url}/_mailcap/messages?limit=50&query=${encodeURIComponent(query)}${more}`, { agent, headers });
  return {
    address: 'bench@inbox.mailcap.example.com',
    find: async (query) => {
      const { total, complete } = await search(query);
      if (!complete) throw new Error(`the search for ${query} is not complete`);
      return total;
    },
    page: async (query) => {
      const { items } = await search(query, '&total=0');
      if (items.length !== 50) throw new Error(`the first page for ${query} is not full`);
      return null;
    },
  };
}

function mailpitApi({ httpUrl }, agent) {
  return {
    address: 'bench@example.com',
    find: async (query) => {
      const url = `${httpUrl}/api/v1/search?limit=50&query=${encodeURIComponent(query)}`;
      return (await getJson(url, { agent, headers: {} })).messages_count;
    },
  };
}

async function fill(port, address, count) {
  const words = vocabulary();
  let sent = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const session = await openSmtpSession(port);
      while (sent < count) {
        const which = sent++;
        const text = `${which === 0 ? NEEDLE : ''} ${textOf(words, which)}`;
        await session.send({ to: [address], subject: `${words.one()} ${words.one()} ${which}`, text });
      }
      session.close();
    }),
  );
}

function textOf(words, which) {
  const lines = which % 2 === 0 ? ['harbour'] : [];
  let length = 0;
  for (let line = ''; length < CHARACTERS; line = '') {
    while (line.length < 70) line += `${words.one()} `;
    lines.push(line.trim());
    length += line.length;
  }
  return lines.join('\r\n');
}

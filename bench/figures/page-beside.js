import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { startUnwatched } from '../browser.js';
import { findTool, sendMail, startFlood } from '../load.js';
import { checkStored } from '../mailbox.js';
import { processorSeconds, signalFamily, untilFamilyRests, untilIdle } from '../process-usage.js';
import { end, start as startProcess } from '../processes.js';
import { row, told } from '../results.js';
import { findMailpit, startMailcap, startMailDev, startMailpit } from '../servers.js';
import { median, number, spread } from '../statistics.js';

// This figure measures how much an open page of the inbox slows the intake of mail. The page has work of its own, and on
// two cores it would take the time of the server and of the senders. So the server gets a core that the others do not
// use, and the browser runs only when no sender wants to (SCHED_IDLE). No debugger watches the page. An idle process
// keeps the other cores busy all the time, because cores that share their parts are slower together.
//
// One window of some seconds differs from the next by more than a tenth on a shared machine, with or without a page. So
// the page is measured in a flood that does not end, in many short windows: in one the browser runs, in the next it is
// stopped by a signal. A stopped page asks nothing of the server and takes no processor time.

/** The arguments of chrt for a process that runs only when no other process wants to. */
const IDLE = ['-i', '0'];
const SPIN = [...IDLE, process.execPath, '-e', 'for (;;);'];
const load = { sessions: 50, bytes: 10 * 1024, reuse: true };
/** A window of the flood, and the time before it in which the change of the browser takes effect, in milliseconds. */
const WINDOW_MS = 5_000;
const SETTLE_MS = 500;
/** The time after which the flood is even and the page has left the feed. */
const EVEN_MS = 3_000;
/** The pairs of windows after which the flood is interrupted and its mail deleted, so that it fills no disk. */
const ROUND = 6;

export const pageBeside = {
  name: 'page-beside',
  title: 'Ingest with a page of the web inbox open',
  tools: ['chromium', 'smtp-source', 'taskset', 'chrt', '/proc'],
  peers: true,
  async run({ runs, quick, say }) {
    const pairs = quick ? 2 : 20 * runs;
    const steady = await inFlood(pairs);
    say(`in a flood: ${saidPairs(steady, 'rate')}, ${saidPairs(steady, 'cost')} processor time, ${pairs} pairs`);
    const peers = [
      { name: 'mailcap', start: () => startMailcap(), messages: quick ? 3_000 : 6_000, warmUp: 10_000 },
      ...(findMailpit() === null
        ? []
        : [{ name: 'Mailpit', start: () => startMailpit(['--max', '0']), messages: 3_000, warmUp: 1_000 }]),
      { name: 'MailDev', start: startMailDev, messages: quick ? 1_000 : 3_000, warmUp: 1_000 },
    ];
    const turns = 2 * runs;
    for (const peer of peers) {
      peer.apart = await measure(peer, turns, true);
      peer.shared = await measure(peer, turns, false);
      say(
        `${peer.name}: ${ratioOf(peer.apart, 'rate').toFixed(3)}x, on all cores ${ratioOf(peer.shared, 'rate').toFixed(2)}x`,
      );
    }
    const [mailcap, ...others] = peers;
    const cores = os.availableParallelism();
    return {
      rows: [
        row({
          figure:
            'SMTP ingest 10 KB in a flood with a page of the web inbox open, against none; the server has a core of its own',
          value: ratioOfPairs(steady, 'rate').ratio,
          unit: 'x',
          atLeast: 0.97,
          digits: 3,
          absolute: `${saidPairs(steady, 'rate')} (standard error), ${pairs} pairs of windows of ${WINDOW_MS / 1_000} s; ${spread(steady.map(({ none }) => none.rate))}/s without a page`,
        }),
        told({
          figure: 'Processor time of a message in a flood with a page of the web inbox open, against none',
          value: ratioOfPairs(steady, 'cost').ratio,
          unit: 'x',
          absolute: `${saidPairs(steady, 'cost')} (standard error), in the same windows`,
        }),
        told({
          figure: `SMTP ingest 10 KB in bursts with a page open, against none; the server has a core of its own`,
          value: ratioOf(mailcap.apart, 'rate'),
          unit: 'x',
          absolute: saidRates(mailcap.apart),
        }),
        told({
          figure: `The same, all on ${cores} cores`,
          value: ratioOf(mailcap.shared, 'rate'),
          unit: 'x',
          absolute: saidRates(mailcap.shared),
        }),
        ...others.flatMap(({ name, apart, shared }) => [
          told({
            figure: `The same of ${name}, with a core of its own`,
            value: ratioOf(apart, 'rate'),
            unit: 'x',
            absolute: saidRates(apart),
          }),
          told({
            figure: `The same of ${name}, all on ${cores} cores`,
            value: ratioOf(shared, 'rate'),
            unit: 'x',
            absolute: saidRates(shared),
          }),
        ]),
      ],
      notes: [
        `A page beside ingest: in a flood over 50 sessions into the list that is open, the browser runs in one window and is stopped in the next, first one and then the other; the ratio is the geometric mean over the pairs. Bursts have ${number(mailcap.messages)} messages, ${turns} with a page and as many without, in turns on one warm server; a turn without a page opens one too, and closes it before the burst. Core 0 is the server’s, and the senders and an idle process have the others; Chromium runs only when no sender wants to. Then all share all cores. No debugger watches the page.`,
      ],
    };
  },
};

/** Measures pairs of windows in a flood, one with the page and one with a stopped browser. */
async function inFlood(pairs) {
  const place = await startApart(() => startMailcap());
  const { server, browser } = place;
  const measured = [];
  try {
    await sendMail({ ...load, port: server.smtpPort, messages: 10_000 });
    while (measured.length < pairs) {
      const round = Math.min(ROUND, pairs - measured.length);
      measured.push(...(await floodRound(server, browser, round, `Visible after ${measured.length}`)));
      await fetch(`${server.url}/_mailcap/mailboxes/${server.mailboxId}/messages`, { method: 'DELETE' });
      await untilIdle(server.pid);
    }
    return measured;
  } finally {
    await place.end();
  }
}

async function floodRound(server, browser, pairs, visible) {
  const page = await pageOf(server, browser, visible);
  await untilFamilyRests(browser.pid);
  const flood = startFlood({ ...load, port: server.smtpPort });
  try {
    await delay(EVEN_MS);
    const measured = [];
    for (let pair = 0; pair < pairs; pair++) {
      const windows = {};
      for (const which of pair % 2 === 0 ? ['none', 'beside'] : ['beside', 'none']) {
        signalFamily(browser.pid, which === 'beside' ? 'SIGCONT' : 'SIGSTOP');
        windows[which] = await windowOf(server);
      }
      measured.push(windows);
    }
    return measured;
  } finally {
    signalFamily(browser.pid, 'SIGCONT');
    await flood.end();
    await page.close();
  }
}

/** Returns the messages per second of a window, and the processor time of the server for each. */
async function windowOf(server) {
  await delay(SETTLE_MS);
  const before = await stateOf(server);
  await delay(WINDOW_MS);
  const after = await stateOf(server);
  const messages = after.messages - before.messages;
  return {
    rate: (messages * 1_000) / (after.at - before.at),
    cost: ((after.processor - before.processor) * 1e6) / messages,
  };
}

async function stateOf(server) {
  const { counts } = await (await fetch(`${server.url}/_mailcap/info`)).json();
  return { messages: counts.messages, at: performance.now(), processor: processorSeconds(server.pid) };
}

/** Returns the geometric mean of the ratios of all pairs, and its standard error. */
function ratioOfPairs(pairs, figure) {
  const logs = pairs.map(({ beside, none }) => Math.log(beside[figure] / none[figure]));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  return { ratio: Math.exp(mean), error: Math.sqrt(variance / logs.length) };
}

function saidPairs(pairs, figure) {
  const { ratio, error } = ratioOfPairs(pairs, figure);
  return `${ratio.toFixed(3)}x ± ${error.toFixed(3)}`;
}

/**
 * Starts a server on core 0, and a browser and an idle process on the others. The browser runs only when no other process
 * wants to.
 */
async function startApart(start) {
  const cores = os.cpus().map((_, core) => core);
  // Processes that this one starts from now on get its cores.
  pin(process.pid, cores.slice(1).join(','));
  const browser = await startUnwatched(IDLE);
  const server = await start();
  const idle = cores.slice(1).map(() => startProcess(findTool('chrt'), SPIN));
  pin(server.pid, '0');
  return {
    browser,
    server,
    async end() {
      await endBoth(browser, server);
      await Promise.all(idle.map(end));
      pin(process.pid, cores.join(','));
    },
  };
}

async function startTogether(start) {
  const browser = await startUnwatched();
  const server = await start();
  return { browser, server, end: () => endBoth(browser, server) };
}

async function endBoth(browser, server) {
  await browser.close();
  await server.stop();
}

/** Measures bursts in turns, without a page and with one. */
async function measure({ name, start, messages, warmUp }, turns, apart) {
  const place = await (apart ? startApart(start) : startTogether(start));
  const { server, browser } = place;
  try {
    await sendMail({ ...load, port: server.smtpPort, messages: warmUp });
    const measured = { alone: [], beside: [] };
    let sent = warmUp;
    for (let turn = 0; turn < turns; turn++) {
      const order = turn % 2 === 0 ? ['alone', 'beside'] : ['beside', 'alone'];
      for (const which of order) {
        const visible = `Visible before turn ${turn} ${which}`;
        measured[which].push(await burst(server, browser, messages, { visible, isOpen: which === 'beside' }));
        sent += messages + 1;
      }
    }
    if (name === 'mailcap') await checkStored(server, sent);
    return measured;
  } finally {
    await place.end();
  }
}

/**
 * Measures a burst, with a page open whose newest mail has the subject `visible`, or with that page closed again.
 * Opening a page is not what is measured: it warms and rests the server, so both kinds of turn do it.
 */
async function burst(server, browser, messages, { visible, isOpen }) {
  const page = await pageOf(server, browser, visible);
  try {
    if (!isOpen) await page.close();
    await untilFamilyRests(browser.pid);
    // The server prepares the texts of ten thousand mails after the first turn.
    await untilIdle(server.pid, { patienceMs: 60_000 });
    const before = processorSeconds(server.pid);
    const rate = await sendMail({ ...load, port: server.smtpPort, messages });
    return { rate, cost: ((processorSeconds(server.pid) - before) * 1e6) / messages };
  } finally {
    if (isOpen) await page.close();
  }
}

async function pageOf(server, browser, visible) {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort, ignoreTLS: true });
  await transport.sendMail({
    from: 'a@bench.test',
    to: 'bench@inbox.mailcap.example.com',
    subject: visible,
    text: 'Hello',
  });
  transport.close();
  return browser.open(server.url ?? server.httpUrl, visible);
}

/** Restricts a process and its threads to cores. Processes that it starts later are restricted too. */
function pin(pid, cores) {
  execFileSync(findTool('taskset'), ['-acp', cores, String(pid)], { stdio: 'ignore' });
}

function of(measured, figure) {
  return measured.map((one) => one[figure]);
}

function ratioOf({ alone, beside }, figure) {
  return median(of(beside, figure)) / median(of(alone, figure));
}

function saidRates({ alone, beside }) {
  return `${spread(of(beside, 'rate'))}/s, none ${spread(of(alone, 'rate'))}/s`;
}

import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { createTransport } from 'nodemailer';
import { startUnwatched } from '../browser.js';
import { findTool, sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { processorSeconds, untilFamilyRests, untilIdle } from '../process-usage.js';
import { end, start as startProcess } from '../processes.js';
import { row, told } from '../results.js';
import { findMailpit, startMailcap, startMailDev, startMailpit } from '../servers.js';
import { median, number, spread } from '../statistics.js';

// This figure measures what a page of the inbox that is open costs the intake of mail. The page has work of its own,
// and on two cores it would take the server's time and the senders'. So the server gets a core that the others do not
// use, and the browser only the time that the senders leave. No debugger watches the page. An idle process keeps the
// other cores busy in every turn, because cores that share their parts are slower together.
// One server, which is warm, is measured in turns: a new one gets faster for seconds, with or without a page.

/** The arguments of chrt for a busy process that only gets processor time that no other process uses. */
const IDLE = ['-i', '0', process.execPath, '-e', 'for (;;);'];
const load = { sessions: 50, bytes: 10 * 1024, reuse: true };

export const pageBeside = {
  name: 'page-beside',
  title: 'Ingest with a page of the web inbox open',
  tools: ['chromium', 'smtp-source', 'taskset', 'chrt', 'nice', '/proc'],
  peers: true,
  async run({ runs, quick, say }) {
    const peers = [
      { name: 'mailcap', start: () => startMailcap(), messages: quick ? 3_000 : 6_000, warmUp: 10_000 },
      ...(findMailpit() === null
        ? []
        : [{ name: 'Mailpit', start: () => startMailpit(['--max', '0']), messages: 3_000, warmUp: 1_000 }]),
      { name: 'MailDev', start: startMailDev, messages: quick ? 1_000 : 3_000, warmUp: 1_000 },
    ];
    const turns = 2 * runs;
    for (const peer of peers) {
      // The difference to measure is a few per cent, but two turns may differ by twenty, so mailcap gets more turns.
      peer.apart = await measure(peer, peer.name === 'mailcap' ? 4 * turns : turns, true);
      if (peer.name === 'mailcap')
        say(
          `apart ${ratioOf(peer.apart, 'rate').toFixed(3)}x, ${ratioOf(peer.apart, 'cost').toFixed(3)}x processor time, ${saidRates(peer.apart)}`,
        );
      peer.shared = await measure(peer, turns, false);
      say(
        `${peer.name}: ${ratioOf(peer.apart, 'rate').toFixed(3)}x, on all cores ${ratioOf(peer.shared, 'rate').toFixed(2)}x`,
      );
    }
    const [mailcap, ...others] = peers;
    return {
      rows: [
        row({
          figure: 'SMTP ingest 10 KB with a page of the web inbox open, against none; the server has a core of its own',
          value: ratioOf(mailcap.apart, 'rate'),
          unit: 'x',
          atLeast: 0.97,
          digits: 3,
          absolute: saidRates(mailcap.apart),
        }),
        told({
          figure: 'Processor time of a message with a page of the web inbox open, against none',
          value: ratioOf(mailcap.apart, 'cost'),
          unit: 'x',
          absolute: `${spread(of(mailcap.apart.beside, 'cost'))} us, none ${spread(of(mailcap.apart.alone, 'cost'))} us`,
        }),
        told({
          figure: `SMTP ingest 10 KB with a page open, against none; all on ${os.availableParallelism()} cores`,
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
            figure: `The same of ${name}, all on ${os.availableParallelism()} cores`,
            value: ratioOf(shared, 'rate'),
            unit: 'x',
            absolute: saidRates(shared),
          }),
        ]),
      ],
      notes: [
        `A page beside ingest: ${number(mailcap.messages)} messages a turn over 50 sessions into the list that is open, ${4 * turns} turns with a page and as many without, in turns on one warm server, and a quarter as many of each for all that is told besides. A turn without a page opens one too, and closes it before the burst. First core 0 is the server’s, and Chromium, the senders and an idle process have the others, with the lowest priority for Chromium; then all share all cores. No debugger watches the page.`,
      ],
    };
  },
};

/** Measures in turns, without a page and with one. */
async function measure({ name, start, messages, warmUp }, turns, apart) {
  const cores = os.cpus().map((_, core) => core);
  const all = cores.join(',');
  // Processes that this one starts from now on get its cores.
  if (apart) pin(process.pid, cores.slice(1).join(','));
  const browser = await startUnwatched(apart ? { niceness: 19 } : {});
  const server = await start();
  const idle = apart ? cores.slice(1).map(() => startProcess(findTool('chrt'), IDLE)) : [];
  try {
    if (apart) pin(server.pid, '0');
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
    await browser.close();
    await server.stop();
    await Promise.all(idle.map(end));
    if (apart) pin(process.pid, all);
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
    await untilIdle(server.pid);
    const before = processorSeconds(server.pid);
    const rate = await sendMail({ ...load, port: server.smtpPort, messages });
    return { rate, cost: ((processorSeconds(server.pid) - before) * 1e6) / messages };
  } finally {
    if (isOpen) await page.close();
  }
}

async function pageOf(server, browser, visible) {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort, ignoreTLS: true });
  await transport.sendMail({ from: 'a@bench.test', to: 'bench@inbox.mailcap.test', subject: visible, text: 'Hello' });
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

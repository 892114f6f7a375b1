import { launchBrowser, openInbox } from '../browser.js';
import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { processorSeconds } from '../process-usage.js';
import { row, told } from '../results.js';
import { findMailpit, startMailcap, startMailDev, startMailpit } from '../servers.js';
import { median, number, spread } from '../statistics.js';

// This figure measures what a page of the inbox that is open costs the intake of mail.

const WARM_UP = 1_000;
const load = { sessions: 50, bytes: 10 * 1024, reuse: true };
const TOP = 'Visible before the load';

export const pageBeside = {
  name: 'page-beside',
  title: 'Ingest with a page of the web inbox open',
  tools: ['chromium', 'smtp-source', '/proc'],
  peers: true,
  async run({ runs, quick, say }) {
    const peers = [
      { name: 'mailcap', start: () => startMailcap(), messages: quick ? 4_000 : 12_000 },
      ...(findMailpit() === null
        ? []
        : [{ name: 'Mailpit', start: () => startMailpit(['--max', '0']), messages: 4_000 }]),
      { name: 'MailDev', start: startMailDev, messages: quick ? 1_000 : 4_000 },
    ].map((peer) => ({ ...peer, alone: [], beside: [] }));
    const browser = await launchBrowser();
    try {
      for (let run = 0; run < runs; run++) {
        for (const peer of peers) {
          peer.alone.push(await measure(peer, null));
          peer.beside.push(await measure(peer, browser));
        }
        say(`run ${run + 1} of ${runs}`);
      }
    } finally {
      await browser.close();
    }
    const [mailcap, ...others] = peers;
    return {
      rows: [
        row({
          figure: 'SMTP ingest 10 KB with a page of the web inbox open, against none',
          value: ratioOf(mailcap, 'rate'),
          unit: 'x',
          atLeast: 0.97,
          absolute: saidRates(mailcap),
        }),
        told({
          figure: 'Processor time of a message with a page of the web inbox open, against none',
          value: ratioOf(mailcap, 'cost'),
          unit: 'x',
          absolute: `${spread(of(mailcap.beside, 'cost'))} us, none ${spread(of(mailcap.alone, 'cost'))} us`,
        }),
        ...others.map((peer) =>
          told({
            figure: `The same of ${peer.name}: rate`,
            value: ratioOf(peer, 'rate'),
            unit: 'x',
            absolute: saidRates(peer),
          }),
        ),
      ],
      notes: [
        `A page beside ingest: ${number(mailcap.messages)} messages a run over 50 sessions into the list that is open, on a fresh server, in turns with and without a page; Chromium runs on the same two cores, and stays running without a page.`,
      ],
    };
  },
};

async function measure({ name, start, messages }, browser) {
  const server = await start();
  let page = null;
  try {
    await sendMail({ ...load, port: server.smtpPort, messages: WARM_UP });
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort, ignoreTLS: true });
    await transport.sendMail({ from: 'a@bench.test', to: 'bench@inbox.mailcap.test', subject: TOP, text: 'Hello' });
    transport.close();
    if (browser !== null) page = await openInbox(browser, server.url ?? server.httpUrl, TOP);
    const before = processorSeconds(server.pid);
    const rate = await sendMail({ ...load, port: server.smtpPort, messages });
    const cost = ((processorSeconds(server.pid) - before) * 1e6) / messages;
    if (name === 'mailcap') await checkStored(server, WARM_UP + 1 + messages);
    return { rate, cost };
  } finally {
    await page?.close();
    await server.stop();
  }
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

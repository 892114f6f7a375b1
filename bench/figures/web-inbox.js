import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { findTool, sendMail } from '../load.js';
import { row, told } from '../results.js';
import { startMailcap, startMailDev } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

const BURST_MS = 10_000;
const MIB = 1024 * 1024;

/** The subject of the mail on top of each list. The list is painted once it is visible. */
const TOP = 'the newest before the burst';

export const webInbox = {
  name: 'web-inbox',
  title: 'The web inbox',
  tools: ['chromium', 'smtp-source'],
  peers: true,
  async run({ runs, quick, say }) {
    const { chromium } = await import('@playwright/test');
    const stored = quick ? 2_000 : 20_000;
    const burst = quick ? 100 : 1_000;
    const servers = { mailcap: await startMailcap({ args: ['--ephemeral'] }), maildev: await startMailDev() };
    const args = ['--no-sandbox', '--disable-background-networking', '--enable-precise-memory-info'];
    const browser = await chromium.launch({ executablePath: findTool('chromium'), args });
    const found = { mailcap: [], maildev: [] };
    try {
      const port = { mailcap: servers.mailcap.smtpPort, maildev: servers.maildev.smtpPort };
      for (const name of Object.keys(servers)) {
        const messages = name === 'mailcap' ? stored : Math.min(stored, 1_000);
        await sendMail({ port: port[name], sessions: 4, messages, bytes: 1_024, reuse: true });
        say(`${name} holds ${messages}`);
      }
      const url = { mailcap: servers.mailcap.url, maildev: servers.maildev.httpUrl };
      for (let run = 0; run < runs; run++)
        for (const name of Object.keys(servers)) {
          found[name].push(await look(browser, url[name], { port: port[name], burst }));
          say(`${name}, run ${run + 1}`);
        }
    } finally {
      await browser.close();
      await Promise.all(Object.values(servers).map((server) => server.stop()));
    }
    return { rows: rowsOf(found, burst), notes: notesOf(stored, burst) };
  },
};

/** Opens an inbox, waits for its list, and sends a burst of mails while the list is visible. */
async function look(browser, url, { port, burst }) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, pool: true, maxConnections: 4 });
  await transport.sendMail({ from: 'a@bench.test', to: 'b@inbox.mailcap.test', subject: TOP, text: 'Hello' });
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const startedAt = performance.now();
  await page.goto(url);
  await page.getByText(TOP).first().waitFor();
  const paintedMs = performance.now() - startedAt;
  await delay(1_000);
  const loadedBytes = bytes;
  const metricsOf = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await metricsOf();
  await page.evaluate(`{
    window.seen = {};
    new MutationObserver(() => {
      for (const [mark] of document.body.textContent.matchAll(/burst-[a-z0-9]+-\\d+/g)) window.seen[mark] ??= Date.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  const accepted = new Map();
  const mark = Math.random().toString(36).slice(2, 8);
  const sent = [];
  const from = performance.now();
  for (let at = 0; at < burst; at++) {
    const subject = `burst-${mark}-${at}`;
    const mail = { from: 'a@bench.test', to: 'b@inbox.mailcap.test', subject, text: 'Hello' };
    sent.push(transport.sendMail(mail).then(() => accepted.set(subject, Date.now())));
    const due = from + (at * BURST_MS) / burst;
    if (due > performance.now()) await delay(due - performance.now());
  }
  await Promise.all(sent);
  await delay(1_000);
  const seen = await page.evaluate('window.seen');
  const after = await metricsOf();
  transport.close();
  await context.close();
  // A mail that scrolled out of sight within one frame was never visible, so it is not counted.
  const visible = [...accepted].flatMap(([subject, time]) =>
    seen[subject] === undefined ? [] : [Math.max(0, seen[subject] - time)],
  );
  return {
    loadedBytes,
    paintedMs,
    heap: after.JSHeapUsedSize / MIB,
    elements: after.Nodes,
    mainSeconds: after.TaskDuration - before.TaskDuration,
    visibleMs: visible.length === 0 ? Number.NaN : percentile(visible, 95),
  };
}

function rowsOf({ mailcap, maildev }, burst) {
  const of = (looks, name) => looks.map((one) => one[name]);
  const both = (name, digits) => `${spread(of(mailcap, name), digits)}; MailDev ${spread(of(maildev, name), digits)}`;
  const mine = (name) => median(of(mailcap, name));
  return [
    row({
      figure: 'First load of the web inbox, all on the wire, kB',
      value: mine('loadedBytes') / 1_000,
      digits: 0,
      atMost: 60,
      absolute: `MailDev ${number(median(of(maildev, 'loadedBytes')) / 1_000)} kB`,
    }),
    row({
      figure: 'List painted, s',
      value: mine('paintedMs') / 1_000,
      atMost: 0.5,
      absolute: `${both('paintedMs')} ms`,
    }),
    row({
      figure: `Heap after a burst of ${burst} mails in 10 s, MiB`,
      value: mine('heap'),
      digits: 1,
      atMost: 10,
      absolute: both('heap', 1),
    }),
    row({
      figure: 'Main thread in the burst, s',
      value: mine('mainSeconds'),
      atMost: 2,
      absolute: both('mainSeconds', 2),
    }),
    row({
      figure: 'A mail is visible after its 250, p95, ms',
      value: mine('visibleMs'),
      digits: 0,
      atMost: 100,
      absolute: both('visibleMs'),
    }),
    told({ figure: 'DOM nodes after the burst', value: mine('elements'), digits: 0, absolute: both('elements') }),
  ];
}

function notesOf(stored, burst) {
  return [
    `The web inbox: Chromium headless, ${number(stored)} mails stored in mailcap (MailDev at most 1,000), ${number(burst)} sent over 10 s to the list that is open; garbage is collected before the heap is read.`,
  ];
}

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { launchBrowser, metricsOf, openInbox } from '../browser.js';
import { sendMail } from '../load.js';
import { row } from '../results.js';
import { findMailpit, startMailcap, startMailDev, startMailpit } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

// This figure measures what a person who looks at the inbox waits for, while mail comes.

const BURST_MS = 10_000;
const MIB = 1024 * 1024;
/** MailDev sends its whole list at once. It is measured with no more than this. */
const MAILDEV_HOLDS = 1_000;

/** The subject of the mail on top of each list. The list is painted once it is visible. */
const TOP = 'the newest before the burst';
const NAMES = { mailcap: 'mailcap', mailpit: 'Mailpit', maildev: 'MailDev' };

export const webInbox = {
  name: 'web-inbox',
  title: 'The web inbox',
  tools: ['chromium', 'smtp-source'],
  peers: true,
  async run({ runs, quick, say }) {
    const stored = quick ? 2_000 : 20_000;
    const burst = quick ? 100 : 1_000;
    const servers = { mailcap: await startMailcap({ args: ['--ephemeral'] }), maildev: await startMailDev() };
    if (findMailpit() !== null) servers.mailpit = await startMailpit(['--max', '0']);
    const browser = await launchBrowser();
    const names = Object.keys(NAMES).filter((name) => name in servers);
    const found = Object.fromEntries(names.map((name) => [name, []]));
    try {
      for (const name of names) {
        const messages = name === 'maildev' ? Math.min(stored, MAILDEV_HOLDS) : stored;
        await sendMail({ port: servers[name].smtpPort, sessions: 4, messages, bytes: 1_024, reuse: true });
        say(`${name} holds ${messages}`);
      }
      for (let run = 0; run < runs; run++)
        for (const name of names) {
          const url = servers[name].url ?? servers[name].httpUrl;
          found[name].push(await look(browser, url, { port: servers[name].smtpPort, burst }));
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
  await transport.sendMail({ from: 'a@bench.test', to: 'b@inbox.mailcap.example.com', subject: TOP, text: 'Hello' });
  const { page, session, loaded, paintedMs, close } = await openInbox(browser, url, TOP);
  await delay(1_000);
  const loadedBytes = loaded.bytes;
  const before = await metricsOf(session);
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
    const mail = { from: 'a@bench.test', to: 'b@inbox.mailcap.example.com', subject, text: 'Hello' };
    sent.push(transport.sendMail(mail).then(() => accepted.set(subject, Date.now())));
    const due = from + (at * BURST_MS) / burst;
    if (due > performance.now()) await delay(due - performance.now());
  }
  await Promise.all(sent);
  await delay(1_000);
  const seen = await page.evaluate('window.seen');
  const after = await metricsOf(session);
  const elements = await page.evaluate('document.querySelectorAll("*").length');
  transport.close();
  await close();
  // A mail that scrolled out of sight within one frame was never visible, so it is not counted.
  const visible = [...accepted].flatMap(([subject, time]) =>
    seen[subject] === undefined ? [] : [Math.max(0, seen[subject] - time)],
  );
  return {
    loadedBytes,
    paintedMs,
    heapBefore: before.JSHeapUsedSize / MIB,
    heap: after.JSHeapUsedSize / MIB,
    elements,
    mainSeconds: after.TaskDuration - before.TaskDuration,
    visibleMs: visible.length === 0 ? Number.NaN : percentile(visible, 95),
    shown: visible.length,
  };
}

function rowsOf(found, burst) {
  const of = (name, figure) => found[name].map((one) => one[figure]);
  const mine = (figure) => median(of('mailcap', figure));
  const names = Object.keys(found);
  /** Writes a figure of all servers, mailcap's first. */
  const all = (figure, { digits = 0, unit = '', scale = 1 } = {}) =>
    names
      .map(
        (name) =>
          `${NAMES[name]} ${spread(
            of(name, figure).map((value) => value * scale),
            digits,
          )}${unit}`,
      )
      .join('; ');
  return [
    row({
      figure: 'First load of the web inbox, all on the wire in gzip, kB',
      value: mine('loadedBytes') / 1_000,
      digits: 0,
      atMost: 60,
      absolute: all('loadedBytes', { scale: 1 / 1_000, unit: ' kB' }),
    }),
    row({
      figure: 'List painted, s',
      value: mine('paintedMs') / 1_000,
      atMost: 0.5,
      absolute: all('paintedMs', { unit: ' ms' }),
    }),
    row({
      figure: `Heap after a burst of ${number(burst)} mails in 10 s, MiB`,
      value: mine('heap'),
      digits: 1,
      atMost: 10,
      absolute: names
        .map((name) => `${NAMES[name]} ${spread(of(name, 'heapBefore'), 1)} → ${spread(of(name, 'heap'), 1)}`)
        .join('; '),
    }),
    row({
      figure: 'Main thread in the burst, s',
      value: mine('mainSeconds'),
      atMost: 2,
      absolute: all('mainSeconds', { digits: 2 }),
    }),
    row({
      figure: 'A mail is visible after its 250, p95, ms',
      value: mine('visibleMs'),
      digits: 0,
      atMost: 100,
      absolute: `${all('visibleMs')}; of ${number(burst)} mails seen: ${all('shown')}`,
    }),
    row({
      figure: 'DOM elements after the burst',
      value: mine('elements'),
      digits: 0,
      atMost: 400,
      absolute: all('elements'),
    }),
  ];
}

function notesOf(stored, burst) {
  return [
    `The web inbox: Chromium headless, ${number(stored)} mails stored (MailDev ${number(Math.min(stored, MAILDEV_HOLDS))}, Mailpit with \`--max 0\` so that it keeps them), ${number(burst)} sent over 10 s to the list that is open, gzip asked for; garbage is collected before the heap is read. The servers take turns.`,
    ...(findMailpit() === null ? ['Mailpit took no part: neither MAILPIT nor PATH names its program.'] : []),
  ];
}

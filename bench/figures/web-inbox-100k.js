import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { launchBrowser, metricsOf, openInbox } from '../browser.js';
import { openSmtpSession } from '../clients/smtp-session.js';
import { untilDone } from '../process-usage.js';
import { row } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, spread } from '../statistics.js';
import { vocabulary } from '../vocabulary.js';

// This figure measures what a reader of a full inbox waits for: the list, the results of each letter, an opened mail.

const ADDRESS = 'bench@inbox.mailcap.example.com';
const TOP = 'the newest of all';
/** The words that are typed, letter by letter. Each letter is measured, and has results. */
const TYPED = ['harbour', 'invoice', 'verify', 'welcome', 'receipt'];
/**
 * The pauses between two letters of a fast typist, in milliseconds. They are spread over the length of a frame: with one
 * pause for all, each letter would meet the same moment of a frame.
 */
const PAUSES = [82, 91, 86, 95, 84, 93, 88, 97];
/** The time for which a mouse rests on a row before it presses, and presses, in milliseconds: a fast reader's. */
const REST_MS = 100;
const PRESS_MS = 60;
const MIB = 1024 * 1024;
const BEAT_MS = 100;

export const webInbox100k = {
  name: 'web-inbox-100k',
  title: 'The web inbox with 100,000 mails',
  tools: ['chromium', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const stored = quick ? 5_000 : 100_000;
    const server = await startMailcap();
    const browser = await launchBrowser();
    try {
      await fill(server.smtpPort, stored);
      say(`filled with ${number(stored)} mails`);
      await untilDone(server.pid, 3);
      say('prepared for searches');
      const found = { list: [], letters: [], opened: [], elements: [] };
      for (let run = 0; run < 2 * runs; run++) {
        const { paintedMs, letters, opened, elements } = await look(browser, server.url);
        found.list.push(paintedMs);
        found.letters.push(median(letters));
        found.opened.push(median(opened));
        found.elements.push(elements);
        say(`run ${run + 1}: list ${number(paintedMs)}, a letter ${spread(letters)}, opened ${spread(opened)} ms`);
      }
      const heap = await heapAfter(browser, server, quick ? 10 : 600);
      return { rows: rowsOf(found, heap, number(stored)), notes: notesOf(number(stored), heap) };
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

/** Sends mails with HTML, a link and a code, each with words of its own. */
export async function fill(port, count) {
  const words = vocabulary();
  let sent = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const session = await openSmtpSession(port);
      while (sent < count - 1) await session.send({ to: [ADDRESS], ...mailOf(words, sent++) });
      session.close();
    }),
  );
  const session = await openSmtpSession(port);
  await session.send({ to: [ADDRESS], ...mailOf(words, count), subject: TOP });
  session.close();
}

function mailOf(words, which) {
  const line = (length) => Array.from({ length }, () => words.one()).join(' ');
  const topic = TYPED[which % TYPED.length];
  const rows = Array.from({ length: 6 }, () => `<tr><td style="padding:4px">${line(8)}</td></tr>`).join('\r\n');
  const html = `<html><body style="font-family:Arial"><h1>${topic} ${line(3)}</h1><table>${rows}</table>
<p>Your code is <b>${100_000 + (which % 899_999)}</b>, or <a href="https://app.test/verify?t=${which}">verify</a>.</p></body></html>`;
  return {
    subject: `${topic} ${line(2)} ${which}`,
    headers: 'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n',
    text: html.replace(/\r?\n/g, '\r\n'),
  };
}

/** Opens the page, types words, and opens mails, as one reader does. */
export async function look(browser, url) {
  const { page, session, close } = await openInbox(browser, url, TOP, WATCH);
  try {
    const paintedMs = await page.evaluate('window.painted');
    await delay(500);
    const letters = [];
    for (const word of TYPED) letters.push(...(await typed(page, word)));
    const opened = [];
    for (let at = 1; at <= 10; at++) {
      const row = page.locator('.row').nth(at % 6);
      await page.evaluate('window.expectMail()');
      await row.hover();
      await delay(REST_MS);
      await row.click({ delay: PRESS_MS });
      opened.push(await page.evaluate('window.shown()'));
      await delay(150);
    }
    const elements = await page.evaluate('document.querySelectorAll("*").length');
    const { JSHeapUsedSize } = await metricsOf(session);
    return { paintedMs, letters, opened, elements, heap: JSHeapUsedSize / MIB };
  } finally {
    await close();
  }
}

/** Types a word and returns the milliseconds from each key to the frame that shows its results. */
async function typed(page, word) {
  await page.locator('#search').focus();
  const times = [];
  for (let length = 1; length <= word.length; length++) {
    await page.evaluate(`window.expectResults(${JSON.stringify(word.slice(0, length))})`);
    await page.keyboard.press(word[length - 1]);
    times.push(await page.evaluate('window.shown()'));
    await delay(PAUSES[length % PAUSES.length]);
  }
  await page.keyboard.press('Escape');
  await page.getByText(TOP).first().waitFor();
  await delay(300);
  return times;
}

/**
 * Measures in the page, so that the time to ask it does not count. A time ends with the first frame after the one that
 * was drawn with what is waited for.
 */
const WATCH = `{
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const until = async (what, isSo) => {
    const from = performance.now();
    while (!isSo()) {
      if (performance.now() - from > 30_000) throw new Error(what + ': ' + [document.querySelector('#search')?.value, document.querySelector('main').innerText.slice(0, 300)].join(' | '));
      await frame();
    }
  };
  const drawn = () => frame().then(() => performance.now());
  const isListed = () => [...document.querySelectorAll('.row')].some((row) => row.textContent.includes(${JSON.stringify(TOP)}));
  window.painted = until('no list', isListed).then(drawn);
  let keyAt = 0, upAt = 0;
  const loaded = new WeakSet();
  const shownFrame = () => [...document.querySelectorAll('.message-pane iframe')].find((frame) => frame.checkVisibility());
  addEventListener('keydown', (event) => { keyAt = event.timeStamp; }, true);
  addEventListener('pointerup', (event) => { upAt = event.timeStamp; }, true);
  document.addEventListener('load', ({ target }) => { if (target.tagName === 'IFRAME') loaded.add(target); }, true);
  let shown;
  // What is expected is watched from before the key or the click on, and the page is asked for its time afterwards.
  window.expectResults = (text) => {
    keyAt = 0;
    const isShown = () => {
      const rows = [...document.querySelectorAll('.row')];
      const has = (row) => [...row.querySelectorAll('mark')].some((mark) => mark.textContent.toLowerCase() === text);
      return keyAt > 0 && rows.length > 0 && rows.every(has);
    };
    shown = until('no results of ' + text, isShown).then(drawn).then((at) => at - keyAt);
  };
  window.expectMail = () => {
    upAt = 0;
    const before = shownFrame();
    const isOpen = (frame) => frame !== undefined && frame !== before && loaded.has(frame);
    shown = until('no mail', () => upAt > 0 && isOpen(shownFrame())).then(drawn).then((at) => at - upAt);
  };
  window.shown = () => shown;
}`;

/** Returns the heap of a page after it took ten mails a second for some time. */
async function heapAfter(browser, server, seconds) {
  const { session, close } = await openInbox(browser, server.url, TOP);
  const before = await metricsOf(session);
  const sender = await openSmtpSession(server.smtpPort);
  const words = vocabulary();
  const from = performance.now();
  for (let sent = 0; sent < (seconds * 1_000) / BEAT_MS; sent++) {
    await sender.send({ to: [ADDRESS], ...mailOf(words, sent) });
    const due = from + (sent + 1) * BEAT_MS;
    if (due > performance.now()) await delay(due - performance.now());
  }
  sender.close();
  await delay(1_000);
  const after = await metricsOf(session);
  await close();
  return { seconds, before: before.JSHeapUsedSize / MIB, after: after.JSHeapUsedSize / MIB };
}

function rowsOf({ list, letters, opened, elements }, heap, stored) {
  const least = (values) => `least ${number(Math.min(...values))}; ${spread(values)} ms`;
  return [
    row({
      figure: `List painted with ${stored} mails, ms`,
      value: median(list),
      digits: 0,
      atMost: 500,
      absolute: least(list),
    }),
    row({
      figure: `From a key to its results in ${stored} mails, ms`,
      ...{ value: median(letters), digits: 0, atMost: 50, absolute: least(letters) },
    }),
    row({
      figure: `From a click, after a rest of ${REST_MS} ms on its row, to the mail with its HTML, of ${stored} mails, ms`,
      ...{ value: median(opened), digits: 0, atMost: 60, absolute: least(opened) },
    }),
    row({
      figure: 'DOM elements beside an opened mail',
      ...{ value: Math.max(...elements), digits: 0, atMost: 500, absolute: 'the most of all runs' },
    }),
    row({
      figure: `Heap after ${heap.seconds} s with ten mails a second, MiB`,
      ...{ value: heap.after, digits: 1, atMost: 10, absolute: `${number(heap.before, 1)} MiB before` },
    }),
  ];
}

function notesOf(stored) {
  return [
    `The full web inbox: ${stored} mails of 2 KB with HTML, sent over 8 sessions, their texts prepared; ${TYPED.length} words typed with ${Math.min(...PAUSES)} to ${Math.max(...PAUSES)} ms between two letters, ten mails clicked; a time ends with the frame after the one drawn. A run counts with its median.`,
  ];
}

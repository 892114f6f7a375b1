import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { findTool } from './load.js';
import { signalFamily } from './process-usage.js';
import { end, removeDirectory, start, temporaryDirectory } from './processes.js';

// This module opens inboxes in Debian's Chromium, as a person's browser does.

const ARGUMENTS = ['--no-sandbox', '--disable-background-networking', '--enable-precise-memory-info'];

export async function launchBrowser() {
  const { chromium } = await import('@playwright/test');
  return chromium.launch({ executablePath: findTool('chromium'), args: ARGUMENTS });
}

/**
 * Opens an inbox whose newest mail has the subject `top`, and waits until that mail is visible. `watch` is a script that
 * runs in the page before its own.
 * @returns the page, its DevTools session, the milliseconds until then, and a function that closes it
 */
export async function openInbox(browser, url, top, watch = '') {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  if (watch !== '') await page.addInitScript(watch);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable');
  // Every server is asked for the same encoding, so that bytes on the wire can be compared.
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': 'gzip' } });
  const loaded = { bytes: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (loaded.bytes += encodedDataLength));
  const startedAt = performance.now();
  await page.goto(url);
  await shows(page, top);
  return { page, session, loaded, paintedMs: performance.now() - startedAt, close: () => context.close() };
}

/**
 * Starts a Chromium without a DevTools session on its pages. Such a session gets a message for each WebSocket frame,
 * which costs Chromium as much processor time as the page itself, and costs its client some too.
 * @param {string[]} [policy] the arguments of chrt that set its scheduling policy, if it has one of its own
 */
export async function startUnwatched(policy) {
  const directory = temporaryDirectory();
  const arguments_ = [...ARGUMENTS, '--headless', '--remote-debugging-port=0', `--user-data-dir=${directory}`];
  const command = [findTool('chromium'), ...arguments_, '--window-size=1440,900', 'about:blank'];
  const [program, ...rest] = policy === undefined ? command : [findTool('chrt'), ...policy, ...command];
  const child = start(program, rest);
  const devTools = `http://127.0.0.1:${await portIn(directory, child)}`;
  return {
    pid: child.pid,
    /** Opens a page, and ends the DevTools session once the text `top` is visible. Returns a function that closes it. */
    async open(url, top) {
      const { id } = await (await fetch(`${devTools}/json/new?${encodeURIComponent(url)}`, { method: 'PUT' })).json();
      const { chromium } = await import('@playwright/test');
      const session = await chromium.connectOverCDP(devTools);
      const pages = session.contexts().flatMap((context) => context.pages());
      await shows(
        pages.find((page) => page.url() !== 'about:blank'),
        top,
      );
      await session.close();
      return { close: () => fetch(`${devTools}/json/close/${id}`) };
    },
    async close() {
      // Debian's program starts Chromium as a child, which outlives it.
      signalFamily(child.pid, 'SIGTERM');
      await end(child);
      removeDirectory(directory);
    },
  };
}

/** Returns the port on which a new Chromium listens for DevTools. */
async function portIn(directory, child) {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return Number(readFileSync(join(directory, 'DevToolsActivePort'), 'utf8').split('\n')[0]);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      await delay(50);
    }
  }
  throw new Error(`Chromium did not start: ${child.printed}`);
}

async function shows(page, text) {
  // Mailpit has each subject twice, once for narrow screens.
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

/** Returns the metrics of a page by their names, after a garbage collection. */
export async function metricsOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

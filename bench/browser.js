import { performance } from 'node:perf_hooks';
import { findTool } from './load.js';

// This module opens inboxes in Debian's Chromium, as a person's browser does.

const ARGUMENTS = ['--no-sandbox', '--disable-background-networking', '--enable-precise-memory-info'];

export async function launchBrowser() {
  const { chromium } = await import('@playwright/test');
  return chromium.launch({ executablePath: findTool('chromium'), args: ARGUMENTS });
}

/**
 * Opens an inbox whose newest mail has the subject `top`, and waits until that mail is visible.
 * @returns the page, its DevTools session, the milliseconds until then, and a function that closes it
 */
export async function openInbox(browser, url, top) {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable');
  // Every server is asked for the same encoding, so that bytes on the wire can be compared.
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': 'gzip' } });
  const loaded = { bytes: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (loaded.bytes += encodedDataLength));
  const startedAt = performance.now();
  await page.goto(url);
  // Mailpit has each subject twice, once for narrow screens.
  await page.getByText(top).filter({ visible: true }).first().waitFor();
  return { page, session, loaded, paintedMs: performance.now() - startedAt, close: () => context.close() };
}

/** Returns the metrics of a page by their names, after its garbage was collected. */
export async function metricsOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

import { type Browser, chromium, firefox, type PlaywrightWorkerOptions, test, webkit } from '@playwright/test';

/** The options of a worker that determine its browser. */
export type BrowserSettings = Pick<PlaywrightWorkerOptions, 'browserName' | 'connectOptions'>;

const TYPES = { chromium, firefox, webkit } as const;

/** The options of this worker, if it has mailcap's fixtures. */
let settings: BrowserSettings | null = null;
let opened: Promise<Browser> | null = null;

/** Remembers the options of this worker for the browser that renders its mails. */
export function useBrowser(given: BrowserSettings): void {
  settings = given;
}

/**
 * Returns the browser in which this worker renders mails. It opens with the first mail. The fixture `browser` would
 * open one even for tests that render no mail. Playwright adds the `launchOptions` of the project.
 */
export async function mailBrowser(): Promise<Browser> {
  const browser = await opened;
  if (browser?.isConnected()) return browser;
  const { browserName, connectOptions } = settings ?? ofProject();
  const type = TYPES[browserName];
  opened =
    connectOptions === undefined ? type.launch() : type.connect(connectOptions.wsEndpoint, { ...connectOptions });
  // After a failure the next call tries again.
  opened.catch(() => {
    opened = null;
  });
  return opened;
}

/** Closes the browser, if there is one. */
export async function closeBrowser(): Promise<void> {
  const browser = await opened?.catch(() => null);
  opened = null;
  await browser?.close();
}

function ofProject(): BrowserSettings {
  const { browserName, defaultBrowserType, connectOptions } = test.info().project.use;
  return { browserName: browserName ?? defaultBrowserType ?? 'chromium', connectOptions };
}

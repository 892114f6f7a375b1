import { type Browser, chromium, firefox, type PlaywrightWorkerOptions, test, webkit } from '@playwright/test';

/** The options of a worker that decide which browser it has. */
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
 * Returns the browser of this worker that renders mails. It is opened with the first mail, because the fixture `browser`
 * would open one for tests that render none. Playwright adds the `launchOptions` of the project.
 */
export async function mailBrowser(): Promise<Browser> {
  const browser = await opened;
  if (browser?.isConnected()) return browser;
  const { browserName, connectOptions } = settings ?? ofProject();
  const type = TYPES[browserName];
  opened =
    connectOptions === undefined ? type.launch() : type.connect(connectOptions.wsEndpoint, { ...connectOptions });
  // The next call tries again.
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

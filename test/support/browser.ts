import { type Browser, chromium } from '@playwright/test';
import { CHROMIUM } from './programs.ts';

const ARGS = ['--no-sandbox', '--disable-background-networking'];

let shared: Promise<Browser> | null = null;

/**
 * Returns Debian's Chromium. The test files of a worker share it, because to start one takes longer than most tests, and
 * each test has a context of its own. It ends with the worker.
 */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= ownBrowser();
  const browser = await shared;
  if (browser.isConnected()) return browser;
  shared = ownBrowser();
  return shared;
}

/** Starts a Chromium of its own, for whoever needs other arguments. The caller closes it. */
export function ownBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...ARGS, ...args] });
}

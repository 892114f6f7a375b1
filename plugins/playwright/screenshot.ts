import { type Browser, type BrowserContext, expect as base, type Page, test } from '@playwright/test';
import { type Message, OptionError } from '../../src/client/index.ts';
import { printedWithStyles } from '../../src/client/internal.ts';
import { sitedMatcher } from '../shared/call-site.ts';
import type { MatcherResult } from '../shared/matchers.ts';
import { messageName } from '../shared/message-name.ts';
import { mailView, VIEW_HEADERS } from '../shared/message-page.ts';
import { picturesOf } from '../shared/pictures.ts';
import { keepBuiltin } from './builtin-screenshot.ts';
import { mailBrowser } from './mail-browser.ts';
import { isMessage, type MailScreenshotOptions, planScreenshots, type ScreenshotPlan } from './screenshot-options.ts';

/** The state that Playwright passes to a matcher. */
export interface ScreenshotState {
  readonly isNot: boolean;
  /** The timeout of the assertion, in milliseconds. */
  readonly timeout: number;
}

/** The address of the view. No server has it: the test answers the request with the page. */
const VIEW = 'https://mail.invalid/';
const HEIGHT = 600;

/**
 * Renders the message in a page without scripts and without the network, in each colour scheme and width. It compares
 * the page by Playwright's own `toHaveScreenshot`. Under `not` at least one screenshot must differ. Any other subject
 * goes to Playwright's matcher.
 */
export const toHaveScreenshot = sitedMatcher(async function (
  this: ScreenshotState,
  message: Message,
  nameOrOptions?: string | readonly string[] | MailScreenshotOptions,
  options?: MailScreenshotOptions,
): Promise<MatcherResult> {
  keepBuiltin();
  const expect = base.configure({ timeout: this.timeout });
  if (!isMessage(message)) return asPlaywright(expect, this.isNot, message, [nameOrOptions, options]);
  const plan = planScreenshots(infoOfTest(), nameOrOptions, options);
  const failures = await failuresOf(message, plan, this.isNot, expect);
  const { length: count } = plan.shots;
  const said = `${messageName(message)} ${this.isNot ? 'should look different' : 'looks different'} in ${failures.length} of ${count} screenshots:`;
  return {
    pass: this.isNot ? failures.length === count : failures.length === 0,
    message: () => [said, ...failures].join('\n\n'),
  };
  // Playwright's own messages have colours.
}, printedWithStyles);

type Expect = typeof base;

/** Takes the screenshots, and returns what Playwright says about those that fail. */
async function failuresOf(
  message: Message,
  { shots, mask, options }: ScreenshotPlan,
  isNot: boolean,
  expect: Expect,
): Promise<string[]> {
  const html = mailView(message, await picturesOf(message));
  const context = await openContext(await mailBrowser());
  try {
    const page = await openMail(context, html);
    const masks = mask.map((selector) => page.locator(selector));
    const failures: string[] = [];
    for (const { scheme, width, title, name } of shots) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.emulateMedia({ colorScheme: scheme });
      const assertion = isNot ? expect(page, title).not : expect(page, title);
      try {
        await assertion.toHaveScreenshot(name, { fullPage: true, ...options, mask: masks });
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return failures;
  } finally {
    await context.close();
  }
}

/** Opens a new browser context. It sets every option of a project that would change how a mail looks. */
function openContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 800, height: HEIGHT },
    deviceScaleFactor: 1,
    isMobile: false,
    hasTouch: false,
    reducedMotion: 'reduce',
    forcedColors: 'none',
    javaScriptEnabled: false,
    serviceWorkers: 'block',
    acceptDownloads: false,
    storageState: { cookies: [], origins: [] },
  });
}

/** Opens the view of a mail, and blocks every other request of the page. */
async function openMail(context: BrowserContext, html: string): Promise<Page> {
  await context.route('**/*', (route) =>
    route.request().url() === VIEW ? route.fulfill({ body: html, headers: VIEW_HEADERS }) : route.abort(),
  );
  const page = await context.newPage();
  await page.goto(VIEW);
  return page;
}

/** Compares a page or a locator by Playwright's own matcher. It throws Playwright's errors unchanged. */
async function asPlaywright(
  expect: Expect,
  isNot: boolean,
  subject: unknown,
  given: readonly unknown[],
): Promise<MatcherResult> {
  // Playwright checks the subject and the arguments itself.
  const assertion = expect(subject as Page);
  const args = given.filter((one) => one !== undefined) as Parameters<typeof assertion.toHaveScreenshot>;
  await (isNot ? assertion.not : assertion).toHaveScreenshot(...args);
  return { pass: !isNot, message: () => '' };
}

function infoOfTest() {
  try {
    return test.info();
  } catch {
    throw new OptionError('toHaveScreenshot must be called in a test that Playwright runs.');
  }
}

import { existsSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { createTransport } from 'nodemailer';
import type { MailcapOptions } from '../../../src/index.ts';
import { ownBrowser, sharedBrowser } from '../../support/browser.ts';
import { startServer, type TestServer } from '../../support/mailcap.ts';
import { lacking } from '../../support/programs.ts';

const NOT_BUILT = existsSync('dist/bundle/web/index.html.br') ? null : 'the web inbox is not built';
/** The reason to skip a test of the web inbox. Null if Debian's Chromium is installed and the page is built. */
export const NO_BROWSER: string | null = lacking('chromium') ?? NOT_BUILT;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The errors of the console and uncaught exceptions. */
  readonly complaints: string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A server, and a browser with pages that show its inbox. The browser has other arguments only if the fixture got some. */
export interface InboxFixture extends AsyncDisposable {
  readonly server: TestServer;
  readonly browser: Browser;
  open(hash?: string, options?: OpenOptions): Promise<Opened>;
  /** Sends a mail by SMTP, as an app does. */
  mail(fields: Record<string, unknown>): Promise<void>;
}

export async function openInbox(options: MailcapOptions = {}, args: readonly string[] = []): Promise<InboxFixture> {
  const server = await startServer(options);
  const isShared = args.length === 0;
  const browser = await (isShared ? sharedBrowser() : ownBrowser(args));
  const transport = createTransport({ host: server.smtp.host, port: server.smtp.port, ignoreTLS: true, pool: true });
  return {
    server,
    browser,
    async open(hash = '', { width = 1_440, height = 900, scheme = 'light' } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(server.url).origin });
      const page = await context.newPage();
      // What a test waits for comes in a moment. On a busy machine a moment takes longer.
      page.setDefaultTimeout(60_000);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
      });
      await page.goto(`${server.url}/${hash}`);
      return { page, context, complaints };
    },
    async mail(fields) {
      await transport.sendMail({
        from: 'Shop <shop@shop.test>',
        to: 'ada@inbox.mailcap.example.com',
        text: 'Hello',
        ...fields,
      });
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      if (isShared) await Promise.all(browser.contexts().map((context) => context.close()));
      else await browser.close();
      await server.close();
    },
  };
}

/** Returns the text on the clipboard. */
export async function clipboard(page: Page): Promise<string> {
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

/** Returns the number of unread messages in the title of the tab. */
export async function unreadIn(page: Page): Promise<number> {
  return Number(/^\((\d+)\) /.exec(await page.title())?.[1] ?? 0);
}

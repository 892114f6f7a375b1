import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { waysToCallOut } from './hostile-mail.ts';
import { json, putMail } from './support.ts';

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface View {
  readonly url: string;
  readonly remote: readonly { host: string; kinds: readonly string[]; allowed: readonly string[] }[];
}

unless(describe, lacking('chromium'))('a mail in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let stranger: Server;
  let strangersAddress: string;
  /** The paths that the stranger's server was asked for, and the connections without a request. */
  const calls: string[] = [];
  /** The HTML that the stranger's server serves. */
  let plainPage = '';

  beforeAll(async () => {
    server = await startServer();
    stranger = createServer((req, res) => {
      if (req.url === '/plain') return void res.writeHead(200, { 'Content-Type': 'text/html' }).end(plainPage);
      calls.push(req.url ?? '');
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.writeHead(200, { 'Content-Type': 'image/png' }).end(PIXEL);
    });
    stranger.on('connection', () => calls.push('a connection'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    // The server listens on a port, so the address is no pipe name.
    strangersAddress = `http://stranger.test:${(stranger.address() as AddressInfo).port}`;
    browser = await ownBrowser(['--host-resolver-rules=MAP *.test 127.0.0.1']);
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
  });
  beforeEach(() => void calls.splice(0));

  const putHtml = (html: string, fields: Record<string, string> = {}) =>
    putMail(server, server.mailboxId, { ...HTML, ...fields }, html);
  const open = (id: string, allow?: object) =>
    json<View>(
      server.api(`/_mailcap/messages/${id}/view`, allow === undefined ? { method: 'POST' } : { json: { allow } }),
    );

  /** Opens a page from the server's address with mails in frames, as the web inbox does. */
  async function framed(...paths: readonly string[]): Promise<Page> {
    const page = await browser.newPage();
    const frames = paths.map(
      (path) => `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="${path}"></iframe>`,
    );
    await page.route('**/inbox-page', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<title>inbox</title>${frames.join('')}` }),
    );
    await page.goto(`${server.url}/inbox-page`);
    return page;
  }

  /** Waits long enough for every call that could happen. */
  async function settled(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle');
    await page.close();
  }

  test('makes no request to another host, framed or on its own; the same HTML on a plain page does', async () => {
    const ways = waysToCallOut(strangersAddress);
    const html = ways.map(([, way]) => way).join('\n');
    const { id } = await putHtml(`<!doctype html>${html}`);
    const { url, remote } = await open(id);
    expect(remote).toEqual([
      { host: new URL(strangersAddress).host, kinds: ['images', 'styles', 'fonts', 'media'], allowed: [] },
    ]);
    await settled(await framed(url));
    for (const path of [url, `/_mailcap/messages/${id}/view`]) {
      const page = await browser.newPage();
      await page.goto(server.url + path);
      await settled(page);
    }
    expect(calls).toEqual([]);

    // On a plain page without protection, the same ways do call. Three are left out, because they replace or frame the
    // page.
    const plain = await browser.newPage();
    const body = ways.filter(([name]) => !['base', 'refresh', 'frames'].includes(name)).map(([, way]) => way);
    plainPage = body.join('');
    await plain.goto(`${strangersAddress}/plain`);
    await settled(plain);
    expect(new Set(calls.filter((call) => call.startsWith('/'))).size).toBeGreaterThanOrEqual(40);
  }, 180_000);

  test('each way alone makes no request', async () => {
    const urls: string[] = [];
    for (const [, way] of waysToCallOut(strangersAddress)) urls.push((await open((await putHtml(way)).id)).url);
    const page = await framed(...urls);
    const policies = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.evaluate('document.body !== null')),
    );
    expect(policies).toEqual(urls.map(() => true));
    await settled(page);
    expect(calls).toEqual([]);
  }, 180_000);

  test('loads from an allowed host only the allowed kinds', async () => {
    const html = `<link rel=stylesheet href="${strangersAddress}/css"><img src="${strangersAddress}/img"><img src="http://other.test/x">`;
    const { id } = await putHtml(html);
    const { host } = new URL(strangersAddress);
    const { url, remote } = await open(id, { images: [host] });
    expect(remote).toEqual([
      { host, kinds: ['images', 'styles'], allowed: ['images'] },
      { host: 'other.test', kinds: ['images'], allowed: [] },
    ]);
    const page = await framed(url);
    const width = await page
      .frames()[1]
      ?.locator('img')
      .first()
      .evaluate((img) => Reflect.get(img, 'naturalWidth'));
    await settled(page);
    expect(width).toBe(1);
    expect(calls.filter((call) => call !== 'a connection')).toEqual(['/img']);
  });

  test('shows the pictures that it contains, in the frame and in one page', async () => {
    const body = [
      '--b',
      'Content-Type: text/html',
      '',
      '<img src="cid:logo@shop"><p style="background: url(cid:logo@shop)">x</p>',
      '--b',
      'Content-Type: image/png',
      'Content-ID: <logo@shop>',
      'Content-Transfer-Encoding: base64',
      '',
      PIXEL.toString('base64'),
      '--b--',
    ].join('\r\n');
    const { id } = await putMail(server, server.mailboxId, { 'Content-Type': 'multipart/related; boundary=b' }, body);
    const { url } = await open(id);
    for (const path of [url, `/_mailcap/messages/${id}/view`]) {
      const page = path === url ? await framed(path) : await browser.newPage();
      if (path !== url) await page.goto(server.url + path);
      const frame = page.frames().at(-1);
      expect(await frame?.locator('img').evaluate((img) => Reflect.get(img, 'naturalWidth'))).toBe(1);
      await settled(page);
    }
  });

  test('runs no script, and opens a link in a page of its own', async () => {
    const { id } = await putHtml(
      `<script>document.title = 'ran'</script><p onclick="document.title = 'ran'">x</p><a href="${strangersAddress}/link">go</a><a href="javascript:document.title='ran'">no</a>`,
    );
    const page = await framed((await open(id)).url);
    const frame = page.frames()[1];
    await frame?.locator('p').click();
    await frame?.getByText('no').click();
    const [popup] = await Promise.all([page.waitForEvent('popup'), frame?.getByText('go').click()]);
    await popup.waitForLoadState();
    expect(popup.url()).toBe(`${strangersAddress}/link`);
    expect(await popup.evaluate('[window.opener, document.referrer]')).toEqual([null, '']);
    expect(await page.title()).toBe('inbox');
    await page.close();
  });
});

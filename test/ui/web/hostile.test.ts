import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waysToCallOut } from '../../http/hostile-mail.ts';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** Scripts in every place of a mail that can contain one. */
const SCRIPTS = [
  '<script>top.ran = 1</script>',
  '<img src=x onerror="top.ran = 1">',
  '<svg onload="top.ran = 1"></svg>',
  '<svg><script>top.ran = 1</script></svg>',
  '<body onload="top.ran = 1">',
  '<a href="javascript:top.ran=1" id="js">x</a>',
  '<iframe srcdoc="<script>top.ran = 1</script>"></iframe>',
  '<details open ontoggle="top.ran = 1"><summary>x</summary></details>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=top.ran=1&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=top.ran=1>',
  '<noscript><p title="</noscript><img src=x onerror=top.ran=1>">',
  '<template><script>top.ran = 1</script></template>',
  '<object data="data:text/html,<script>top.ran=1</script>"></object>',
  '<embed src="data:text/html,<script>top.ran=1</script>">',
  '<link rel=stylesheet href="data:text/css,body{display:none}">',
  '<meta http-equiv="refresh" content="0;url=javascript:top.ran=1">',
  '<base href="javascript:top.ran=1//">',
  '<input autofocus onfocus="top.ran = 1">',
  '<video src=x onerror="top.ran = 1"></video>',
  '<style>@keyframes a{}p{animation:a}</style><p onanimationstart="top.ran = 1">x</p>',
];

unless(describe, NO_BROWSER)('a hostile mail in the web inbox', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  let stranger: Server;
  let at: string;
  const calls: string[] = [];
  beforeAll(async () => {
    stranger = createServer((req, res) => {
      calls.push(req.url ?? '');
      res.end();
    });
    stranger.on('connection', () => calls.push('a connection'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    // The server listens on a port, so the address is no pipe name.
    at = `http://stranger.test:${(stranger.address() as AddressInfo).port}`;
    fixture = await openInbox({}, ['--host-resolver-rules=MAP *.test 127.0.0.1']);
  }, 180_000);
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
  });

  test('makes no request, in whatever way it tries, until its host is allowed', async () => {
    const html = waysToCallOut(at)
      .map(([, way]) => way)
      .join('\n');
    await fixture.mail({ subject: 'Calls out', html: `<h1>Here</h1>${html}<img id="p" src="${at}/wanted.png">` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Calls out/ }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Here' }).waitFor();
    for (const tab of ['Text', 'Source', 'Parts', 'Headers', 'HTML'])
      if ((await page.getByRole('tab', { name: tab }).count()) > 0) await page.getByRole('tab', { name: tab }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Here' }).waitFor();
    expect(calls).toEqual([]);
    await page.getByText(/Remote content from/).click();
    await page.getByRole('button', { name: 'Allow images' }).click();
    await expect.poll(() => calls.filter((call) => call === '/wanted.png').length).toBeGreaterThan(0);
  });

  test('runs no script', async () => {
    await fixture.mail({ subject: 'Scripts', html: `<h1>Scripts</h1>${SCRIPTS.join('\n')}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Scripts/ }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Scripts' }).waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.locator('.source').waitFor();
    expect(await page.evaluate('window.ran')).toBe(undefined);
    expect(page.frames().length).toBeLessThanOrEqual(2);
  });

  test('a mail that looks like our own page stays in its frame, and reaches nothing of ours', async () => {
    const page1 = await (await fetch(`${fixture.server.url}/`)).text();
    await fixture.mail({
      subject: 'Looks like us',
      html: page1.replace('<div id="root">', '<h1>mailcap</h1><div id="root">'),
    });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Looks like us/ }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'mailcap' }).waitFor();
    expect(await frame.locator('.app').count()).toBe(0);
  });

  test('a name that DNS rebinding points at this machine opens no inbox that can read', async () => {
    const { port } = new URL(fixture.server.url);
    await fixture.mail({ subject: 'Secret' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Secret/ }).waitFor();
    const answers: (readonly [path: string, status: number])[] = [];
    page.on('response', (answer) => {
      const { hostname, pathname } = new URL(answer.url());
      if (hostname === 'rebound.test' && pathname.startsWith('/_mailcap')) answers.push([pathname, answer.status()]);
    });
    await page.goto(`http://rebound.test:${port}/`);
    const read = await page.evaluate(`Promise.all(
      ['/_mailcap/info', '/_mailcap/mailboxes', '/_mailcap/mailboxes/${fixture.server.mailboxId}/messages'].map(
        (path) => fetch(path).then((answer) => answer.status)))`);
    expect(read).toEqual([403, 403, 403]);
    const socket = await page.evaluate(`new Promise((resolve) => {
      const feed = new WebSocket('ws://rebound.test:${port}/_mailcap/feed');
      feed.onopen = () => resolve('open');
      feed.onerror = () => resolve('refused');
    })`);
    expect(socket).toBe('refused');
    expect(answers.filter(([, status]) => status !== 403)).toEqual([]);
    expect(await page.locator('body').innerText()).not.toContain('Secret');
  });

  test('another site can neither frame the page nor read or change what it shows', async () => {
    const { server } = fixture;
    const before = calls.length;
    const site = createServer((_req, res) => {
      res.setHeader('Content-Type', 'text/html');
      res.end(`<iframe src="${server.url}/"></iframe><p>the site</p>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    try {
      const { page, complaints } = await fixture.open('#/tools');
      // The server listens on a port, so the address is no pipe name.
      await page.goto(`http://site.test:${(site.address() as AddressInfo).port}/`);
      await page.getByText('the site').waitFor();
      await expect.poll(() => complaints.join()).toMatch(/403|frame-ancestors/);
      expect(await page.frameLocator('iframe').locator('.app').count()).toBe(0);
      const tried = await page.evaluate(`Promise.all([
        fetch('${server.url}/_mailcap/mailboxes').then((answer) => answer.text(), () => 'refused'),
        fetch('${server.url}/_mailcap/reset', { method: 'POST', mode: 'no-cors' }).then(() => 'sent', () => 'refused'),
        new Promise((resolve) => {
          const feed = new WebSocket('${server.ready.feedUrl}');
          feed.onopen = () => resolve('open');
          feed.onerror = () => resolve('refused');
        }),
      ])`);
      expect(tried).toEqual(['refused', expect.any(String), 'refused']);
      // The reset was refused: the mail of the tests before is still there.
      const path = `/_mailcap/mailboxes/${server.mailboxId}/messages`;
      expect((await json<{ items: unknown[] }>(server.api(path))).items.length).toBeGreaterThan(0);
      expect(calls.length).toBe(before);
    } finally {
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    }
  });

  test('no page can frame the inbox, which writes no HTML strings and runs nothing inline', async () => {
    const response = await fetch(`${fixture.server.url}/`);
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "trusted-types 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    const { page } = await fixture.open();
    await page.getByRole('option').first().waitFor();
    const refused = await page.evaluate(
      `(() => { try { document.body.innerHTML = '<b>x</b>'; return 'taken'; } catch (error) { return error.name; } })()`,
    );
    expect(refused).toBe('TypeError');
  });
});

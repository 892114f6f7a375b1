import { afterEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { startServer } from '../../support/mailcap.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox, unreadIn } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the connection of the web inbox', { timeout: 180_000 }, () => {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });
  const start = async (...options: Parameters<typeof openInbox>): Promise<InboxFixture> => {
    const fixture = await openInbox(...options);
    open.push(fixture);
    return fixture;
  };

  test('the page shows that its server is gone, and shows another server in its place without a reload', async () => {
    const fixture = await start();
    await fixture.mail({ subject: 'Before' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Before/ }).waitFor();
    await page.evaluate('window.mine = true');
    const { port } = new URL(fixture.server.url);
    await fixture.server.close();
    await page.getByText('Not connected:').waitFor();
    // Loaded messages stay readable.
    expect(await page.getByRole('option', { name: /Before/ }).count()).toBe(1);
    const next = await startServer({ port: Number(port) });
    open.push(next);
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    expect(await page.getByText('Not connected:').count()).toBe(0);
    expect(await page.evaluate('window.mine')).toBe(true);
  });

  test('a message that could not be loaded is loaded when the reader tries again', async () => {
    const fixture = await start();
    await fixture.mail({ subject: 'First' });
    await fixture.mail({ subject: 'Second' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Second/ }).click();
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    await page.route('**/messages/*/content', (route) => route.abort());
    await page.getByRole('option', { name: /First/ }).click();
    await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    await page.unroute('**/messages/*/content');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'First' }).waitFor();
  });

  test('a feed that breaks off is resumed without a gap, and nothing is shown twice', async () => {
    const fixture = await start();
    const { page } = await fixture.open('#/tools');
    const sockets: { close: () => Promise<void> }[] = [];
    let gate = Promise.resolve();
    await page.routeWebSocket(/feed/, async (socket) => {
      await gate;
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.goto(`${fixture.server.url}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'Here' });
    await page.getByRole('option', { name: /Here/ }).waitFor();
    let letIn = () => {};
    gate = new Promise((resolve) => {
      letIn = resolve;
    });
    await sockets.at(-1)?.close();
    await page.getByText('Not connected:').waitFor();
    await fixture.mail({ subject: 'While away 1' });
    await fixture.mail({ subject: 'While away 2' });
    letIn();
    await page.getByRole('option', { name: /While away 2/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(3);
    await expect.poll(() => page.getByText('Not connected:').count()).toBe(0);
  });

  test('a page that fell behind is closed with 1013, says so, and has all messages when it is back', async () => {
    const fixture = await start();
    const { page } = await fixture.open('#/tools');
    const feed: { close: (how: { code: number; reason: string }) => Promise<void>; lets: boolean } = {
      close: async () => {},
      lets: true,
    };
    await page.routeWebSocket(/feed/, (socket) => {
      const server = socket.connectToServer();
      // A slow page: what the server tells does not reach it.
      server.onMessage((message) => {
        if (feed.lets) socket.send(message);
      });
      feed.close = (how) => socket.close(how);
    });
    await page.goto(`${fixture.server.url}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'Told' });
    await page.getByRole('option', { name: /Told/ }).waitFor();
    feed.lets = false;
    for (let n = 1; n <= 40; n++) await fixture.mail({ subject: `Untold ${n}` });
    expect(await page.getByRole('option').count()).toBe(1);
    feed.lets = true;
    // The notice goes when the page is back, which may be sooner than the test looks.
    await page.evaluate(`new MutationObserver(() => {
      window.wasTold ||= document.body.textContent.includes('this page was too slow for the feed');
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    await feed.close({ code: 1013, reason: 'too slow' });
    await expect.poll(() => page.evaluate('window.wasTold')).toBe(true);
    await page.getByRole('option', { name: /Untold 40/ }).waitFor();
    await expect.poll(() => page.getByText('Not connected:').count()).toBe(0);
    await page.getByText('41 messages').waitFor();
    await page.getByRole('option', { name: /Untold 35/ }).waitFor();
    expect(await page.getByRole('option', { name: /Untold 40/ }).count()).toBe(1);
  });

  test('the list is that of the server even if the events of the feed come late', async () => {
    const fixture = await start();
    const { page } = await fixture.open('#/tools');
    const held: (() => void)[] = [];
    // Events that come together share one frame.
    let events = 0;
    let holds = false;
    await page.routeWebSocket(/feed/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (holds) {
          held.push(() => socket.send(message));
          events += JSON.parse(String(message)).length;
        } else socket.send(message);
      });
    });
    await page.goto(`${fixture.server.url}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    holds = true;
    for (const n of [1, 2, 3]) await fixture.mail({ subject: `Late ${n}` });
    const { mailboxId } = fixture.server;
    const path = `/_mailcap/mailboxes/${mailboxId}/messages`;
    const { items } = await json<{ items: { id: string; subject: string }[] }>(fixture.server.api(path));
    const second = items.find(({ subject }) => subject === 'Late 2');
    await fixture.server.api(`/_mailcap/messages/${second?.id}`, { method: 'DELETE' });
    await expect.poll(() => events).toBeGreaterThanOrEqual(4);
    for (const tell of held.splice(0)) tell();
    await page.getByRole('option', { name: /Late 3/ }).waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    expect(await page.getByRole('option', { name: /Late 2/ }).count()).toBe(0);
  });

  test('two pages agree: new, read and deleted messages of one are so in the other', async () => {
    const fixture = await start();
    const { page: one, context } = await fixture.open();
    const other = await context.newPage();
    await other.goto(`${fixture.server.url}/`);
    for (const n of [1, 2]) await fixture.mail({ subject: `Shared ${n}` });
    for (const page of [one, other]) {
      await page.getByRole('option', { name: /Shared 2/ }).waitFor();
      await expect.poll(() => unreadIn(page)).toBe(2);
    }
    await one.getByRole('option', { name: /Shared 2/ }).click();
    await expect.poll(() => unreadIn(other)).toBe(1);
    await one.keyboard.press('d');
    await one.getByRole('option', { name: /Shared 2/ }).waitFor({ state: 'detached' });
    // Whoever leaves the page ends the time in which it could be undone.
    await one.reload();
    await one.getByRole('option', { name: /Shared 1/ }).waitFor();
    for (const page of [one, other])
      await expect.poll(() => page.getByRole('option', { name: /Shared 2/ }).count()).toBe(0);
    expect(await other.getByRole('option', { name: /Shared 1/ }).count()).toBe(1);
    await other.getByRole('option', { name: /Shared 1/ }).click();
    await expect.poll(() => unreadIn(one)).toBe(0);
  });

  test('the pages of two browsers and a client of Mailpit’s API have the same marks', async () => {
    const fixture = await start();
    for (const n of [1, 2, 3]) await fixture.mail({ subject: `Mail ${n}` });
    const { page: one } = await fixture.open();
    const { page: other } = await fixture.open();
    for (const page of [one, other]) await expect.poll(() => unreadIn(page)).toBe(3);
    await one.getByRole('option', { name: /Mail 3/ }).click();
    await one.keyboard.press('s');
    await other.getByRole('option', { name: /Mail 3.*Starred/ }).waitFor();
    await expect.poll(() => unreadIn(other)).toBe(2);
    const { messages } = await json<{ messages: { ID: string; Subject: string }[] }>(
      fixture.server.api('/api/v1/messages'),
    );
    const second = messages.find(({ Subject }) => Subject === 'Mail 2');
    await fixture.server.api(`/api/v1/message/${second?.ID}`);
    await fixture.server.api('/api/v1/tags', { method: 'PUT', json: { IDs: [second?.ID], Tags: ['spring'] } });
    for (const page of [one, other]) {
      await page.getByRole('option', { name: /Mail 2.*spring/ }).waitFor();
      await expect.poll(() => unreadIn(page)).toBe(1);
    }
    await other.getByRole('option', { name: /Mail 2/ }).click();
    await other.getByRole('link', { name: 'spring' }).click();
    await expect.poll(() => other.getByRole('option').count()).toBe(1);
    await one.getByRole('button', { name: 'Mark all as read' }).click();
    for (const page of [one, other]) await expect.poll(() => unreadIn(page)).toBe(0);
  });

  test('a reset is shown without a reload', async () => {
    const fixture = await start();
    await fixture.mail({ subject: 'Before' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Before/ }).click();
    await fixture.server.reset();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'After' });
    await page.getByRole('option', { name: /After/ }).waitFor();
  });

  test('off loopback the page asks for the admin token once, keeps it for the tab, and puts it into no address', async () => {
    const fixture = await start({ host: '0.0.0.0', adminToken: 'let-me-in-please-0123456789' });
    const { page } = await fixture.open();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await page.getByLabel('Admin token').fill('wrong');
    await page.getByRole('button', { name: 'Open the inbox' }).click();
    await page.getByText('The server does not accept this token.').waitFor();
    await page.getByLabel('Admin token').fill('let-me-in-please-0123456789');
    await page.getByRole('button', { name: 'Open the inbox' }).click();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'Told', html: '<h1>Inside</h1>' });
    await page.getByRole('option', { name: /Told/ }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Inside' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Told' }).waitFor();
    expect(addresses.filter((address) => address.includes('let-me-in'))).toEqual([]);
  });

  test('a server that returns with another token is asked for it at once, and no typed letter is a command', async () => {
    const fixture = await start({ host: '0.0.0.0', adminToken: 'the-first-token-0123456789' });
    const { page } = await fixture.open();
    const give = async (token: string) => {
      await page.getByLabel('Admin token').fill(token);
      await page.getByRole('button', { name: 'Open the inbox' }).click();
    };
    await give('the-first-token-0123456789');
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    // The browser does not say why the feed was refused, and waits longer and longer before it asks for the feed again.
    await page.routeWebSocket(/feed/, () => {});
    const { port } = new URL(fixture.server.url);
    await fixture.server.close();
    open.push(await startServer({ host: '0.0.0.0', port: Number(port), adminToken: 'the-second-token-0123456789' }));
    await page.getByLabel('Admin token').waitFor();
    // A reload sends the old token.
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
    await page.unrouteAll();
    await give('the-second-token-0123456789');
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
  });

  test('an undone deletion puts back only what no other program deleted meanwhile', async () => {
    const fixture = await start();
    for (const subject of ['First', 'Second', 'Third']) await fixture.mail({ subject });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Third/ }).click({ modifiers: ['Control'] });
    await page.getByRole('option', { name: /Second/ }).click({ modifiers: ['Control'] });
    await page.keyboard.press('d');
    await page.getByRole('option', { name: /Third/ }).waitFor({ state: 'detached' });
    const { url, mailboxId } = fixture.server;
    await fetch(`${url}/_mailcap/mailboxes/${mailboxId}/messages?query=Third`, { method: 'DELETE' });
    await expect.poll(() => unreadIn(page)).toBe(2);
    await page.keyboard.press('z');
    await page.getByText('1 message put back.').waitFor();
    await page.getByRole('option', { name: /Second/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(2);
  });

  test('a webhook that another program makes, changes, empties or deletes is so on the page, and so is a changed mailbox', async () => {
    const fixture = await start();
    const { server } = fixture;
    const { page } = await fixture.open('#/webhooks');
    await page.getByRole('heading', { name: 'No webhook yet' }).waitFor();
    const webhook = await json<{ id: string; url: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'Payments' } }),
    );
    await page.getByRole('link', { name: /Payments/ }).click();
    await fetch(`${webhook.url}/paid`, { method: 'POST' });
    await page.getByRole('option', { name: /POST \/paid/ }).click();
    await page.getByRole('heading', { name: 'POST /paid' }).waitFor();
    await server.api(`/v1/webhooks/${webhook.id}`, { method: 'PATCH', json: { name: 'Invoices' } });
    await page.getByRole('heading', { name: 'Invoices' }).waitFor();
    await server.api(`/v1/webhooks/${webhook.id}/requests`, { method: 'DELETE' });
    await page.getByRole('heading', { name: 'Send a request' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await server.api(`/v1/webhooks/${webhook.id}`, { method: 'DELETE' });
    await page.getByRole('heading', { name: 'This webhook was deleted' }).waitFor();
    const settings = { method: 'PATCH', json: { name: 'Desk' } };
    await server.api(`/_mailcap/mailboxes/${server.mailboxId}`, settings);
    await page.getByRole('navigation').getByText('Desk').waitFor();
  });
});

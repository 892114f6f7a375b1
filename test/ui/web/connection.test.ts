import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { CAN_RUN, type Desk, openDesk } from './desk.ts';

describe.runIf(CAN_RUN)('the connection of the web inbox', { timeout: 180_000 }, () => {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });
  const start = async (...options: Parameters<typeof openDesk>): Promise<Desk> => {
    const desk = await openDesk(...options);
    open.push(desk);
    return desk;
  };

  test('a server that goes is told; another that comes in its place is shown without a reload', async () => {
    const desk = await start();
    await desk.mail({ subject: 'Before' });
    const { page } = await desk.open();
    await page.getByRole('option', { name: /Before/ }).waitFor();
    await page.evaluate('window.mine = true');
    const { port } = new URL(desk.server.url);
    await desk.server.close();
    await page.getByText('Not connected:').waitFor();
    // Loaded messages stay readable.
    expect(await page.getByRole('option', { name: /Before/ }).count()).toBe(1);
    const next = await startServer({ port: Number(port) });
    open.push(next);
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    expect(await page.getByText('Not connected:').count()).toBe(0);
    expect(await page.evaluate('window.mine')).toBe(true);
  });

  test('a feed that breaks off is resumed without a gap, and nothing is shown twice', async () => {
    const desk = await start();
    const { page } = await desk.open('#/tools');
    const sockets: { close: () => Promise<void> }[] = [];
    let gate = Promise.resolve();
    await page.routeWebSocket(/feed/, async (socket) => {
      await gate;
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.goto(`${desk.server.url}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await desk.mail({ subject: 'Here' });
    await page.getByRole('option', { name: /Here/ }).waitFor();
    let letIn = () => {};
    gate = new Promise((resolve) => {
      letIn = resolve;
    });
    await sockets.at(-1)?.close();
    await page.getByText('Not connected:').waitFor();
    await desk.mail({ subject: 'While away 1' });
    await desk.mail({ subject: 'While away 2' });
    letIn();
    await page.getByRole('option', { name: /While away 2/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(3);
    await expect.poll(() => page.getByText('Not connected:').count()).toBe(0);
  });

  test('a reset is taken without a reload', async () => {
    const desk = await start();
    await desk.mail({ subject: 'Before' });
    const { page } = await desk.open();
    await page.getByRole('option', { name: /Before/ }).click();
    await desk.server.reset();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await desk.mail({ subject: 'After' });
    await page.getByRole('option', { name: /After/ }).waitFor();
  });

  test('off loopback it asks for the admin token once, keeps it for the tab, and puts it into no address', async () => {
    const desk = await start({ host: '0.0.0.0', adminToken: 'let-me-in-please-0123456789' });
    const { page } = await desk.open();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await page.getByLabel('Admin token').fill('wrong');
    await page.getByRole('button', { name: 'Open the inbox' }).click();
    await page.getByText('The server knows no such token.').waitFor();
    await page.getByLabel('Admin token').fill('let-me-in-please-0123456789');
    await page.getByRole('button', { name: 'Open the inbox' }).click();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await desk.mail({ subject: 'Told', html: '<h1>Inside</h1>' });
    await page.getByRole('option', { name: /Told/ }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Inside' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Told' }).waitFor();
    expect(addresses.filter((address) => address.includes('let-me-in'))).toEqual([]);
  });
});

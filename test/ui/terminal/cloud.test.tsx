import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { asCloud, startProxy } from '../../support/proxy.ts';
import { ENTER, ESC, openDesk, putMail, TAB } from './desk.tsx';

test('against the cloud the await endpoint drives the list, and what its API lacks is said', async () => {
  const server = await startServer();
  const desk = await openDesk({ server, url: await cloudOf(server.url) });
  await desk.shows('● cloud');
  await desk.shows('No mail yet');
  await putMail(server, 'first', { body: 'Your code is 481516.' });
  await desk.shows(/❯ App \S+ first/);
  await putMail(server, 'second');
  await desk.shows(/❯ App \S+ second/);
  desk.press('d');
  await desk.shows('The cloud API can not delete.');
  desk.press('j', ENTER);
  await desk.shows('Your code is 481516.');
  await desk.shows('code 481516');
  desk.press('v');
  await desk.shows('The cloud API does not support this.');
  desk.press(ESC, '/', 'f', 'i', 'r', ENTER);
  await desk.shows('filter: fir');
  await desk.shows(/App \S+ first/);
  await desk.showsNo(/App \S+ second/);
  await server.close();
});

test('against the cloud all that was captured since the last look is shown, however much it is', async () => {
  const server = await startServer();
  const desk = await openDesk({ server, url: await cloudOf(server.url) });
  await desk.shows('● cloud');
  const made = await server.api('/v1/webhooks', { json: { name: 'Payments' } });
  const { key } = (await made.json()) as { key: string }; // the API returns a view
  desk.press(TAB);
  await desk.shows('❯ Payments');
  desk.press(ENTER);
  await desk.shows('No request was captured yet');
  await Promise.all(Array.from({ length: 70 }, () => fetch(`${server.url}/hooks/${key}`, { method: 'POST' })));
  await desk.shows(' of 70');
  await server.close();
});

test('a mailbox that does not answer is asked again when the reader acts, and not by itself', async () => {
  const server = await startServer();
  await putMail(server, 'there');
  let asked = 0;
  let broken = true;
  const url = await cloudOf(server.url, (path) => {
    if (!/\/messages\?/.test(path)) return false;
    asked++;
    return broken;
  });
  const desk = await openDesk({ server, url });
  await desk.shows('The list could not be loaded');
  const before = asked;
  desk.resize(90, 30);
  desk.resize(80, 24);
  expect(asked - before).toBeLessThanOrEqual(1);
  broken = false;
  desk.press('j');
  await desk.shows(/❯ App \S+ there/);
  await server.close();
});

/** Opens the server as a client of the cloud sees it: without a local API. `breaks` tells which requests fail. */
async function cloudOf(url: string, breaks: (path: string) => boolean = () => false): Promise<string> {
  const proxy = await startProxy(url, (seen) =>
    breaks(seen.path) ? { status: 500, body: '{"error":"internal_error"}' } : asCloud(seen),
  );
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy.url;
}

import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { asCloud, startProxy } from '../../support/proxy.ts';
import { ENTER, ESC, openInbox, putMail, TAB } from './open-inbox.tsx';

test('against the cloud the await endpoint updates the list, and the inbox names what its API lacks', async () => {
  const server = await startServer();
  const fixture = await openInbox({ server, url: await cloudOf(server.url) });
  await fixture.shows('● cloud');
  await fixture.shows('No mail yet');
  await putMail(server, 'first', { body: 'Your code is 481516.' });
  await fixture.shows(/❯ App \S+ first/);
  await putMail(server, 'second');
  await fixture.shows(/❯ App \S+ second/);
  fixture.press('d');
  await fixture.shows('The cloud API can not delete.');
  fixture.press('j', ENTER);
  await fixture.shows('Your code is 481516.');
  await fixture.shows('code 481516');
  fixture.press('v');
  await fixture.shows('The cloud API does not support this.');
  fixture.press(ESC, '/', 'f', 'i', 'r', ENTER);
  await fixture.shows('filter: fir');
  await fixture.shows(/App \S+ first/);
  await fixture.showsNo(/App \S+ second/);
  await server.close();
});

test('against the cloud all requests since the last look are shown, however many there are', async () => {
  const server = await startServer();
  const fixture = await openInbox({ server, url: await cloudOf(server.url) });
  await fixture.shows('● cloud');
  const made = await server.api('/v1/webhooks', { json: { name: 'Payments' } });
  const { key } = (await made.json()) as { key: string }; // the API returns a view
  fixture.press(TAB);
  await fixture.shows('❯ Payments');
  fixture.press(ENTER);
  await fixture.shows('No request was captured yet');
  await Promise.all(Array.from({ length: 70 }, () => fetch(`${server.url}/hooks/${key}`, { method: 'POST' })));
  await fixture.shows(' of 70');
  await server.close();
});

test('a mailbox that does not answer is requested again when the reader acts, and not by itself', async () => {
  const server = await startServer();
  await putMail(server, 'there');
  let asked = 0;
  let broken = true;
  const url = await cloudOf(server.url, (path) => {
    if (!/\/messages\?/.test(path)) return false;
    asked++;
    return broken;
  });
  const fixture = await openInbox({ server, url });
  await fixture.shows('The list could not be loaded');
  const before = asked;
  fixture.resize(90, 30);
  fixture.resize(80, 24);
  expect(asked - before).toBeLessThanOrEqual(1);
  broken = false;
  fixture.press('j');
  await fixture.shows(/❯ App \S+ there/);
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

import { expect, test as plain } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { SERVER } from '../support/two-servers.ts';
import { json, putMail, send } from './support.ts';

test('/ is the page, which is not cached; its files are cached for ever, under names of their content', async ({
  mailcap,
}) => {
  const page = await fetch(mailcap.url);
  expect(page.headers.get('cache-control')).toBe('no-store');
  const names = [...(await page.text()).matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThanOrEqual(2);
  for (const name of names) {
    const file = await fetch(`${mailcap.url}/assets/${name}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('a file is compressed as the client accepts it, and plain otherwise', async ({ mailcap }) => {
  const page = await (await fetch(mailcap.url)).text();
  const path = /\/assets\/app-[\w-]+\.js/.exec(page)?.[0] ?? '';
  const ask = (accepted: string) =>
    send(mailcap, { path, headers: accepted === '' ? {} : { 'accept-encoding': accepted } });
  const [br, gzip, plain, refused] = await Promise.all(['br, gzip', 'gzip', '', 'br;q=0, gzip;q=0'].map(ask));
  expect([br, gzip, plain, refused].map((answer) => answer?.headers['content-encoding'])).toEqual([
    'br',
    'gzip',
    undefined,
    undefined,
  ]);
  expect(gzip?.headers['vary']).toBe('Accept-Encoding');
  expect(Number(br?.headers['content-length'])).toBeLessThan(Number(gzip?.headers['content-length']));
  const bytes = Buffer.from(
    await (await fetch(mailcap.url + path, { headers: { 'accept-encoding': 'gzip' } })).arrayBuffer(),
  );
  expect(bytes.length).toBe(Number(plain?.headers['content-length']));
});

test('the page names every script that the first view imports, so the browser asks for all at once', async ({
  mailcap,
}) => {
  const page = await (await fetch(mailcap.url)).text();
  const named = new Set([...page.matchAll(/\/assets\/([\w-]+\.js)/g)].map(([, name]) => name));
  expect(named.size).toBeGreaterThan(0);
  for (const name of named) {
    const script = await (await fetch(`${mailcap.url}/assets/${name}`)).text();
    const imported = [...script.matchAll(/from"\.\/([\w-]+\.js)"/g)].map(([, other]) => other);
    expect([...named]).toEqual(expect.arrayContaining(imported));
  }
});

test.each(['/assets/', '/assets/none.js', '/assets/..%2f..%2fmain.js', '/assets/index.html.br', '/assets/%00'])(
  '%s is no file of the page',
  async (path) => {
    await using server = await startServer();
    expect((await fetch(server.url + path)).status).toBe(404);
  },
);

/** Returns the first answers that stand in a page; null if there are none. */
function firstOf(page: string): { since: string; answers: Record<string, unknown> } | null {
  const [, text] = /<script type="application\/json" id="first">(.*?)<\/script>/s.exec(page) ?? [];
  return text === undefined ? null : JSON.parse(text);
}

plain('the page holds what it would ask first, as the local API answers it, whatever a sender wrote', async () => {
  await using server = await startServer();
  const subject = '</script><script>alert(1)</script><!-- $& </body>';
  const { id } = await putMail(server, server.mailboxId, { Subject: subject });
  const page = await (await fetch(server.url)).text();
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/body>/g)).toHaveLength(1);
  const first = firstOf(page);
  expect(first?.since).toBe(id);
  const list = `/_mailcap/mailboxes/${server.mailboxId}/messages?limit=20`;
  const paths = ['/_mailcap/info', '/_mailcap/mailboxes', '/_mailcap/workspaces', list];
  for (const path of paths) {
    const answer = await json<object>(server.api(path));
    expect(first?.answers[path]).toEqual(path === '/_mailcap/info' ? { ...answer, ...SERVER } : answer);
  }
  expect(first?.answers[list]).toMatchObject({ items: [{ subject }] });
});

plain('a page off loopback holds nothing, because it has shown no token yet', async () => {
  await using server = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
  const answer = await fetch(server.url.replace('0.0.0.0', '127.0.0.1'));
  const page = await answer.text();
  expect([firstOf(page), page.includes(server.mailboxId), answer.headers.get('cache-control')]).toEqual([
    null,
    false,
    'no-cache',
  ]);
});

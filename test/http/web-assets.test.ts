import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { send } from './support.ts';

test('/ is the page, never kept without asking; its files are kept for good, under names of their content', async ({
  mailcap,
}) => {
  const page = await fetch(mailcap.url);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const names = [...(await page.text()).matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThanOrEqual(2);
  for (const name of names) {
    const file = await fetch(`${mailcap.url}/assets/${name}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('a file comes compressed as the client takes it, and plain to one that takes nothing', async ({ mailcap }) => {
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
    const { startServer } = await import('../support/mailcap.ts');
    await using server = await startServer();
    expect((await fetch(server.url + path)).status).toBe(404);
  },
);

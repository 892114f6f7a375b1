import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newDirectory } from '../store/directory.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { json, putMail } from './support.ts';

const COUNT = 130;

interface Page {
  readonly items: readonly { readonly subject: string }[];
  readonly total: number;
  readonly complete: boolean;
}

function find(server: TestServer, query: string): Promise<Page> {
  return json<Page>(server.api(`/_mailcap/messages?${new URLSearchParams({ query })}`));
}

async function expectFound(server: TestServer): Promise<void> {
  expect(await find(server, 'body:needle77x')).toMatchObject({ items: [{ subject: 'n77' }], total: 1, complete: true });
  expect(await find(server, 'body:"lamp needle8"')).toMatchObject({ total: 11, complete: true });
  expect(await find(server, '!body:needle')).toMatchObject({ total: 0, complete: true });
  expect(await find(server, 'has:code')).toMatchObject({ total: 1, complete: true });
}

async function waitForTexts(server: TestServer, missing: number): Promise<void> {
  await expect
    .poll(async () => (await server.ctx.store.texts.progress()).missing, { timeout: 20_000 })
    .toBeLessThanOrEqual(missing);
}

async function fill(server: TestServer): Promise<void> {
  for (let number = 0; number < COUNT; number++) {
    const body = number === 5 ? 'Lamp needle5x\r\nYour code is 481516.' : `Lamp\r\nneedle${number}x`;
    await putMail(server, server.ready.mailboxId, { Subject: `n${number}` }, body);
  }
}

test('the texts of mail are prepared soon after it came, in memory too, and a search finds the same', async () => {
  await using server = await startServer();
  await fill(server);
  await expectFound(server);
  await waitForTexts(server, 15);
  await expectFound(server);
});

test('texts are kept beside the store, made anew if they are gone, and leave the disk with their mail', async () => {
  const dataDir = newDirectory();
  const texts = join(dataDir, 'store', 'texts');
  {
    await using server = await startServer({ ephemeral: false, dataDir });
    await fill(server);
    await waitForTexts(server, 15);
    expect(existsSync(texts)).toBe(true);
  }
  await using server = await startServer({ ephemeral: false, dataDir });
  expect((await server.ctx.store.texts.progress()).missing).toBeLessThanOrEqual(15);
  await expectFound(server);
  await server.api('/_mailcap/messages?query=subject:n', { method: 'DELETE' });
  await server.ctx.store.reclaim();
  expect(readdirSync(texts)).toEqual([]);
  expect(await find(server, 'body:needle77x')).toMatchObject({ total: 0, complete: true });
});

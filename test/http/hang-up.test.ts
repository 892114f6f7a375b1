import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer } from '../support/mailcap.ts';
import { json, put, type Summary } from './support.ts';

function recorder() {
  const errors: unknown[] = [];
  const hangUps: string[] = [];
  const log: Log = {
    error: (...said) => errors.push(said),
    warn: () => {},
    info: () => {},
    debug: (message) => hangUps.push(message),
  };
  return { log, errors, hangUps };
}

test('a client that hangs up in the middle of a message leaves nothing behind, and no error', async () => {
  const store = memoryStore();
  const { log, errors, hangUps } = recorder();
  await using server = await startServer({ overrides: { log, store } });
  const writer = vi.spyOn(store.blobs, 'writer');
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const path = `/_mailcap/mailboxes/${server.mailboxId}/messages`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nSubject: half`);
  await vi.waitFor(() => expect(writer).toHaveBeenCalled(), { timeout: 15_000 });
  socket.resetAndDestroy();
  await vi.waitFor(() => expect(hangUps).toContain('a client hung up'), { timeout: 15_000 });
  expect(errors).toEqual([]);
  expect(await json(server.api(`/v1/mailboxes/${server.mailboxId}/messages`))).toEqual([]);
});

test('a client that hangs up in the middle of a download frees the bytes, and is no error', async () => {
  const store = memoryStore();
  const { log, errors } = recorder();
  await using server = await startServer({ overrides: { log, store } });
  let open = 0;
  const { stream } = store.blobs;
  store.blobs.stream = async function* (ref) {
    open++;
    try {
      // The stream exceeds all buffers on the way.
      for (let i = 0; i < 1_000; i++) yield* stream.call(store.blobs, ref);
    } finally {
      open--;
    }
  };
  const { id } = await json<Summary>(put(server, server.mailboxId, `Subject: big\r\n\r\n${'a'.repeat(1_000_000)}`));
  const gone = new AbortController();
  const response = await server.api(`/_mailcap/messages/${id}/raw`, { signal: gone.signal });
  expect(open).toBe(1);
  const body = response.body?.getReader();
  await body?.read();
  gone.abort();
  await vi.waitFor(() => expect(open).toBe(0), { timeout: 15_000 });
  expect(errors).toEqual([]);
});

test('bytes that disappear during a read are 404 if the message was deleted, and 500 if not', async () => {
  const store = memoryStore();
  await using server = await startServer({ overrides: { store } });
  const mailbox = await server.addMailbox();
  const { id } = await json<Summary>(put(server, mailbox.id, 'Subject: x\r\n\r\nx'));
  let before = async () => {};
  store.blobs.read = async () => {
    await before();
    throw new Error('the blob is gone');
  };
  const get = async () => (await server.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`)).status;
  expect(await get()).toBe(500);
  before = async () => {
    await store.transaction((tx) => tx.mailboxes.remove(mailbox.id));
  };
  expect(await get()).toBe(404);
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loopbackFetch } from '../../plugins/shared/loopback-fetch.ts';

let url = '';
let connections = 0;
const server = createServer((req, res) => {
  const pieces: Buffer[] = [];
  req.on('data', (piece: Buffer) => pieces.push(piece));
  req.on('end', () => answer(req, res, Buffer.concat(pieces)));
});

function answer(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
  if (req.url === '/never') return;
  if (req.url === '/empty') {
    res.writeHead(204).end();
    return;
  }
  res.setHeader('X-Twice', ['one', 'two']);
  res.statusCode = req.url === '/refused' ? 409 : 200;
  const { authorization, 'content-type': type } = req.headers;
  res.end(JSON.stringify({ method: req.method, authorization, type, body: body.toString('hex') }));
}
server.on('connection', () => connections++);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());

/** Describes what a request came to, as the client sees it. */
async function outcomeOf(request: typeof fetch, path: string, init: RequestInit): Promise<unknown> {
  try {
    const answer = await request(path.startsWith('http') ? path : url + path, init);
    return { status: answer.status, twice: answer.headers.get('x-twice'), body: await answer.text() };
  } catch (error) {
    const { name, message, cause } = error as Error;
    return { name, message, code: (cause as { code?: string } | undefined)?.code };
  }
}

/** Returns the URL of a port at which nobody listens. */
async function nobody(): Promise<string> {
  const socket = createSocketServer();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

test.each<[string, string, () => RequestInit]>([
  ['a GET', '/', () => ({ headers: { authorization: 'Bearer key' } })],
  ['a JSON body', '/', () => ({ method: 'POST', body: '{"a":"ü"}', headers: { 'content-type': 'application/json' } })],
  ['bytes', '/', () => ({ method: 'PUT', body: new Uint8Array([0, 13, 10, 255]), headers: { 'content-type': 'a/b' } })],
  ['a refusal', '/refused', () => ({ method: 'DELETE' })],
  ['an answer without a body', '/empty', () => ({ method: 'DELETE' })],
  ['a signal that has fired', '/', () => ({ signal: AbortSignal.abort(new Error('before')) })],
  ['a signal that fires', '/never', () => ({ signal: AbortSignal.timeout(20) })],
])('%s comes to the same as with the global fetch', async (_title, path, init) => {
  expect(await outcomeOf(loopbackFetch, path, init())).toEqual(await outcomeOf(globalThis.fetch, path, init()));
});

test('a missing server gives the error of the global fetch', async () => {
  const path = await nobody();
  const [ours, theirs] = await Promise.all([loopbackFetch, globalThis.fetch].map((one) => outcomeOf(one, path, {})));
  expect(ours).toEqual(theirs);
  expect(ours).toMatchObject({ name: 'TypeError', code: 'ECONNREFUSED' });
});

test('successive requests share connections', async () => {
  const before = connections;
  for (let at = 0; at < 20; at++) await outcomeOf(loopbackFetch, '/', {});
  // A connection is free only some moments after its answer, so the next request may need a second one.
  expect(connections - before).toBeLessThanOrEqual(2);
});

test('a test that replaces the global fetch does not touch the fixtures', async () => {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('the stub of a test'));
  try {
    expect(await outcomeOf(loopbackFetch, '/', {})).toMatchObject({ status: 200 });
  } finally {
    globalThis.fetch = fetch;
  }
});

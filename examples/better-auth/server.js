import { once } from 'node:events';
import { createServer } from 'node:http';
import { toNodeHandler } from 'better-auth/node';
import { createAuth } from './auth.js';

/** Starts a shop on a free port. */
export async function startShop() {
  let handle = () => {};
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  handle = toNodeHandler(createAuth(url));
  return { url, close: () => server.close() };
}

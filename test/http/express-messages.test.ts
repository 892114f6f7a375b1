import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { giveClasses, messageClasses } from '../../src/http/server.ts';

test('requests and responses are created with the prototypes of Express, which therefore changes none', async () => {
  const app = express();
  app.get('/', (req, res) => {
    res.json({ app: req.app === app, path: req.path, query: req.query });
  });
  const seen: [object, object][] = [];
  const prototypes = (req: IncomingMessage, res: ServerResponse): [object, object] => [
    Object.getPrototypeOf(req),
    Object.getPrototypeOf(res),
  ];
  const classes = messageClasses(() => false);
  giveClasses(classes, app);
  const server = createServer(classes, (req, res) => {
    seen.push(prototypes(req, res));
    app(req, res);
    seen.push(prototypes(req, res));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?a=1`);
  expect(await response.json()).toEqual({ app: true, path: '/', query: { a: '1' } });
  server.close();
  const [before, after] = seen;
  expect(before?.[0]).toBe(app.request);
  expect(before?.[1]).toBe(app.response);
  expect(after?.[0]).toBe(app.request);
  expect(after?.[1]).toBe(app.response);
});

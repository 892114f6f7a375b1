import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ERRORS } from '../../src/domain/errors.ts';
import { cloudRoutes, localRoutes } from '../../src/http/app.ts';
import { cloudCodes, localCodes } from '../../src/http/openapi/refusals.ts';
import { outcome } from '../http/support.ts';
import { anyText } from '../support/any-text.ts';
import { fill, type Ids, oneOfEverything } from '../support/everything.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';

/** Error codes that any route can return. */
const COMMON = ['not_found', 'invalid_body', 'payload_too_large', 'unsupported_media_type', 'invalid_idempotency_key'];

/** Starts a server whose errors fail the test. It has one resource for every kind of id in a path. */
async function startServed(): Promise<{ server: TestServer; ids: Ids; errors: unknown[] }> {
  const errors: unknown[] = [];
  const quiet = () => {};
  const log = {
    error: (message: string, fields?: unknown) => void errors.push([message, fields]),
    warn: quiet,
    info: quiet,
    debug: quiet,
  };
  const server = await startServer({ overrides: { log } });
  onTestFinished(() => server.close());
  const ids = await oneOfEverything(server, { id: server.workspaceId, key: server.apiKey }, 'fuzzed');
  return { server, ids, errors };
}

/** Field names that the routes know, and property names that every object has. */
const FIELDS = [
  ...[...cloudRoutes, ...localRoutes].flatMap(({ declared: { body } }) =>
    body instanceof z.ZodObject ? Object.keys(body.shape) : [],
  ),
  ...['offsetSeconds', 'now', 'mailboxes', 'authenticators', '__proto__', 'constructor', 'toString', 'length'],
];
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    'all',
    'off',
    'free',
    'a@x.test',
    'http://127.0.0.1:9/',
    '01JD5Z3V8W0123456789ABCDEF',
  ),
  fc.constantFrom<unknown>(0, -1, 1, 1.5, 1e308, -0, 2 ** 31, 2 ** 53, [], {}, [null], '\u0000', '\ud83d', 'a\r\nb: c'),
  anyText({ maxLength: 30 }),
  fc.integer(),
);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom(...FIELDS), scalar, { maxKeys: 4 }),
);
const object = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6, noNullPrototype: true });
const body = fc.oneof(
  { weight: 6, arbitrary: object.map((fields) => JSON.stringify(fields)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.array(object, { maxLength: 3 }).map((list) => JSON.stringify(list)) },
  { weight: 1, arbitrary: anyText({ maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '[', '"', '{"name":', '\ufeff{}', '{"a":1}{"b":2}', 'NaN', '\u0000'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 50_000 }).map((deep) => `${'['.repeat(deep)}${']'.repeat(deep)}`) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 5_000 }).map((deep) => `{"name":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`),
  },
);

type Route = Pick<(typeof localRoutes)[number], 'method' | 'path' | 'declared'>;

/** Returns routes by their name, which a counterexample prints. */
function byName(isMeant: (route: Route) => boolean): Map<string, Route> {
  const all: Route[] = [...cloudRoutes, ...localRoutes];
  return new Map(all.filter(isMeant).map((route) => [`${route.method} ${route.path}`, route]));
}

function routeOf(routes: ReadonlyMap<string, Route>, name: string): Route {
  const route = routes.get(name);
  if (route === undefined) throw new Error(`there is no ${name}`);
  return route;
}

/** Returns every code that the route's description gives it: its own, those of its parameters, and those of any route. */
function codesOf(route: Route): string[] {
  return route.path.startsWith('/v1/') ? cloudCodes(route) : localCodes(route);
}

const WRITING = byName(
  ({ method, path, declared }) =>
    ['POST', 'PUT', 'PATCH'].includes(method) &&
    // Two routes are left out: the one that resets the server, and the one that takes a mail instead of JSON.
    path !== '/_mailcap/reset' &&
    (declared.body !== undefined || path.startsWith('/v1/')),
);

test('whatever JSON a route gets, it answers as it declares', async () => {
  const { server, ids, errors } = await startServed();
  const name = fc.constantFrom(...WRITING.keys());
  await fc.assert(
    fc.asyncProperty(name, body, fc.option(fc.string({ maxLength: 300 })), async (name, text, key) => {
      const { method, path, declared } = routeOf(WRITING, name);
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (key !== null) headers['idempotency-key'] = encodeURIComponent(key).slice(0, 300);
      const { status, body: told } = await outcome(server.api(fill(path, ids), { method, headers, body: text }));
      expect(status, text).not.toBe(500);
      if (status < 400) expect(Object.keys(declared.returns)).toContain(String(status));
      else
        expect([...COMMON, ...declared.fails], `${method} ${path} ${text}`).toContain(
          (told as { error: string }).error,
        );
    }),
    { numRuns: propertyRuns(500) },
  );
  expect(errors).toEqual([]);
  expect((await server.api('/v1/mailboxes')).status).toBe(200);
});

const READING = byName(({ method, declared }) => method === 'GET' && declared.query !== undefined);
const queryText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'limit',
        'before',
        'since',
        'timeout',
        'page',
        'pageSize',
        'subject',
        'from',
        'to',
        'query',
        '__proto__',
      ),
      fc.constantFrom(
        '=',
        '=',
        '&',
        '&',
        '%',
        '%00',
        '%ff',
        '+',
        ';',
        '[]',
        '[a]',
        '#',
        '?',
        '1',
        '-1',
        '1e3',
        '9'.repeat(400),
      ),
      fc.constantFrom('2026-11-20T00:00:00Z', '0000-01-01T00:00:00Z', '01JD5Z3V8W0123456789ABCDEF', '0x10', 'NaN', '٣'),
      anyText({ maxLength: 5 }).map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, ''))),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join('').replaceAll('#', ''));

test('whatever the query, the route answers soon and as it declares', async () => {
  const { server, ids, errors } = await startServed();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...READING.keys()), queryText, async (name, query) => {
      const route = routeOf(READING, name);
      const { path, declared } = route;
      // An await with a match answers at once. If a parameter repeats, its last value counts.
      const soon = path.endsWith('/await') ? '&timeout=0&since=2000-01-01T00:00:00Z&subject=&from=&to=' : '';
      const { status, body: told } = await outcome(server.api(`${fill(path, ids)}?${query}${soon}`));
      if (status < 400) expect(Object.keys(declared.returns)).toContain(String(status));
      else expect(codesOf(route), `${path}?${query}`).toContain((told as { error: string }).error);
    }),
    {
      numRuns: propertyRuns(300),
      // A value that is a time where a number is due.
      examples: [...READING.keys()].map((name): [string, string] => [name, 'limit=2026-11-20T00:00:00Z']),
    },
  );
  expect(errors).toEqual([]);
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'get', ''];
const requestBytes = fc.tuple(
  fc.constantFrom(...METHODS),
  fc.oneof(
    fc.constantFrom(
      '/v1/mailboxes',
      '/_mailcap/info',
      '/',
      '*',
      '//',
      '/%',
      '/..%2f..',
      'http://',
      'http://x/v1',
      '/v1/\0',
      '/\xff',
    ),
    fc.webPath(),
  ),
  fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
  fc.array(
    fc.constantFrom(
      'Host: localhost',
      'Host: ',
      'Host: evil.test',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 5, 6',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked, identity',
      'Expect: 100-continue',
      'Expect: nothing',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Content-Type: application/json',
      'Authorization: Bearer svc_live_x',
      ' folded: x',
      'X\0: y',
      ': empty',
      'No colon',
      'Idempotency-Key: \x07',
    ),
    { maxLength: 6 },
  ),
  fc.constantFrom('', 'hello', '5\r\nhello\r\n0\r\n\r\n', '-1\r\n', 'ffffffffffffffff\r\n', '\0'),
);

/** Sends bytes, closes the client's side, and returns the answer. Returns '' if the server only hangs up. */
function said({ url }: TestServer, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      socket.end(Buffer.from(bytes, 'latin1'));
    });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
}

test('any bytes at the port get an HTTP answer or none, and other clients are served', async () => {
  const { server, errors } = await startServed();
  const known = new Set<number>([
    ...Object.values(ERRORS).map(({ status }) => status),
    200,
    201,
    204,
    400,
    408,
    417,
    426,
    431,
  ]);
  await fc.assert(
    fc.asyncProperty(requestBytes, async ([method, path, version, headers, rest]) => {
      const head = [`${method} ${path} ${version}`, 'Connection: close', ...headers, '', ''].join('\r\n');
      // The client closes its side too, so that the server does not wait for more.
      const text = await said(server, head + rest);
      if (text === '') return;
      for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
        if (status !== '100') expect(known, text).toContain(Number(status));
        expect(status).not.toBe('500');
      }
      expect(text).toMatch(/^HTTP\/1\.1 \d{3} /);
    }),
    { numRuns: propertyRuns(300) },
  );
  expect(errors).toEqual([]);
  expect((await server.api('/v1/mailboxes')).status).toBe(200);
});

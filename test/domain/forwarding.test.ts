import { expect, test } from 'vitest';
import {
  type ForwardOutcome,
  forwardAfterAttempt,
  forwardedHeaders,
  isForwardDue,
} from '../../src/domain/captured-request.ts';
import { targetFor } from '../../src/webhooks/exchange.ts';

const HTTP = 'http://x.test';
const KEY = 'k'.repeat(43);

test.each<[string, string, string | null, string]>([
  ['http://x.test', '/', null, '/'],
  ['http://x.test/', '/a', null, '/a'],
  ['http://x.test/cb', '/', null, '/cb'],
  ['http://x.test/cb/', '/', null, '/cb/'],
  ['http://x.test/cb', '/a/b', null, '/cb/a/b'],
  ['http://x.test/cb/', '/a/b', null, '/cb/a/b'],
  ['http://x.test/cb', '/a%2Fb/', 'q=%20', '/cb/a%2Fb/?q=%20'],
  ['http://x.test/cb?own=1', '/a', 'q=2', '/cb/a?own=1&q=2'],
  ['http://x.test/cb?own=1#part', '/', null, '/cb?own=1'],
  ['http://x.test/cb?own=1', '/', '', '/cb?own=1&'],
  ['http://x.test/cb', '/', '', '/cb?'],
])('%s with %s and query %j goes to %s', (forwardUrl, path, query, expected) => {
  expect(targetFor(forwardUrl, { path, query })).toEqual({ origin: HTTP, path: expected });
});

test('headers go on as they came, but for Host, the hop-by-hop ones and those that Connection names', () => {
  const headers = [
    ['Host', 'mailcap'],
    ['X-B', '1'],
    ['connection', 'keep-alive, X-Secret , close'],
    ['x-secret', 's'],
    ['Keep-Alive', 'timeout=5'],
    ['Proxy-Connection', 'keep-alive'],
    ['TE', 'trailers'],
    ['Trailer', 'X'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['Expect', '100-continue'],
    ['x-b', '2'],
    ['Accept-Encoding', 'gzip'],
  ] as const;
  expect(forwardedHeaders(headers, { origin: HTTP, path: '/cb' })).toEqual([
    ['X-B', '1'],
    ['x-b', '2'],
    ['Accept-Encoding', 'gzip'],
  ]);
});

test('between webhooks the hops are counted, and after five it is a circle', () => {
  const target = { origin: HTTP, path: `/hooks/${KEY}/a` };
  let headers: ReturnType<typeof forwardedHeaders> = [['X-A', '1']];
  for (let hops = 1; hops <= 5; hops++) {
    headers = forwardedHeaders(headers ?? [], target);
    expect(headers).toEqual([
      ['X-A', '1'],
      ['Mailcap-Hops', String(hops)],
    ]);
  }
  expect(forwardedHeaders(headers ?? [], target)).toBeNull();
  expect(forwardedHeaders([['mailcap-hops', '5']], { origin: HTTP, path: '/cb' })).toBeNull();
  expect(forwardedHeaders([['mailcap-hops', 'x']], target)).toEqual([['Mailcap-Hops', '1']]);
});

const answered = (status: number): ForwardOutcome => ({ kind: 'answered', status, beginning: new Uint8Array() });
const unreachable: ForwardOutcome = { kind: 'unreachable', error: 'connect ECONNREFUSED' };
const refused: ForwardOutcome = { kind: 'refused', error: 'private' };

test.each<[ForwardOutcome, number, boolean, object]>([
  [answered(200), 0, true, { forwardStatus: 'delivered', forwardHttpStatus: 200, forwardError: null }],
  [answered(302), 0, true, { forwardStatus: 'delivered', forwardHttpStatus: 302 }],
  [answered(399), 0, true, { forwardStatus: 'delivered' }],
  [answered(400), 0, true, { forwardStatus: 'failed', forwardError: 'the target answered 400', nextForwardAt: null }],
  [answered(500), 0, true, { forwardStatus: 'pending', forwardHttpStatus: 500, nextForwardAt: 10_500 }],
  [answered(503), 1, true, { forwardStatus: 'pending', nextForwardAt: 12_500, forwardAttempts: 2 }],
  [answered(503), 2, true, { forwardStatus: 'failed', nextForwardAt: null, forwardAttempts: 3 }],
  [answered(500), 0, false, { forwardStatus: 'failed', forwardAttempts: 1 }],
  [unreachable, 0, true, { forwardStatus: 'pending', forwardHttpStatus: null, forwardError: 'connect ECONNREFUSED' }],
  [unreachable, 2, true, { forwardStatus: 'failed', forwardAttempts: 3 }],
  [refused, 0, true, { forwardStatus: 'failed', forwardError: 'private', nextForwardAt: null }],
])('%j after %d attempts, retries %j', (outcome, forwardAttempts, retries, expected) => {
  const after = forwardAfterAttempt({ forwardAttempts }, outcome, { now: 10_000, retries });
  expect(after).toMatchObject({ forwardAttempts: forwardAttempts + 1, forwardedAt: 10_000, ...expected });
});

test('an attempt is due from its time on, also if the clock was set back since', () => {
  expect([9_999, 10_000, 10_001, 40_000, 40_001].map((at) => isForwardDue(at, 10_000))).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
});

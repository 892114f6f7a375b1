import { expect, test } from 'vitest';
import { parseScriptedResponses } from '../../src/domain/webhook.ts';

test('a list with each kind of answer is read', () => {
  const given = [{ status: 500 }, { drop: true }, { status: 200, headers: {}, body: '', delayMs: 0 }];
  expect(parseScriptedResponses(given)).toEqual([
    { status: 500, headers: {}, body: '', delayMs: 0 },
    { drop: true, delayMs: 0 },
    { status: 200, headers: {}, body: '', delayMs: 0 },
  ]);
});

test('the defaults are 200, no headers, no body and no delay', () => {
  expect(parseScriptedResponses([{}, { drop: false, delayMs: 60_000 }])).toEqual([
    { status: 200, headers: {}, body: '', delayMs: 0 },
    { status: 200, headers: {}, body: '', delayMs: 60_000 },
  ]);
});

test.each([
  [null],
  [{}],
  [['x']],
  [[null]],
  [[{ status: 199 }]],
  [[{ status: '500' }]],
  [[{ drop: 1 }]],
  [[{ drop: true, status: 500 }]],
  [[{ delayMs: -1 }]],
  [[{ delayMs: 60_001 }]],
  [[{ delayMs: 1.5 }]],
  [[{ body: 1 }]],
  [[{ body: '\udc00' }]],
  [[{ headers: [] }]],
  [[{ headers: { 'X-A': 1 } }]],
  [[{ headers: { 'X-A': 'a\r\nSet-Cookie: b=c' } }]],
  [[{ headers: { 'X-A': 'a\n b' } }]],
  [[{ headers: { 'X-A': 'a\0' } }]],
  [[{ headers: { 'X-A': '€' } }]],
  [[{ headers: { 'X A': 'a' } }]],
  [[{ headers: { 'X-A\r\nX-B': 'a' } }]],
  [[{ headers: { '': 'a' } }]],
  [[{ headers: { 'Content-length': '5' } }]],
  [[{ headers: { 'Transfer-Encoding': 'chunked' } }]],
  [[{ headers: { Connection: 'close' } }]],
  [Array.from({ length: 1_001 }, () => ({}))],
])('%j is invalid_responses', (given) => {
  expect(() => parseScriptedResponses(given)).toThrow('invalid_responses');
});

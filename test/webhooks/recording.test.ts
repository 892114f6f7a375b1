import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type HeldRequest,
  leftOutOf,
  parseRecording,
  recorded,
  toRecording,
  writeRecording as writeFile,
} from '../../src/webhooks/recording.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';

const utf8 = new TextEncoder();

function captured(fields: Partial<HeldRequest> = {}): HeldRequest {
  return { method: 'POST', path: '/', query: null, headers: [], body: null, receivedAt: 0, ...fields };
}

function writeRecording(requests: Parameters<typeof toRecording>[0]): string {
  return writeFile(toRecording(requests));
}

function roundTrip(requests: readonly HeldRequest[]) {
  return parseRecording(JSON.parse(writeRecording(recorded(requests))));
}

const TEXTS = fc.oneof(
  fc.json().map((text) => utf8.encode(text)),
  fc.jsonValue().map((value) => utf8.encode(JSON.stringify(value, null, 2))),
  anyText().map((text) => utf8.encode(text)),
  fc.uint8Array({ maxLength: 300 }),
  fc.constantFrom(
    '\u2028{}\u2029\n',
    '\ufeff{}',
    '{"__proto__":{"a":1}}',
    '{"b":1,"a":1e400}',
    '{ "a":1}',
    '',
    '\r\n',
    '7',
  ),
);

test('the bytes of any body come back, whatever they are', () => {
  fc.assert(
    fc.property(TEXTS, (given) => {
      const body = typeof given === 'string' ? utf8.encode(given) : given;
      const [request] = roundTrip([captured({ body })]);
      expect(request?.body).not.toBeNull();
      expect(Buffer.from(request?.body ?? []).equals(Buffer.from(body))).toBe(true);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('headers keep order, case, repeats and bytes, and an absent body differs from an empty one', () => {
  const headers: [string, string][] = [
    ['X-B', 'two'],
    ['x-a', 'caf\u00c3\u00a9 "{}"'],
    ['X-B', ''],
  ];
  const [one, other] = roundTrip([captured({ headers }), captured({ body: new Uint8Array(), receivedAt: 1_500 })]);
  expect(one).toMatchObject({ headers, body: null, afterMs: 0 });
  expect(other).toMatchObject({ body: new Uint8Array(), afterMs: 1_500 });
});

test('a person can read it: JSON as JSON, one line for each header', () => {
  const body = utf8.encode('{"paid":true}');
  const text = writeRecording(
    recorded([
      captured({
        path: '/orders',
        headers: [
          ['A', 'b'],
          ['C', 'd'],
        ],
        body,
      }),
    ]),
  );
  expect(text).toBe(`{
  "mailcapRecording": 1,
  "requests": [
    {
      "afterMs": 0,
      "method": "POST",
      "path": "/orders",
      "query": null,
      "headers": [
        ["A","b"],
        ["C","d"]
      ],
      "json": {
        "paid": true
      }
    }
  ]
}
`);
});

test('what gives access is left out and named; signatures and idempotency keys stay', () => {
  const headers: [string, string][] = [
    ['Authorization', 'Bearer hidden'],
    ['Cookie', 'sid=hidden'],
    ['X-Gitlab-Token', 'hidden'],
    ['X-Api-Key', 'hidden'],
    ['Idempotency-Key', 'kept'],
    ['Stripe-Signature', 't=1,v1=kept'],
  ];
  const requests = recorded([captured({ headers, query: 'a=1&access_token=hidden&key=hidden&b' })]);
  const text = writeRecording(requests);
  expect(text).not.toContain('hidden');
  expect(text.match(/kept/g)).toHaveLength(2);
  expect(text).toContain('"query": "a=1&access_token=left-out&key=left-out&b"');
  expect(leftOutOf(parseRecording(JSON.parse(text))[0] ?? expect.fail())).toEqual([
    ...['Authorization', 'Cookie', 'X-Gitlab-Token', 'X-Api-Key'],
    ...['?access_token', '?key'],
  ]);
});

const GOOD = { method: 'POST', path: '/', headers: [] };

test.each([
  [null, 'it is not an object'],
  [{ requests: [] }, 'it is not a recording of mailcap'],
  [{ mailcapRecording: 2, requests: [] }, 'a later version wrote it'],
  [{ mailcapRecording: 1, requests: {} }, 'requests is not a list'],
  [[GOOD, 7], 'request 2 is not an object'],
  [[{ ...GOOD, method: 'GET /\r\nX:' }], 'method is not an HTTP method'],
  [[{ ...GOOD, method: 'CONNECT' }], 'method is not an HTTP method'],
  [[{ ...GOOD, path: '//evil\r\n' }], 'path is not a path'],
  [[{ ...GOOD, path: 'http://evil/' }], 'path is not a path'],
  [[{ ...GOOD, query: 'a b' }], 'query is not a query'],
  [[{ ...GOOD, headers: [['a:b', 'c']] }], 'is not a name of a header'],
  [[{ ...GOOD, headers: [['a', 'b\r\nc: d']] }], 'the header a is not one line'],
  [[{ ...GOOD, headers: { a: 'b' } }], 'headers is not a list'],
  [[{ ...GOOD, afterMs: -1 }], 'afterMs is not a number'],
  [[{ ...GOOD, afterMs: Number.POSITIVE_INFINITY }], 'afterMs is not a number'],
  [[{ ...GOOD, json: 1, text: 'x' }], 'more than one of json, text and base64'],
  [[{ ...GOOD, base64: '***' }], 'base64 is not valid base64'],
  [[{ ...GOOD, text: 5 }], 'text is neither'],
])('%j is refused with its place', (given, sentence) => {
  const whole = Array.isArray(given) ? { mailcapRecording: 1, requests: given } : given;
  expect(() => parseRecording(whole)).toThrow(sentence);
});

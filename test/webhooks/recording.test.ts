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

test('the bytes of any body come back unchanged', () => {
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

test('values that grant access are left out and named; signatures and idempotency keys stay', () => {
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

const TOKEN = `eyJhbGciOiJI.eyJzdWIiOiIx.${'x'.repeat(10)}`;

test.each([
  ['Authorization', 'hidden'],
  ['Proxy-Authorization', 'hidden'],
  ['X-Authorization', 'hidden'],
  ['Ocp-Apim-Subscription-Key', 'hidden'],
  ['X-Functions-Key', 'hidden'],
  ['apikey', 'hidden'],
  ['X-Auth', 'hidden'],
  ['X-Auth-Password', 'hidden'],
  ['X-Session-Id', 'hidden'],
  ['X-Goog-IAP-JWT-Assertion', 'hidden'],
  ['X-Amz-Security-Token', 'hidden'],
  ['X-Shop', 'Bearer hidden'],
  ['X-Shop', 'basic hidden'],
  ['X-Amzn-Oidc-Data', TOKEN],
])('the value of a header that grants access is left out: %s: %s', (name, value) => {
  const [request = expect.fail()] = roundTrip([captured({ headers: [[name, value]] })]);
  expect(request.headers).toEqual([[name, null]]);
  expect(leftOutOf(request)).toEqual([name]);
});

test.each([
  ['Stripe-Signature', 't=1,v1=00'],
  ['X-Hub-Signature-256', 'sha256=00'],
  ['X-Shopify-Hmac-SHA256', '00'],
  ['Upstash-Signature', TOKEN],
  ['Plaid-Verification', TOKEN],
  ['Idempotency-Key', '1'],
  ['Surrogate-Key', 'a b'],
  ['Sec-WebSocket-Key', 'x'],
  ['X-Shop', 'bearers of gifts'],
  ['Content-Type', 'application/json'],
])('the value of a header that grants no access stays: %s: %s', (name, value) => {
  const [request = expect.fail()] = roundTrip([captured({ headers: [[name, value]] })]);
  expect(request.headers).toEqual([[name, value]]);
});

test.each([
  ['sv=1&sig=hidden', 'sv=1&sig=left-out', ['?sig']],
  ['jwt=hidden', 'jwt=left-out', ['?jwt']],
  ['t%6Fken=hidden', 't%6Fken=left-out', ['?t%6Fken']],
  ['%54%4F%4B%45%4E=hidden', '%54%4F%4B%45%4E=left-out', ['?%54%4F%4B%45%4E']],
  ['t%256Fken=hidden', 't%256Fken=left-out', ['?t%256Fken']],
  [
    'user%5Bapi_key%5D=hidden&user[key]=hidden',
    'user%5Bapi_key%5D=left-out&user[key]=left-out',
    ['?user%5Bapi_key%5D', '?user[key]'],
  ],
  [
    'X-Amz-Signature=hidden&X-Amz-Credential=hidden',
    'X-Amz-Signature=left-out&X-Amz-Credential=left-out',
    ['?X-Amz-Signature', '?X-Amz-Credential'],
  ],
  ['code=hidden&auth_code=hidden', 'code=left-out&auth_code=left-out', ['?code', '?auth_code']],
  ['+token+=hidden', '+token+=left-out', ['?+token+']],
  ['a=1;token=hidden;b=hidden', 'a=1;token=left-out', ['?token']],
  [`data=${TOKEN}`, 'data=left-out', ['?data']],
  [`data=${TOKEN.replaceAll('.', '%2E')}`, 'data=left-out', ['?data']],
  [TOKEN, '=left-out', ['?']],
])('the value of a parameter that grants access is left out: %s', (query, written, names) => {
  const [request = expect.fail()] = roundTrip([captured({ query })]);
  expect(request.query).toBe(written);
  expect(leftOutOf(request)).toEqual(names);
});

test.each([
  'a=1&b',
  'country_code=ch&sort_key=x&page=2',
  'a=1;b=2',
  '%E0%A4%A=x&%=1&a=%zz',
  'monkey=1&design=2',
  '=x&&',
])('a query that grants no access stays as it is: %s', (query) => {
  const [request = expect.fail()] = roundTrip([captured({ query })]);
  expect([request.query, leftOutOf(request)]).toEqual([query, []]);
});

test('characters that no URL may have are encoded, so that no request can prevent a recording', () => {
  const [request = expect.fail()] = roundTrip([captured({ path: '/a#b?c \u{1f600}\ud800', query: 'x y\u2028' })]);
  expect(request).toMatchObject({ path: '/a%23b%3Fc%20%F0%9F%98%80%EF%BF%BD', query: 'x%20y%E2%80%A8' });
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

test('secrets are searched in linear time', () => {
  // A text of this length would take the whole timeout if the time grew with its square.
  for (const piece of ['-eyJaaaaa', 'eyJaaaaa.', 'token', 'api-', 'key-', ';', '&', '%25', '%', '[', '+', 'Bearer '])
    for (const text of [piece.repeat(20_000), `a=${piece.repeat(20_000)}`])
      expect(recorded([captured({ query: text, path: text, headers: [['x', text]] })])).toHaveLength(1);
});

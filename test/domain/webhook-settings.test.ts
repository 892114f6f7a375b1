import { expect, test } from 'vitest';
import { changeSettings, defaultSettings, type GivenSettings } from '../../src/domain/webhook.ts';
import { PLANS } from '../../src/domain/workspace.ts';

const plan = PLANS.business;
const DEFAULTS = defaultSettings(plan);
const FORWARDING = { ...DEFAULTS, forwardMode: 'async', forwardUrl: 'http://x.test/cb' } as const;

function change(given: GivenSettings, was = DEFAULTS) {
  return changeSettings(was, given, plan);
}

/** Returns the code with which the settings are refused. */
function refusal(given: GivenSettings, was = DEFAULTS): unknown {
  try {
    return change(given, was);
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  }
}

test('defaults: answers 200 with an empty body, forwarding off, retention is the plan default', () => {
  expect(DEFAULTS).toEqual({
    name: null,
    responseStatus: 200,
    responseContentType: null,
    responseBody: '',
    forwardMode: 'off',
    forwardUrl: null,
    retentionDays: 30,
  });
});

test('null counts as omitted', () => {
  const nothing = Object.fromEntries(Object.keys(DEFAULTS).map((field) => [field, null]));
  expect(change(nothing, FORWARDING)).toEqual(FORWARDING);
});

test.each<[keyof GivenSettings, unknown, unknown?]>([
  ['name', 'x'.repeat(100)],
  ['name', '😀'.repeat(100)],
  ['name', ' Payments ', 'Payments'],
  ['name', ''],
  ['responseStatus', 200],
  ['responseStatus', 599],
  ['responseContentType', 'application/json'],
  ['responseContentType', 'text/plain; charset=utf-8'],
  ['responseContentType', 'multipart/form-data;boundary="a b;c";'],
  ['responseContentType', 'application/vnd.api+json ; v=1'],
  ['responseBody', ''],
  ['responseBody', '\u0000€'],
  ['responseBody', 'x'.repeat(1024 * 1024)],
  ['forwardUrl', 'http://localhost:3000'],
  ['forwardUrl', 'HTTPS://x.test/a?b=c#d'],
  ['forwardUrl', 'http://[::1]:80/'],
  ['forwardUrl', 'http://x.test/@b'],
  ['retentionDays', 1],
  ['retentionDays', 90],
])('%s may be %j', (field, value, kept = value) => {
  expect(change({ [field]: value })[field]).toBe(kept);
});

test.each([
  ['off', 'off'],
  ['ASYNC', 'async'],
  ['Sync', 'sync'],
  [0, 'off'],
  [1, 'async'],
  [2, 'sync'],
])('forwardMode %j is %s', (forwardMode, mode) => {
  expect(change({ forwardMode, forwardUrl: 'http://x.test' }).forwardMode).toBe(mode);
});

test.each<[string, GivenSettings]>([
  ['invalid_name', { name: 'x'.repeat(101) }],
  ['invalid_name', { name: 'a\nb' }],
  ['invalid_name', { name: '\u001b[2J' }],
  ['invalid_name', { name: 7 }],
  ['invalid_response_status', { responseStatus: 199 }],
  ['invalid_response_status', { responseStatus: 600 }],
  ['invalid_response_status', { responseStatus: 200.5 }],
  ['invalid_response_status', { responseStatus: '200' }],
  ['invalid_response_content_type', { responseContentType: 'json' }],
  ['invalid_response_content_type', { responseContentType: '' }],
  ['invalid_response_content_type', { responseContentType: 'text/html\r\nSet-Cookie: a=b' }],
  ['invalid_response_content_type', { responseContentType: 'text/html; charset' }],
  ['invalid_response_content_type', { responseContentType: `text/${'x'.repeat(255)}` }],
  ['invalid_response_body', { responseBody: 'x'.repeat(1024 * 1024 + 1) }],
  ['invalid_response_body', { responseBody: 'é'.repeat(512 * 1024 + 1) }],
  ['invalid_response_body', { responseBody: '\ud800' }],
  ['invalid_response_body', { responseBody: {} }],
  ['invalid_forward_mode', { forwardMode: 'on' }],
  ['invalid_forward_mode', { forwardMode: '1' }],
  ['invalid_forward_mode', { forwardMode: 3 }],
  ['invalid_forward_mode', { forwardMode: true }],
  ['invalid_forward_url', { forwardUrl: '/relative' }],
  ['invalid_forward_url', { forwardUrl: 'ftp://x.test' }],
  ['invalid_forward_url', { forwardUrl: 'http:x.test' }],
  ...[
    ...[
      'http://',
      'http:///x',
      'http:////x',
      'http:x',
      'http:/x',
      'http:/\\x',
      'http:\\\\x',
      '//x',
      'http://?q',
      'http://#f',
    ],
    ...['http://@x.test', 'http://:@x.test', 'http://x.test@y.test', 'http://a:b@x.test/', 'https://%40@x.test'],
    ...['http://%00/', 'http://x%2ftest/', 'http://%31%32%37.0.0.1/', 'http://\u00ad/', 'http://[::1', 'http://[::g]/'],
    ...['http://x.test:0', 'http://x.test:65536', 'http://x.test:-1', 'http://x.test:8o', 'http://x.test:80:80'],
    ...[
      'http://.',
      'http://a..b/',
      'http://.a/',
      'http://x\u0000.test',
      'http://x.test/\u0000',
      'http://x.test/\ud800',
    ],
    ...[
      'http://x.test\t/',
      'http://x\n.test',
      ' http://x.test',
      'http://x.test ',
      'file:///etc/passwd',
      'javascript:1',
    ],
  ].map((forwardUrl): [string, object] => ['invalid_forward_url', { forwardUrl }]),
  ['invalid_forward_url', { forwardUrl: 'http://user@x.test' }],
  ['invalid_forward_url', { forwardUrl: 'http://:secret@x.test' }],
  ['invalid_forward_url', { forwardUrl: 'http://x.test/a b' }],
  ['invalid_forward_url', { forwardUrl: 'http://x.test\r\nX: y' }],
  ['invalid_forward_url', { forwardUrl: 'http://x.test:99999' }],
  ['invalid_forward_url', { forwardUrl: `http://x.test/${'x'.repeat(2_048)}` }],
  ['invalid_retention', { retentionDays: 0 }],
  ['invalid_retention', { retentionDays: 1.5 }],
  ['invalid_retention', { retentionDays: 91 }],
])('%s: %j', (code, given) => {
  expect(refusal(given)).toBe(code);
});

test.each([
  'http://x.test',
  'HTTPS://X.test:8443/a?b=c#d',
  'http://x.test:/a',
  'http://x.test?q=http://y.test/@',
  'http://x.test/a@b:c',
  'http://127.0.0.1:65535/',
  'http://[::1]:8080/a',
  'http://bücher.example/grüße',
  'http://my_service:8080/hook',
  'http://x.test./',
])('forwardUrl %s is taken as it is written', (forwardUrl) => {
  expect(change({ forwardUrl }).forwardUrl).toBe(forwardUrl);
});

test('forwardUrl is required when the mode is not off, also of both together', () => {
  expect(refusal({ forwardMode: 'sync' })).toBe('invalid_forward_url');
  expect(change({ forwardMode: 'sync' }, { ...DEFAULTS, forwardUrl: 'http://x.test' }).forwardMode).toBe('sync');
  expect(change({ forwardMode: 'off' }, FORWARDING)).toEqual({ ...FORWARDING, forwardMode: 'off' });
});

test('of several errors, the first in the order of the document’s fields is reported', () => {
  expect(refusal({ retentionDays: 0, forwardMode: 'x', responseStatus: 1 })).toBe('invalid_response_status');
});

import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/domain/errors.ts';
import { deriveSubdomain, isReserved, nameAndSubdomain, parseRetention } from '../../src/domain/mailbox.ts';
import { PLANS } from '../../src/domain/workspace.ts';

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'none';
}

describe('name and subdomain', () => {
  test.each([
    [{ name: 'Shop' }, { name: 'Shop', subdomain: 'shop' }],
    [{ name: '  Shop  ' }, { name: 'Shop', subdomain: 'shop' }],
    [
      { name: 'Shop', subdomain: null },
      { name: 'Shop', subdomain: 'shop' },
    ],
    [
      { name: 'Shop', subdomain: 'MY-Shop' },
      { name: 'Shop', subdomain: 'my-shop' },
    ],
    // If only the subdomain is given, the name is the same text.
    [{ subdomain: 'x' }, { name: 'x', subdomain: 'x' }],
    [
      { name: null, subdomain: 'Shop-1' },
      { name: 'shop-1', subdomain: 'shop-1' },
    ],
    [
      { name: '☃', subdomain: 'snow' },
      { name: '☃', subdomain: 'snow' },
    ],
    [{ name: 'n'.repeat(100) }, { name: 'n'.repeat(100), subdomain: 'n'.repeat(63) }],
    [
      { name: '😀'.repeat(100), subdomain: 'a' },
      { name: '😀'.repeat(100), subdomain: 'a' },
    ],
    [{ subdomain: 'a'.repeat(63) }, { name: 'a'.repeat(63), subdomain: 'a'.repeat(63) }],
  ])('%j is %j', (given: { name?: unknown; subdomain?: unknown }, parsed) => {
    expect(nameAndSubdomain(given.name, given.subdomain)).toEqual(parsed);
  });

  test.each([
    ['neither name nor subdomain', {}, 'invalid_name'],
    ['both null', { name: null, subdomain: null }, 'invalid_name'],
    ['empty after trimming', { name: '   ' }, 'invalid_name'],
    ['over 100 characters', { name: 'n'.repeat(101) }, 'invalid_name'],
    ['over 100 characters of two units', { name: '😀'.repeat(101) }, 'invalid_name'],
    ['control characters', { name: 'a\u0000b', subdomain: 'x' }, 'invalid_name'],
    ['control characters of C1', { name: 'a\u0085b' }, 'invalid_name'],
    ['no text', { name: 7 }, 'invalid_name'],
    ['a bad name beside a good subdomain', { name: '', subdomain: 'x' }, 'invalid_name'],
    ['a bad name before a bad subdomain', { name: '', subdomain: '-' }, 'invalid_name'],
    ['a name nothing can be derived from', { name: '☃' }, 'invalid_name'],
    ['empty', { subdomain: '' }, 'invalid_subdomain'],
    ['two labels', { subdomain: 'a.b' }, 'invalid_subdomain'],
    ['starting with -', { subdomain: '-a' }, 'invalid_subdomain'],
    ['ending with -', { subdomain: 'a-' }, 'invalid_subdomain'],
    ['64 characters', { subdomain: 'a'.repeat(64) }, 'invalid_subdomain'],
    ['an underscore', { subdomain: 'a_b' }, 'invalid_subdomain'],
    ['spaces around it', { subdomain: ' a ' }, 'invalid_subdomain'],
    ['a line end', { subdomain: 'a\n' }, 'invalid_subdomain'],
    ['no ASCII', { subdomain: 'bücher' }, 'invalid_subdomain'],
    ['no text', { subdomain: 7 }, 'invalid_subdomain'],
  ])('%s: %j is %s', (_what, given: { name?: unknown; subdomain?: unknown }, code) => {
    expect(codeOf(() => nameAndSubdomain(given.name, given.subdomain))).toBe(code);
  });
});

test.each([
  // The name is normalized to NFKD, loses its marks, and becomes lower case. Every other run of characters becomes `-`,
  // and the result is trimmed and cut to 63 characters.
  ['Sign-up Mails', 'sign-up-mails'],
  ['Crème Brûlée', 'creme-brulee'],
  ['  --Shop__42!! ', 'shop-42'],
  ['Ｆｕｌｌ ｗｉｄｔｈ', 'full-width'],
  ['ﬁne ①', 'fine-1'],
  ['a'.repeat(80), 'a'.repeat(63)],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ['☃', ''],
  ['Ж', ''],
])('derived from the name %j: %j', (name, subdomain) => {
  expect(deriveSubdomain(name)).toBe(subdomain);
});

test('reserved names are reserved, and nothing else', () => {
  const reserved =
    'www mail smtp imap pop pop3 mx ns ns1 ns2 ftp api app admin root postmaster abuse support help status hooks webhooks simulator autoconfig autodiscover localhost bounce bounces';
  expect(reserved.split(' ').filter((name) => !isReserved(name))).toEqual([]);
  expect(['inbox', 'shop', 'wwww', ''].filter(isReserved)).toEqual([]);
});

describe('retentionDays', () => {
  test.each([
    [undefined, 30],
    [null, 30],
    [1, 1],
    [90, 90],
  ])('%s on Business is %s days', (value, days) => {
    expect(parseRetention(value, PLANS.business)).toBe(days);
  });

  test.each([0, -1, 1.5, 8, Number.NaN, Number.POSITIVE_INFINITY, '3', true, []])(
    '%s on Free is 400 invalid_retention with max',
    (value) => {
      expect(() => parseRetention(value, PLANS.free)).toThrow(
        expect.objectContaining({ code: 'invalid_retention', extra: { max: 7 } }),
      );
    },
  );
});

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSecret, parseTotpParameters, type TotpAlgorithm } from '../../src/otp/otpauth-uri.ts';
import { codeAt } from '../../src/otp/totp.ts';
import { propertyRuns } from '../support/night.ts';

// RFC 6238 appendix B: the seed of each hash repeats '1234567890' up to the length of its digest.
const SEEDS = {
  sha1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  sha256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====',
  sha512: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA=',
};

test.each<[number, TotpAlgorithm, string]>([
  [59, 'sha1', '94287082'],
  [59, 'sha256', '46119246'],
  [59, 'sha512', '90693936'],
  [1111111109, 'sha1', '07081804'],
  [1111111109, 'sha256', '68084774'],
  [1111111109, 'sha512', '25091201'],
  [1111111111, 'sha1', '14050471'],
  [1111111111, 'sha256', '67062674'],
  [1111111111, 'sha512', '99943326'],
  [1234567890, 'sha1', '89005924'],
  [1234567890, 'sha256', '91819424'],
  [1234567890, 'sha512', '93441116'],
  [2000000000, 'sha1', '69279037'],
  [2000000000, 'sha256', '90698825'],
  [2000000000, 'sha512', '38618901'],
  [20000000000, 'sha1', '65353130'],
  [20000000000, 'sha256', '77737706'],
  [20000000000, 'sha512', '47863826'],
])('RFC 6238 appendix B: at %i with %s the code is %s', (seconds, algorithm, code) => {
  const secret = parseSecret(SEEDS[algorithm]);
  const at = seconds * 1_000;
  expect(codeAt({ secret, algorithm, digits: 8, period: 30 }, at)).toMatchObject({ code });
  expect(codeAt({ secret, algorithm, digits: 6, period: 30 }, at)).toMatchObject({ code: code.slice(2) });
});

test.each([
  [0, 30, 30_000, 30],
  [1, 30, 30_000, 30],
  [999, 30, 30_000, 30],
  [1_000, 30, 30_000, 29],
  [29_000, 30, 30_000, 1],
  [29_999, 30, 30_000, 1],
  [30_000, 30, 60_000, 30],
  [44_999, 15, 45_000, 1],
  [45_000, 15, 60_000, 15],
  [119_001, 120, 120_000, 1],
  [120_000, 120, 240_000, 120],
])('at %i ms of a period of %i s it expires at %i ms, in %i s', (at, period, expiresAt, expiresInSeconds) => {
  const authenticator = { secret: parseSecret(SEEDS.sha1), algorithm: 'sha1', digits: 6, period } as const;
  expect(codeAt(authenticator, at)).toMatchObject({ expiresAt, expiresInSeconds });
});

test('a code is that of RFC 6238 for any secret, hash, digits, period and time', () => {
  const authenticators = fc.record({
    secret: fc.uint8Array({ minLength: 1, maxLength: 100 }),
    algorithm: fc.constantFrom('sha1', 'sha256', 'sha512'),
    digits: fc.constantFrom(6, 8),
    period: fc.integer({ min: 15, max: 120 }),
  });
  const times = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(authenticators, times, ({ secret, ...parameters }, at) => {
      const { code } = codeAt({ ...parameters, secret: parseSecret(base32(secret)) }, at);
      expect(code).toBe(reference(secret, parameters, at));
    }),
    { numRuns: propertyRuns(300) },
  );
});

describe('a secret', () => {
  const SECRET = 'JBSWY3DPEHPK3PXP';

  test.each([
    ['JBSWY3DPEHPK3PXP'],
    ['jbswy3dpehpk3pxp'],
    ['JBSW Y3DP EHPK 3PXP'],
    ['jbsw-y3dp-ehpk-3pxp'],
    ['JBSW–Y3DP—EHPK\u00a03PXP'],
    ['  JBSWY3DPEHPK3PXP\r\n'],
    ['JBSWY3DP\tEHPK\u200b3PXP'],
    ['JBSW Y3DP EHPK 3PXP ======'],
  ])('in the spelling %j is the same', (spelling) => {
    expect(parseSecret(spelling)).toBe(SECRET);
  });

  test.each([
    ['ME======', 'ME'],
    ['me', 'ME'],
    ['MFRA====', 'MFRA'],
    ['MFRGG===', 'MFRGG'],
    ['MFRGGZA=', 'MFRGGZA'],
    // Bits after the last whole byte are set; the decoder drops them.
    ['MF', 'ME'],
    ['MFRB', 'MFRA'],
    ['MFRGH', 'MFRGG'],
    ['MFRGGZB', 'MFRGGZA'],
    // Lengths that no number of bytes encodes to, as apps read them.
    ['JBSWY3DPEHPK3PXPA', 'JBSWY3DPEHPK3PXP'],
    ['JBSWY3DPEHPK3PXPAAA', 'JBSWY3DPEHPK3PXPAA'],
    ['JBSWY3DPEHPK3PXPAAAAAA', 'JBSWY3DPEHPK3PXPAAAAA'],
  ])('%j of any length in bytes, padded or not, is %j', (spelling, secret) => {
    expect(parseSecret(spelling)).toBe(secret);
  });

  test.each([
    [undefined],
    [null],
    [''],
    ['   '],
    ['===='],
    [12345678],
    [['JBSWY3DP']],
    ['JBSWY3D1'],
    ['JBSWY3D8'],
    ['JBSWY3D0'],
    ['JBSW=Y3D'],
    ['JBSWY3DP!'],
    ['ſBSWY3DP'],
    ['A'],
    ['A'.repeat(1_032)],
  ])('%j is invalid_secret', (value) => {
    expect(() => parseSecret(value)).toThrow(expect.objectContaining({ code: 'invalid_secret' }));
  });
});

describe('parameters', () => {
  test.each([
    [{}, { algorithm: 'sha1', digits: 6, period: 30 }],
    [
      { algorithm: null, digits: null, period: null },
      { algorithm: 'sha1', digits: 6, period: 30 },
    ],
    [
      { algorithm: 'SHA256', digits: 8, period: 15 },
      { algorithm: 'sha256', digits: 8, period: 15 },
    ],
    [
      { algorithm: 'sha-512', period: 120 },
      { algorithm: 'sha512', digits: 6, period: 120 },
    ],
  ])('%j are %j', (given, parameters) => {
    expect(parseTotpParameters(given)).toEqual(parameters);
  });

  test.each([
    [{ algorithm: 'MD5' }, 'invalid_algorithm'],
    [{ algorithm: 'SHA384' }, 'invalid_algorithm'],
    [{ algorithm: '' }, 'invalid_algorithm'],
    [{ algorithm: 1 }, 'invalid_algorithm'],
    [{ digits: 7 }, 'invalid_digits'],
    [{ digits: '6' }, 'invalid_digits'],
    [{ period: 14 }, 'invalid_period'],
    [{ period: 121 }, 'invalid_period'],
    [{ period: 30.5 }, 'invalid_period'],
    [{ period: '30' }, 'invalid_period'],
  ])('%j is %s', (given, code) => {
    expect(() => parseTotpParameters(given)).toThrow(expect.objectContaining({ code }));
  });
});

function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('');
}

/** A reference implementation of RFC 4226 5.3 and RFC 6238 4.2 with Node's HMAC. */
function reference(
  secret: Uint8Array,
  { algorithm, digits, period }: { algorithm: string; digits: number; period: number },
  at: number,
): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 1_000 / period)));
  const digest = createHmac(algorithm, secret).update(counter).digest();
  const truncated = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

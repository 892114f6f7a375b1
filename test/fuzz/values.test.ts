import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bearerKey } from '../../src/domain/api-key.ts';
import { ApiError } from '../../src/domain/errors.ts';
import { attachmentPosition, parseUlid, ulidTime } from '../../src/domain/ids.ts';
import { deriveSubdomain, isReserved, parseSubdomain } from '../../src/domain/mailbox.ts';
import { parseClockSetting, parseTime, writeTime } from '../../src/domain/time.ts';
import { parseName } from '../../src/domain/workspace.ts';
import { OtpError, parseOtpauthUri, parseSecret } from '../../src/otp/otpauth-uri.ts';
import { codeAt } from '../../src/otp/totp.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const anything = fc.oneof(anyText(), fc.string({ unit: 'grapheme' }), fc.anything());

/** Returns the result of a parser, or null if it refused the value with a code. Any other error fails the test. */
function refusing<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError || error instanceof OtpError) return null;
    throw error;
  }
}

describe('a ULID', () => {
  const ulid = fc
    .tuple(
      fc.constantFrom(...'01234567'),
      fc.string({ unit: fc.constantFrom(...CROCKFORD), minLength: 25, maxLength: 25 }),
    )
    .map((parts) => parts.join(''));

  test('is 26 Crockford characters in either case, and its time is what the first ten say', () => {
    fc.assert(
      fc.property(ulid, fc.infiniteStream(fc.boolean()), (text, upper) => {
        const mixed = [...text].map((char) => (upper.next().value ? char : char.toLowerCase())).join('');
        const id = parseUlid(mixed);
        expect(id).toBe(text);
        if (id === null) return;
        const digits = [...text.slice(0, 10)].map((char) => CROCKFORD.indexOf(char));
        expect(BigInt(ulidTime(id))).toBe(digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n));
      }),
    );
  });

  test('is unknown with any character inserted, removed or changed', () => {
    const strange = anyText({ minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(ulid, fc.nat(25), fc.nat(2), strange, (text, at, left, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + left);
        const isOne =
          changed.length === 26 &&
          /^[0-7]/.test(changed) &&
          [...changed.toUpperCase()].every((char) => CROCKFORD.includes(char));
        // Some letters outside ASCII have an ASCII letter in their upper-case form.
        const isPlain = /^[\x20-\x7e]*$/.test(changed);
        expect(parseUlid(changed) !== null).toBe(isOne && isPlain);
        expect(() => attachmentPosition(parseUlid(text) ?? (text as never), changed)).not.toThrow();
      }),
      {
        numRuns: propertyRuns(2_000),
        examples: [
          ['01JD5Z3V8W0123456789ABCDEF', 25, 1, '\n'],
          ['01JD5Z3V8W0123456789ABCDEF', 3, 1, 'ı'],
        ],
      },
    );
  });
});

describe('a secret in base32', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const between = fc.array(fc.constantFrom('', '', '', ' ', '-', '\n', '\u2011', '\u200b'), {
    minLength: 1,
    maxLength: 9,
  });

  test('is the same in any spelling that people paste', () => {
    fc.assert(
      fc.property(bytes, between, fc.boolean(), fc.boolean(), (secret, gaps, lower, padded) => {
        const text = toBase32(secret);
        const spelt = [...text].map((char, at) => char + (gaps[at % gaps.length] ?? '')).join('');
        const padding = padded ? '='.repeat((8 - (text.length % 8)) % 8) : '';
        expect(parseSecret((lower ? spelt.toLowerCase() : spelt) + padding)).toBe(text);
      }),
    );
  });

  test('is refused or gives codes, whatever it is', async () => {
    const nearly = fc.string({ unit: fc.constantFrom(...BASE32, '1', '0', '8', '=', ' ', '\0', 'ı'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearly, anything), fc.nat(4e12), async (given, at) => {
        const secret = refusing(() => parseSecret(given));
        if (secret === null) return;
        expect(parseSecret(secret)).toBe(secret);
        const { code, expiresInSeconds } = codeAt({ secret, algorithm: 'sha1', digits: 6, period: 30 }, at);
        expect(code).toMatch(/^\d{6}$/);
        expect(expiresInSeconds >= 1 && expiresInSeconds <= 30).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('in an otpauth URI is read or refused as invalid_uri, whatever it is', () => {
    const pieces = [
      ...[
        'otpauth://',
        'totp/',
        'hotp/',
        'a:b',
        '?',
        '&',
        '=',
        '#',
        '%',
        '%00',
        '%E2%82',
        '\0',
        ' ',
        '//',
        '@',
        '[',
        ':1',
      ],
      ...[
        'secret=',
        'JBSWY3DPEHPK3PXP',
        'digits=8',
        'period=60',
        'algorithm=SHA512',
        'issuer=',
        '\u2028',
        '😀',
        '\ud83d',
      ],
    ];
    const uri = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          uri,
          uri.map((rest) => `otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&${rest}`),
          anything,
        ),
        (given) => {
          const parsed = refusing(() => parseOtpauthUri(given));
          if (parsed === null) return;
          expect(parsed.secret).toMatch(/^[A-Z2-7]+$/);
          expect([6, 8]).toContain(parsed.digits);
          expect(parsed.period >= 15 && parsed.period <= 120).toBe(true);
          expect(`${parsed.label}${parsed.issuer}`).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: propertyRuns(3_000) },
    );
  });
});

describe('times', () => {
  test('that mailcap wrote are read, at any offset', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
        fc.integer({ min: -1439, max: 1439 }),
        (ms, offset) => {
          expect(parseTime(writeTime(ms))).toBe(ms);
          const sign = offset < 0 ? '-' : '+';
          const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
          const zone = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
          const local = new Date(ms + offset * 60_000);
          if (local.getUTCFullYear() > 9999 || local.getUTCFullYear() < 0) return;
          expect(parseTime(local.toISOString().replace('Z', zone))).toBe(ms);
        },
      ),
    );
  });

  test('that are invalid are refused', () => {
    const nearly = fc
      .array(
        fc.constantFrom('2026', '-', '11', '20', 'T', ' ', ':', '15', '99', '.', ',', '123', 'Z', '+', '00', '1e3'),
        { maxLength: 16 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(nearly, anyText()), (text) => {
        const ms = parseTime(text);
        expect(ms === null || Number.isInteger(ms)).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('a clock setting leaves the clock where every time can be written', () => {
    const setting = fc.oneof(
      anything,
      fc.record({ offsetSeconds: fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()) }),
      fc.record({
        now: fc.oneof(
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          fc.string(),
        ),
      }),
    );
    fc.assert(
      fc.property(setting, fc.integer({ min: 0, max: 4e12 }), (given, realNow) => {
        const offset = parseClockSetting(given, realNow);
        if (offset === null) return;
        expect(Number.isInteger(offset)).toBe(true);
        expect(parseTime(writeTime(realNow + offset))).toBe(realNow + offset);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });
});

describe('names', () => {
  test('of any kind are 1 to 100 characters without control characters, or refused', () => {
    fc.assert(
      fc.property(anything, (given) => {
        const name = parseName(given);
        if (name === null) return;
        expect([...name].length >= 1 && [...name].length <= 100).toBe(true);
        expect(name).not.toMatch(/\p{Cc}/u);
        expect(parseName(name)).toBe(name);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test('give a subdomain that is a DNS label, or none', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 120 }), (name) => {
        const subdomain = deriveSubdomain(name);
        if (subdomain === '') return;
        expect(parseSubdomain(subdomain)).toBe(subdomain);
        expect(subdomain).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
        expect(typeof isReserved(subdomain)).toBe('boolean');
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });
});

test('any Authorization header gives one key or none', () => {
  const header = fc
    .array(
      fc.constantFrom('Bearer', 'bearer', ' ', '\t', 'svc_live_', 'abc', '-_', 'Basic', ',', '=', '\u00a0', '\0'),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(header, fc.string()), (text) => {
      const key = bearerKey(text);
      if (key !== null) expect(key).toMatch(/^svc_live_[\w-]{1,200}$/);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

import { describe, expect, test } from 'vitest';
import { parseNewAuthenticator } from '../../src/domain/authenticator.ts';
import { parseOtpauthUri } from '../../src/otp/otpauth-uri.ts';

const SECRET = 'JBSWY3DPEHPK3PXP';
const PLAIN = { secret: SECRET, algorithm: 'sha1', digits: 6, period: 30, label: null, issuer: null };

describe('an otpauth URI', () => {
  test.each([
    [`otpauth://totp/?secret=${SECRET}`, PLAIN],
    [`otpauth://totp?secret=${SECRET}`, PLAIN],
    [`  otpauth://totp/ada?secret=${SECRET}\n`, { ...PLAIN, label: 'ada' }],
    [`OTPAUTH://TOTP/ada?secret=${SECRET.toLowerCase()}`, { ...PLAIN, label: 'ada' }],
    [
      `otpauth://totp/Shop:ada@x.test?secret=${SECRET}&issuer=The%20Shop`,
      { ...PLAIN, label: 'Shop:ada@x.test', issuer: 'The Shop' },
    ],
    [
      `otpauth://totp/The%20Shop%3Aada%40x.test?secret=${SECRET}`,
      { ...PLAIN, label: 'The Shop:ada@x.test', issuer: 'The Shop' },
    ],
    [`otpauth://totp/The Shop:ada?secret=${SECRET}`, { ...PLAIN, label: 'The Shop:ada', issuer: 'The Shop' }],
    [
      `otpauth://totp/ada?secret=jbsw%20y3dp-ehpk+3pxp%3D%3D&algorithm=SHA256&digits=8&period=60&image=x`,
      { ...PLAIN, algorithm: 'sha256', digits: 8, period: 60, label: 'ada' },
    ],
    [`otpauth://totp/ada?secret=${SECRET}&algorithm=sha512`, { ...PLAIN, algorithm: 'sha512', label: 'ada' }],
    [
      `otpauth://totp/Shop 100%:ada%C3%A9%zz?secret=${SECRET}`,
      { ...PLAIN, label: 'Shop 100%:adaé%zz', issuer: 'Shop 100%' },
    ],
    [`otpauth://totp/ada?secret=${SECRET}&digits=&period=&algorithm=`, { ...PLAIN, label: 'ada' }],
  ])('%j is read', (uri, parts) => {
    expect(parseOtpauthUri(uri)).toEqual(parts);
  });

  test.each([
    [undefined],
    [5],
    [''],
    [SECRET],
    [`https://totp/ada?secret=${SECRET}`],
    [`otpauth://hotp/ada?secret=${SECRET}&counter=0`],
    [`otpauth:totp/ada?secret=${SECRET}`],
    ['otpauth://totp/ada'],
    ['otpauth://totp/ada?secret='],
    ['otpauth://totp/ada?secret=1189'],
    [`otpauth://totp/a%1Bb?secret=${SECRET}`],
    [`otpauth://totp/ada?secret=${SECRET}&issuer=a%07`],
    [`otpauth://totp/ada?secret=${SECRET}&algorithm=MD5`],
    [`otpauth://totp/ada?secret=${SECRET}&digits=7`],
    [`otpauth://totp/ada?secret=${SECRET}&digits=six`],
    [`otpauth://totp/ada?secret=${SECRET}&period=10`],
    [`otpauth://totp/ada?secret=${SECRET}&period=3e1`],
    [`otpauth://totp/${'a'.repeat(4_096)}?secret=${SECRET}`],
  ])('%j is invalid_uri', (uri) => {
    expect(() => parseOtpauthUri(uri)).toThrow(expect.objectContaining({ code: 'invalid_uri' }));
  });

  test('a refusal carries nothing of the URI', () => {
    const refused = caught(() => parseOtpauthUri(`otpauth://totp/a%1Bb?secret=${SECRET}`));
    expect([refused.message, refused.cause]).toEqual(['invalid_uri', undefined]);
  });
});

describe('a new authenticator', () => {
  test.each([
    [
      { name: ' Ada ', secret: 'jbsw y3dp ehpk 3pxp' },
      { name: 'Ada', ...PLAIN },
    ],
    [
      { name: 'Ada', secret: SECRET, uri: null, algorithm: 'SHA512', digits: 8, period: 60 },
      { name: 'Ada', ...PLAIN, algorithm: 'sha512', digits: 8, period: 60 },
    ],
    [
      { name: 'Ada', secret: null, uri: `otpauth://totp/x?secret=${SECRET}&digits=8` },
      { name: 'Ada', ...PLAIN, label: 'x', digits: 8 },
    ],
  ])('of %j is %j', (given, authenticator) => {
    expect(parseNewAuthenticator(given)).toEqual(authenticator);
  });

  test.each([
    [{ secret: SECRET }, 'invalid_name'],
    [{ name: '', secret: '1' }, 'invalid_name'],
    [{ name: 'Ada' }, 'invalid_secret'],
    [{ name: 'Ada', secret: '1', digits: 7 }, 'invalid_secret'],
    [{ name: 'Ada', secret: SECRET, algorithm: 'MD5', digits: 7 }, 'invalid_algorithm'],
    [{ name: 'Ada', secret: SECRET, digits: 7, period: 1 }, 'invalid_digits'],
    [{ name: 'Ada', secret: SECRET, period: 1 }, 'invalid_period'],
    [{ name: 'Ada', uri: '' }, 'invalid_uri'],
    [{ name: 'Ada', uri: `otpauth://totp/x?secret=${SECRET}`, secret: SECRET }, 'invalid_uri'],
  ])('of %j is %s', (given, code) => {
    expect(() => parseNewAuthenticator(given)).toThrow(expect.objectContaining({ code }));
  });
});

function caught(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

import { describe, expect, test } from 'vitest';
import { spfQuestion } from '../../src/domain/spf.ts';
import { facts } from '../support/facts.ts';

const BY_SMTP = facts('192.0.2.1', 'user@example.com').of;
const from = (mailFrom: string, helo: string | null = 'mx.example.org') =>
  spfQuestion({ ...BY_SMTP, envelope: { mailFrom, rcptTo: [] }, helo }, false)?.sender ?? null;

describe('loopback and private clients give none without a look-up, unless a zone is configured', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.7',
    '169.254.1.1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:192.168.0.7',
    '::ffff:a00:1',
  ])('%s', (clientAddress) => {
    const ofNeighbour = { ...BY_SMTP, clientAddress };
    expect(spfQuestion(ofNeighbour, false)).toBeNull();
    expect(spfQuestion(ofNeighbour, true)).toEqual({
      clientAddress,
      sender: 'user@example.com',
      helo: 'mx.example.org',
    });
  });
});

test.each(['172.32.0.1', '192.0.2.1', '8.8.8.8', '2001:db8::1', '::ffff:8.8.8.8'])(
  'of any other client the domain is asked: %s',
  (clientAddress) => {
    expect(spfQuestion({ ...BY_SMTP, clientAddress }, false)).toMatchObject({ clientAddress });
  },
);

test('mail that came by no SMTP gives none, zone or not', () => {
  for (const hasZone of [false, true]) {
    expect(spfQuestion({ ...BY_SMTP, source: 'api' }, hasZone)).toBeNull();
    expect(spfQuestion({ ...BY_SMTP, clientAddress: null }, hasZone)).toBeNull();
  }
});

test.each([
  ['user@example.com', 'user@example.com'],
  ['User.Name+tag@EXAMPLE.com.', 'User.Name+tag@example.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['user@bücher.example', 'user@xn--bcher-kva.example'],
  ['@example.com', 'postmaster@example.com'],
  // RFC 7208 4.3: this name cannot have a policy.
  ['user', null],
  ['user@localhost', null],
  ['user@[192.0.2.1]', null],
  ['user@a..example', null],
  ['user@.example', null],
  [`user@${'a'.repeat(64)}.example`, null],
  [`user@${'a.'.repeat(127)}example`, null],
  ['user@ex ample.com', null],
  ['user@ex%ample.com', null],
])('the sender is the reverse-path: %s', (mailFrom, sender) => {
  expect(from(mailFrom)).toBe(sender);
});

test.each([
  ['mx.example.org', 'postmaster@mx.example.org'],
  ['MX.Example.Org.', 'postmaster@mx.example.org'],
  ['[192.0.2.1]', null],
  ['localhost', null],
  ['', null],
  [null, null],
  ['a'.repeat(10_000), null],
])('RFC 7208 2.4: of the null sender it is the HELO name, as postmaster: %s', (helo, sender) => {
  expect(from('', helo)).toBe(sender);
});

import { expect, test } from 'vitest';
import type { Facts } from '../../src/domain/message.ts';
import { spfWithoutLookup } from '../../src/domain/spf.ts';

function facts(source: Facts['source'], clientAddress: string | null): Facts {
  const envelope = { mailFrom: '', rcptTo: [] };
  return { source, envelope, helo: null, user: null, tls: null, clientAddress, clientPort: null, transcript: [] };
}

test.each([
  ['127.0.0.1', 'none'],
  ['127.8.9.10', 'none'],
  ['::1', 'none'],
  ['10.1.2.3', 'none'],
  ['172.16.0.1', 'none'],
  ['172.31.255.255', 'none'],
  ['192.168.0.7', 'none'],
  ['169.254.1.1', 'none'],
  ['fc00::1', 'none'],
  ['fd12:3456::1', 'none'],
  ['fe80::1%eth0', 'none'],
  ['::ffff:127.0.0.1', 'none'],
  ['::ffff:192.168.0.7', 'none'],
  ['::ffff:a00:1', 'none'],
  // The rest is for a look-up, which there is not yet
  ['172.32.0.1', null],
  ['192.0.2.1', null],
  ['8.8.8.8', null],
  ['2001:db8::1', null],
  ['::ffff:8.8.8.8', null],
])('loopback and private clients give none without a look-up: %s is %s', (address, result) => {
  expect(spfWithoutLookup(facts('smtp', address))).toBe(result);
});

test('mail that came by no SMTP gives none', () => {
  expect(spfWithoutLookup(facts('api', '8.8.8.8'))).toBe('none');
  expect(spfWithoutLookup(facts('smtp', null))).toBe('none');
});

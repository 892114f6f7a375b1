import { describe, expect, test } from 'vitest';
import { zoneDns } from '../../src/adapters/dns.ts';
import { evaluateSpf } from '../../src/adapters/spf.ts';
import type { Dns } from '../../src/ports/mail.ts';
import { processorMs } from '../support/processor-time.ts';
import { scriptedDns } from './scripted-dns.ts';

interface Asked {
  readonly from?: string;
  readonly helo?: string;
  readonly signal?: AbortSignal;
}

function evaluate(
  dns: Dns,
  clientAddress: string,
  { from = 'user@example.com', helo = 'mx.test', signal }: Asked = {},
) {
  const question = { clientAddress, sender: from, helo };
  return evaluateSpf(question, dns, 'receiver.test', signal ?? new AbortController().signal);
}

const includes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`i${i}.test`, ['v=spf1 ?all']]));
const including = (count: number) => Array.from({ length: count }, (_, i) => `include:i${i}.test`).join(' ');

describe('over a zone of TXT records', () => {
  test.each<[claim: string, zone: Record<string, string[]>, client: string, result: string]>([
    ['a client that is listed', { 'example.com': ['v=spf1 ip4:192.0.2.0/24 -all'] }, '192.0.2.7', 'pass'],
    ['one that is not', { 'example.com': ['v=spf1 ip4:192.0.2.0/24 -all'] }, '198.51.100.1', 'fail'],
    ['~all', { 'example.com': ['v=spf1 ~all'] }, '192.0.2.1', 'softfail'],
    ['?all', { 'example.com': ['v=spf1 ?all'] }, '192.0.2.1', 'neutral'],
    ['no mechanism that matches', { 'example.com': ['v=spf1'] }, '192.0.2.1', 'neutral'],
    ['a loopback client', { 'example.com': ['v=spf1 ip4:127.0.0.0/8 -all'] }, '127.0.0.1', 'pass'],
    ['an IPv6 client', { 'example.com': ['v=spf1 ip6:2001:db8::/32 -all'] }, '2001:db8::1', 'pass'],
    [
      'an IPv4-mapped client is one of IPv4',
      { 'example.com': ['v=spf1 ip4:192.0.2.1 -all'] },
      '::ffff:c000:201',
      'pass',
    ],
    ['a domain not in the zone', { 'example.org': ['v=spf1 -all'] }, '192.0.2.1', 'none'],
    ['a domain without any record', { 'example.com': [] }, '192.0.2.1', 'none'],
    ['records that are no policy', { 'example.com': ['google-verification=1', 'v=spf10 -all'] }, '192.0.2.1', 'none'],
    ['a policy among other records', { 'example.com': ['x', 'v=spf1 -all'] }, '192.0.2.1', 'fail'],
    ['two policies', { 'example.com': ['v=spf1 -all', 'v=spf1 +all'] }, '192.0.2.1', 'permerror'],
    ['an unknown mechanism', { 'example.com': ['v=spf1 moo -all'] }, '192.0.2.1', 'permerror'],
    [
      'include',
      { 'example.com': ['v=spf1 include:_spf.example.org -all'], '_spf.example.org': ['v=spf1 ip4:192.0.2.1 -all'] },
      '192.0.2.1',
      'pass',
    ],
    [
      'an include that does not pass decides nothing',
      { 'example.com': ['v=spf1 include:a.test ~all'], 'a.test': ['v=spf1 -all'] },
      '192.0.2.1',
      'softfail',
    ],
    ['an include of none', { 'example.com': ['v=spf1 include:a.test -all'] }, '192.0.2.1', 'permerror'],
    [
      'redirect',
      { 'example.com': ['v=spf1 redirect=_spf.example.org'], '_spf.example.org': ['v=spf1 -all'] },
      '192.0.2.1',
      'fail',
    ],
    ['a redirect to none', { 'example.com': ['v=spf1 redirect=a.test'] }, '192.0.2.1', 'permerror'],
    ['a and mx match nothing: there are no such records', { 'example.com': ['v=spf1 a mx -all'] }, '192.0.2.1', 'fail'],
    ['two void look-ups', { 'example.com': ['v=spf1 a:a.test a:b.test -all'] }, '192.0.2.1', 'fail'],
    ['a third', { 'example.com': ['v=spf1 a:a.test a:b.test a:c.test -all'] }, '192.0.2.1', 'permerror'],
    ['ten look-ups', { 'example.com': [`v=spf1 ${including(10)} -all`], ...includes(10) }, '192.0.2.1', 'fail'],
    ['an eleventh', { 'example.com': [`v=spf1 ${including(11)} -all`], ...includes(11) }, '192.0.2.1', 'permerror'],
    ['a loop', { 'example.com': ['v=spf1 include:example.com -all'] }, '192.0.2.1', 'permerror'],
    ['a redirect in a loop', { 'example.com': ['v=spf1 redirect=example.com'] }, '192.0.2.1', 'permerror'],
    [
      'names in any case',
      { 'example.com': ['V=SPF1 INCLUDE:A.Test -ALL'], 'a.test': ['v=spf1 +all'] },
      '192.0.2.1',
      'pass',
    ],
  ])('%s', async (_claim, zone, client, result) => {
    expect(await evaluate(zoneDns(zone), client)).toBe(result);
  });

  test('a name that every object has is in no zone', async () => {
    expect(await evaluate(zoneDns({}), '192.0.2.1', { from: 'a@constructor.prototype' })).toBe('none');
  });
});

// RFC 7208 appendix A
const APPENDIX_A = {
  'example.com': { mx: ['mail-a.example.com', 'mail-b.example.com'], a: ['192.0.2.10', '192.0.2.11'] },
  'amy.example.com': { a: ['192.0.2.65'] },
  'bob.example.com': { a: ['192.0.2.66'] },
  'mail-a.example.com': { a: ['192.0.2.129'] },
  'mail-b.example.com': { a: ['192.0.2.130'] },
  'example.org': { mx: ['mail-c.example.org'] },
  'mail-c.example.org': { a: ['192.0.2.140'] },
  '65.2.0.192.in-addr.arpa': { ptr: ['amy.example.com'] },
  '140.2.0.192.in-addr.arpa': { ptr: ['mail-c.example.org'] },
  '4.0.0.10.in-addr.arpa': { ptr: ['bob.example.com'] },
  'mary.mobile-users._spf.example.com': { a: ['127.0.0.2'] },
  'mobile-users._spf.example.com': { txt: ['v=spf1 exists:%{l1r+}.%{d}'] },
};

test.each([
  ['v=spf1 +all', '198.51.100.1', 'pass'],
  ['v=spf1 a -all', '192.0.2.10', 'pass'],
  ['v=spf1 a -all', '192.0.2.11', 'pass'],
  ['v=spf1 a -all', '192.0.2.65', 'fail'],
  ['v=spf1 a:example.org -all', '192.0.2.140', 'fail'],
  ['v=spf1 mx -all', '192.0.2.129', 'pass'],
  ['v=spf1 mx -all', '192.0.2.130', 'pass'],
  ['v=spf1 mx -all', '192.0.2.10', 'fail'],
  ['v=spf1 mx:example.org -all', '192.0.2.140', 'pass'],
  ['v=spf1 mx mx:example.org -all', '192.0.2.130', 'pass'],
  ['v=spf1 mx mx:example.org -all', '192.0.2.140', 'pass'],
  ['v=spf1 mx/30 mx:example.org/30 -all', '192.0.2.131', 'pass'],
  ['v=spf1 mx/30 mx:example.org/30 -all', '192.0.2.143', 'pass'],
  ['v=spf1 mx/30 mx:example.org/30 -all', '192.0.2.132', 'fail'],
  ['v=spf1 ptr -all', '192.0.2.65', 'pass'],
  ['v=spf1 ptr -all', '192.0.2.140', 'fail'],
  ['v=spf1 ptr -all', '10.0.0.4', 'fail'],
  ['v=spf1 ip4:192.0.2.128/28 -all', '192.0.2.65', 'fail'],
  ['v=spf1 ip4:192.0.2.128/28 -all', '192.0.2.129', 'pass'],
])('RFC 7208 A.1: %s, of %s: %s', async (policy, client, result) => {
  const names = { ...APPENDIX_A, 'example.com': { ...APPENDIX_A['example.com'], txt: [policy] } };
  expect(await evaluate(scriptedDns(names), client)).toBe(result);
});

test.each([
  ['mary@example.com', 'pass'],
  ['mary+tag@example.com', 'pass'],
  ['joe@example.com', 'fail'],
])('RFC 7208 A.3: users who roam have a record of their own: %s %s', async (from, result) => {
  const policy = { txt: ['v=spf1 mx include:mobile-users._spf.%{d} -all'], mx: ['mail-a.example.com'] };
  expect(await evaluate(scriptedDns({ ...APPENDIX_A, 'example.com': policy }), '198.51.100.1', { from })).toBe(result);
});

test.each([
  ['192.0.2.65', 'pass'],
  ['192.0.2.140', 'fail'],
  ['198.51.100.1', 'fail'],
])('RFC 7208 A.4: several requirements at once: %s %s', async (client, result) => {
  const names = {
    ...APPENDIX_A,
    'example.com': { txt: ['v=spf1 -include:ip4._spf.%{d} -include:ptr._spf.%{d} +all'] },
    'ip4._spf.example.com': { txt: ['v=spf1 -ip4:192.0.2.0/24 +all'] },
    'ptr._spf.example.com': { txt: ['v=spf1 -ptr:example.com +all'] },
  };
  expect(await evaluate(scriptedDns(names), client)).toBe(result);
});

const IPV6 = '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2';

test.each([
  ['%{d}.x', '192.0.2.3', 'email.example.com.x'],
  ['%{d4}.x', '192.0.2.3', 'email.example.com.x'],
  ['%{d2}', '192.0.2.3', 'example.com'],
  ['%{d1}.x', '192.0.2.3', 'com.x'],
  ['%{dr}', '192.0.2.3', 'com.example.email'],
  ['%{d2r}', '192.0.2.3', 'example.email'],
  ['%{l}.x', '192.0.2.3', 'strong-bad.x'],
  ['%{l-}.x', '192.0.2.3', 'strong.bad.x'],
  ['%{lr-}.x', '192.0.2.3', 'bad.strong.x'],
  ['%{l1r-}.x', '192.0.2.3', 'strong.x'],
  ['%{ir}.%{v}._spf.%{d2}', '192.0.2.3', '3.2.0.192.in-addr._spf.example.com'],
  ['%{lr-}.lp._spf.%{d2}', '192.0.2.3', 'bad.strong.lp._spf.example.com'],
  ['%{lr-}.lp.%{ir}.%{v}._spf.%{d2}', '192.0.2.3', 'bad.strong.lp.3.2.0.192.in-addr._spf.example.com'],
  ['%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}', '192.0.2.3', '3.2.0.192.in-addr.strong.lp._spf.example.com'],
  ['%{d2}.trusted-domains.example.net', '192.0.2.3', 'example.com.trusted-domains.example.net'],
  ['%{ir}.%{v}._spf.%{d2}', '2001:db8::cb01', `${IPV6}.ip6._spf.example.com`],
  ['%{h}', '192.0.2.3', 'mx.test'],
])('RFC 7208 7.4: exists:%s of %s asks for %s', async (domain, client, name) => {
  const dns = scriptedDns({
    'email.example.com': { txt: [`v=spf1 exists:${domain} -all`] },
    [name]: { a: ['127.0.0.2'] },
  });
  expect(await evaluate(dns, client, { from: 'strong-bad@email.example.com' })).toBe('pass');
  expect(dns.asked).toContain(`a ${name}`);
});

describe('a look-up that fails gives temperror', () => {
  test.each([
    ['of the domain', { 'example.com': { failing: true } }],
    ['of a mechanism', { 'example.com': { txt: ['v=spf1 a:a.test -all'] }, 'a.test': { failing: true } }],
    ['inside an include', { 'example.com': { txt: ['v=spf1 include:a.test -all'] }, 'a.test': { failing: true } }],
  ])('%s', async (_where, names) => {
    expect(await evaluate(scriptedDns(names), '192.0.2.1')).toBe('temperror');
  });

  test('nothing is looked up after the time ran out', async () => {
    const late = new AbortController();
    const dns = scriptedDns({
      'example.com': { txt: ['v=spf1 a:a.test a:b.test ?all'] },
      'a.test': { a: ['192.0.2.9'] },
    });
    const stopping = {
      ...dns,
      a: (name: string) => {
        late.abort();
        return dns.a(name);
      },
    };
    expect(await evaluate(stopping, '192.0.2.1', { signal: late.signal })).toBe('temperror');
    expect(dns.asked).not.toContain('a b.test');
  });
});

test('a hostile policy of patterns that read each letter of a name many times costs a bounded time', async () => {
  const letters = 'a'.repeat(60_000);
  const local = 'a'.repeat(1_000);
  for (const policy of [`exists:a.${letters}!`, `redirect=a.${letters}!`, `exists:a.${'%{l}'.repeat(900)}!`]) {
    const dns = scriptedDns({ 'example.com': { txt: [`v=spf1 ${policy} -all`] } });
    const started = processorMs();
    expect(await evaluate(dns, '192.0.2.1', { from: `${local}@example.com` })).toBe('permerror');
    expect(processorMs() - started).toBeLessThan(1_000);
  }
});

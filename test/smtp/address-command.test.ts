import { describe, expect, test } from 'vitest';
import { parseAddressCommand } from '../../src/smtp/parse.ts';
import { processorMs } from '../support/processor-time.ts';

describe('MAIL FROM and RCPT TO', () => {
  test.each([
    ['MAIL FROM:<>', ''],
    ['mail from:<a@b>', 'a@b'],
    ['MAIL FROM: <a@b.c>', 'a@b.c'],
    ['MAIL FROM:<@a,@b:u@x.test>', 'u@x.test'],
    ['MAIL FROM:<"@a:b"@x.test>', '"@a:b"@x.test'],
    ['MAIL FROM:<"a\\"b>c"@x.test>', '"a\\"b>c"@x.test'],
    ['MAIL FROM:<u@[127.0.0.1]>', 'u@[127.0.0.1]'],
    ['MAIL FROM:<u@[IPv6:2001:db8::1]>', 'u@[IPv6:2001:db8::1]'],
    [`MAIL FROM:<${'v'.repeat(2_000)}@x.test>`, `${'v'.repeat(2_000)}@x.test`],
  ])('%s', (line, address) => {
    expect(parseAddressCommand('MAIL FROM', line)?.address).toBe(address);
  });

  test('parameters are read, upper-case keywords, xtext decoded', () => {
    const parsed = parseAddressCommand('MAIL FROM', 'MAIL FROM:<a@b> size=10 SMTPUTF8 ENVID=a+2Bb');
    expect(parsed?.parameters).toEqual(
      new Map<string, string | true>([
        ['SIZE', '10'],
        ['SMTPUTF8', true],
        ['ENVID', 'a+b'],
      ]),
    );
    expect(parsed?.repeated).toBeNull();
    expect(parseAddressCommand('MAIL FROM', 'MAIL FROM:<a@b> SIZE=1 SIZE=2')?.repeated).toBe('SIZE');
  });

  test('a parameter of no offered extension is named', () => {
    expect(parseAddressCommand('MAIL FROM', 'MAIL FROM:<a@b> size=1 x-a=2')?.unknown).toBe('X-A');
    expect(parseAddressCommand('RCPT TO', 'RCPT TO:<a@b> NOTIFY=NEVER')?.unknown).toBeNull();
    expect(parseAddressCommand('RCPT TO', 'RCPT TO:<a@b> SIZE=1')?.unknown).toBe('SIZE');
  });

  test.each([
    'MAIL FROM:<a@b> <c@d>',
    'MAIL FROM:<a@b> c@d',
    'MAIL FROM',
    'MAIL FROM:',
    'MAIL FROM:a@b',
    'MAIL FROM:<a@b',
    'MAIL FROM:<a@b>x',
    'MAIL FROM:<@b>',
    'MAIL FROM:<a@>',
    'MAIL FROM:<a@b@c>',
    'MAIL FROM:<a b@c>',
    'MAIL FROM:<a@b..c>',
    'MAIL FROM:<a@.b>',
    'MAIL FROM:<a@b c>',
    'MAIL FROM:<a@[1.2.3]>',
    'MAIL FROM:<a@[127.0.0.1>',
    'MAIL FROM:<"a@b>',
    'MAIL FROM:<a\u0000@b>',
    'MAIL FROM:<a\u200b@b>',
    'MAIL FROM:<a\ufffd@b>',
    'MAIL FROM:<a@b> ENVID=a+0D+0Ab',
    'MAIL FROM:<a@b> =x',
    'RCPT TO:<a@b>',
    `MAIL FROM:<${'v'.repeat(2_100)}@x.test>`,
  ])('%j is refused', (line) => {
    expect(parseAddressCommand('MAIL FROM', line)).toBeNull();
  });

  test('RCPT needs an address, but no domain, as for mail of cron and PHP', () => {
    expect(parseAddressCommand('RCPT TO', 'RCPT TO:<>')).toBeNull();
    expect(parseAddressCommand('RCPT TO', 'RCPT TO:<Postmaster>')?.address).toBe('Postmaster');
    expect(parseAddressCommand('RCPT TO', 'RCPT TO:<someone>')?.address).toBe('someone');
    expect(parseAddressCommand('MAIL FROM', 'MAIL FROM:<www-data>')?.address).toBe('www-data');
    expect(parseAddressCommand('MAIL FROM', 'MAIL FROM:<www data>')).toBeNull();
  });

  test.each([
    `MAIL FROM:<"${'\\'.repeat(2_000)}`,
    `MAIL FROM:<${'@a,'.repeat(600)}>`,
    `MAIL FROM:<a@${'a.'.repeat(900)}!>`,
    `MAIL FROM:<a@b>${' '.repeat(16_000)}=`,
    `MAIL FROM:<a@b> ${'A=+'.repeat(5_000)}`,
  ])('a line made to be slow takes no time: %#', (line) => {
    const started = processorMs();
    parseAddressCommand('MAIL FROM', line);
    expect(processorMs() - started).toBeLessThan(1_000);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalDomain, parseEnvelopeAddress } from '../../src/domain/address.ts';
import { subdomainOf } from '../../src/domain/routing.ts';
import { parseAddressCommand } from '../../src/smtp/parse.ts';
import { startCapture } from '../smtp/capture.ts';
import { Wire } from '../smtp/wire.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';

const PIECES = [
  ...['<', '>', '@', ':', ',', '"', '\\', '.', ' ', '\t', '[', ']', '=', '+', '-', ';', '(', ')'],
  ...[
    'a',
    'user',
    'x.test',
    'inbox.mailcap.example.com',
    'bücher',
    'xn--bcher-kva',
    '127.0.0.1',
    'IPv6:::1',
    '@r.test:',
  ],
  ...['\0', '\x07', '\x7f', '\u200b', '\ufffd', '\u2028', '😀', '\ud83d', 'İ', 'ß', '。'],
  ...['SIZE=10', 'BODY=8BITMIME', 'SMTPUTF8', 'ENVID=a+2Bb', '+0D+0A', 'RET='],
];
const text = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PIECES) }, anyText({ maxLength: 6 })), {
    maxLength: 25,
  })
  .map((pieces) => pieces.join(''));
/** Lines that resemble commands. */
const line = fc.oneof(
  text,
  fc.tuple(fc.constantFrom('MAIL FROM:', 'RCPT TO:', 'mail from: ', 'Rcpt To:<'), text).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('MAIL FROM:<', 'RCPT TO:<'), text, fc.constantFrom('@x.test>', '>', '@[127.0.0.1]> '), text)
    .map((parts) => parts.join('')),
);
const name = fc.constantFrom('MAIL FROM' as const, 'RCPT TO' as const);

describe('MAIL and RCPT', () => {
  test('any line that is accepted gives an address that can be shown, and that is accepted again as it is', () => {
    fc.assert(
      fc.property(name, line, (command, given) => {
        const parsed = parseAddressCommand(command, given);
        if (parsed === null) return;
        const { address, parameters } = parsed;
        expect(given).toContain(address);
        expect(address.length).toBeLessThanOrEqual(2_048);
        expect(address).not.toMatch(/\p{Cc}|[\u200b\ufffd]/u);
        expect(command === 'RCPT TO' && address === '').toBe(false);
        for (const [key, value] of parameters) {
          expect(key).toBe(key.toUpperCase());
          expect(String(value)).not.toMatch(/\p{Cc}/u);
        }
        expect(parseAddressCommand(command, `${command}:<${address}>`)?.address).toBe(address);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('any address has a domain in one form, and belongs to one mailbox at most', () => {
    fc.assert(
      fc.property(text, (address) => {
        const parsed = parseEnvelopeAddress(address);
        if (parsed === null) return;
        expect(normalDomain(parsed.domain)).toBe(parsed.domain);
        expect(`${address}.`.startsWith(parsed.localPart)).toBe(true);
        const label = subdomainOf(parsed, 'mailcap.example.com');
        if (label !== null) expect(`${label}.mailcap.example.com`).toBe(parsed.domain);
      }),
      {
        numRuns: propertyRuns(5_000),
        examples: [['a@x.'], ['a@ẞ.test'], ['a@x。test'], ['a@[IPv6:::1].'], ['a@xn--.test'], ['a@x..']],
      },
    );
  });
});

const command = fc.oneof(
  line,
  fc.constantFrom(
    'EHLO c.test',
    'HELO',
    'RSET',
    'NOOP',
    'VRFY x',
    'HELP',
    'EXPN',
    'AUTH PLAIN',
    'AUTH LOGIN',
    '*',
    '=',
  ),
  fc.constantFrom(
    'MAIL FROM:<a@x.test>',
    'RCPT TO:<b@inbox.mailcap.example.com>',
    'DATA',
    'BDAT 5',
    'XCLIENT A=1',
    'WIZ',
  ),
);

test('whatever a client sends, each line gets one reply, nothing breaks, and mail is accepted afterwards', async () => {
  const capture = await startCapture();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
        const wire = await Wire.open(capture.port);
        try {
          for (const said of commands) {
            // Line breaks are removed. Commands that end the session or start a message have their own tests.
            const single = said.replace(/[\r\n]/g, '');
            if (/^\s*(QUIT|STARTTLS)/i.test(single)) continue;
            const reply = await wire.say(single);
            expect(reply).toMatch(/^[2-5]\d\d[ -]/);
            if (reply.startsWith('354')) expect(await wire.say('.')).toMatch(/^250 2\.0\.0 /);
            if (reply.startsWith('421')) return;
          }
          await wire.sayAll('RSET', 'EHLO again.test');
        } finally {
          wire.close();
        }
      }),
      { numRuns: propertyRuns(150) },
    );
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail('b@inbox.mailcap.example.com', 'Subject: after\r\n\r\nhi')).toMatch(/^250 /);
    wire.close();
    expect(capture.logged.filter(({ level }) => level === 'error')).toEqual([]);
  } finally {
    await capture.close();
  }
});

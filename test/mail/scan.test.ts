import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMail } from '../../src/mail/parse.ts';
import { createMailScanner, type Scan, scanMail } from '../../src/mail/scan.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';
import { mailOfLines } from './mail-of-lines.ts';

function lines(...of: string[]): Buffer {
  return Buffer.from(of.map((line) => `${line}\r\n`).join(''));
}

test('a scan finds what a summary needs', () => {
  const raw = lines(
    'Received: from a.test',
    'From: Shop <shop@x.test>',
    'To: =?utf-8?Q?B=2C_C?= <b@x.test>,',
    '\td@x.test',
    'CC: e@x.test',
    'Subject:',
    ' =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    '',
    'Subject: not this',
  );
  expect(scanMail(raw)).toEqual({
    sizeBytes: raw.length,
    attachmentCount: 0,
    from: 'Shop <shop@x.test>',
    to: '"B, C" <b@x.test>, d@x.test',
    cc: 'e@x.test',
    subject: 'Grüße',
    parts: 1,
    limit: null,
  });
});

test.each<[string, string[], Partial<Scan>]>([
  ['a header that is empty is null', ['Subject: ', 'From:', ''], { subject: null, from: null }],
  ['names in any case, white space before the colon', ['SUBJECT : a', 'fRom\t: b', ''], { subject: 'a', from: 'b' }],
  ['To that repeats is one list', ['To: a@x.test', 'To: ', 'To: b@x.test', ''], { to: 'a@x.test, b@x.test' }],
  ['the last Subject that says something', ['Subject: a', 'Subject: b', 'Subject:', ''], { subject: 'b' }],
  ['an mbox separator is no header', ['From a@x.test Fri Nov 20', 'Subject: a', ''], { from: null, subject: 'a' }],
  ['a From with a space before its colon is one', ['From : a@x.test', ''], { from: 'a@x.test' }],
  ['a mail without a header', ['', 'Subject: a'], { subject: null }],
  ['a header without a body', ['Subject: a'], { subject: 'a' }],
  ['a colon that comes on the next line', ['Subject', ' : a', ''], { subject: 'a' }],
  ['a line that is no field', ['From: b', 'nonsense', 'Subject: a', ''], { from: 'b', subject: 'a' }],
  ['a first line that is no field is text, and all behind it', ['nonsense', 'Subject: a', ''], { subject: null }],
  ['a separator before no header is text', ['From here on it is text', '', 'Subject: a'], { subject: null }],
  ['a byte order mark before the first field', ['\ufeffTo: a@x.test', 'Subject: a', ''], { subject: 'a' }],
])('headers: %s', (_what, mail, known) => {
  expect(scanMail(lines(...mail))).toMatchObject(known);
});

const ATTACHED: [string, string[], number][] = [
  ['a text is none', ['Content-Type: text/plain', '', 'hi'], 0],
  ['HTML is none', ['Content-Type: text/html', '', 'hi'], 0],
  ['a mail that is a file is one', ['Content-Type: application/pdf', '', 'hi'], 1],
  ['a text with Content-Disposition: attachment is one', ['Content-Disposition: attachment', '', 'hi'], 1],
  ['an inline text is none', ['Content-Disposition: inline; filename=a.txt', '', 'hi'], 0],
  ['a file without a type', ['Content-Disposition: inline; filename=a.pdf', '', 'hi'], 1],
  ['an unknown disposition', ['Content-Type: text/plain', 'Content-Disposition: x', '', 'hi'], 1],
  [
    'alternatives are none, a file beside them is one, an inline image another',
    [
      'Content-Type: multipart/mixed; boundary="a b"',
      '',
      'preamble',
      '--a b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      '',
      'text',
      '--c',
      'Content-Type: text/html',
      '',
      'html',
      '--c--',
      '--a b',
      'Content-Type: application/octet-stream',
      '',
      'x',
      '--a b',
      'Content-Type: image/png',
      'Content-Disposition: inline',
      '',
      'x',
      '--a b--',
      'epilogue',
      '--a b',
      'Content-Type: image/png',
      '',
    ],
    2,
  ],
  ['a part without a type is text', ['Content-Type: multipart/mixed; boundary=a', '', '--a', '', 'x', '--a--'], 0],
  ['a part with an empty type', ['Content-Type: multipart/mixed; boundary=a', '', '--a', 'Content-Type:', '', 'x'], 0],
  [
    'a part with a type that is none',
    ['Content-Type: multipart/mixed; boundary=a', '', '--a', 'Content-Type: <b>', ''],
    0,
  ],
  [
    'a multipart that is not ended',
    ['Content-Type: multipart/mixed; boundary=a', '', '--a', 'Content-Type: image/png', '', 'x'],
    1,
  ],
  ['a multipart without a boundary', ['Content-Type: multipart/mixed', '', '--a', 'Content-Type: image/png', ''], 0],
  [
    'a forwarded mail is one file',
    ['Content-Type: multipart/mixed; boundary=a', '', '--a', 'Content-Type: message/rfc822', '', 'Subject: b', '', 'x'],
    1,
  ],
  [
    'an inline mail is one, whatever is in it',
    [
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
      'Content-Type: message/rfc822',
      'Content-Disposition: inline',
      '',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: image/png',
      '',
      'x',
      '--b',
      'Content-Type: image/png',
      '',
      'x',
      '--b--',
      '--a--',
    ],
    1,
  ],
  [
    'the parts of a digest are mails',
    ['Content-Type: multipart/digest; boundary=a', '', '--a', '', 'Subject: a', '', 'x', '--a', '', 'Subject: b', ''],
    2,
  ],
  [
    'a text with a name that is not the first part',
    [
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain; name=first.txt',
      '',
      'x',
      '--a',
      'Content-Type: text/plain; name=second.txt',
      '',
      'x',
      '--a',
      'Content-Type: text/plain',
      '',
      'x',
    ],
    1,
  ],
  [
    'a text behind the first part of a multipart/related',
    [
      'Content-Type: multipart/related; boundary=a',
      '',
      '--a',
      'Content-Type: text/html',
      '',
      'x',
      '--a',
      'Content-Type: text/plain',
      '',
      'x',
    ],
    1,
  ],
  [
    'a boundary in pieces (RFC 2231)',
    ['Content-Type: multipart/mixed; boundary*0=a; boundary*1=b', '', '--ab', 'Content-Type: image/png', '', 'x'],
    1,
  ],
  [
    'a line that only begins like a boundary',
    ['Content-Type: multipart/mixed; boundary=a', '', '--ab', 'Content-Type: image/png', '', ' --a', '--a b'],
    0,
  ],
  [
    'a boundary with white space behind it (RFC 2046 5.1.1)',
    ['Content-Type: multipart/mixed; boundary=a', '', '--a \t', 'Content-Type: image/png', '', 'x', '--a--  ', '--a'],
    1,
  ],
  [
    'no empty line before the first boundary',
    ['Content-Type: multipart/mixed; boundary=a', '--a', 'Content-Type: image/png', '', 'x', '--a--'],
    1,
  ],
];

test.each(ATTACHED)('attachments: %s', async (_what, mail, count) => {
  const raw = lines(...mail);
  expect(scanMail(raw).attachmentCount).toBe(count);
  expect((await parseMail(raw)).mail.attachments).toHaveLength(count);
});

test('a mail cut anywhere into chunks gives the same scan', () => {
  fc.assert(
    fc.property(
      mailOfLines,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (raw, cuts) => {
        const scanner = createMailScanner();
        for (let at = 0, turn = 0; at < raw.length; turn++) {
          const end = at + (cuts[turn % cuts.length] ?? 1);
          const chunk = Buffer.from(raw.subarray(at, end));
          scanner.write(chunk);
          // After the call, the owner may reuse the chunk.
          chunk.fill('-');
          at = end;
        }
        expect(scanner.finish()).toEqual(scanMail(raw));
      },
    ),
    { numRuns: propertyRuns(2_000) },
  );
});

test('the scan counts the attachments that the parse yields', async () => {
  await fc.assert(
    fc.asyncProperty(mailOfLines, async (raw) => {
      const { mail } = await parseMail(raw);
      expect(mail.parseError).toBeNull();
      expect(scanMail(raw).attachmentCount).toBe(mail.attachments.length);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('bytes of any kind are scanned without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      expect(scanMail(Buffer.from(bytes)).sizeBytes).toBe(bytes.length);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

const HEAD = 'Subject: hostile\r\n';
const HOSTILE: [string, string, Partial<Scan>][] = [
  [
    '60,000 parts',
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: a/b\r\n\r\nx\r\n'.repeat(60_000)}`,
    { subject: 'hostile', attachmentCount: 9_999, limit: 'parts' },
  ],
  [
    '3,000 levels',
    HEAD +
      Array.from({ length: 3_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
        '',
      ),
    { subject: 'hostile', limit: 'depth' },
  ],
  [
    'a header of 3 MB',
    `${HEAD}X-A: ${'a'.repeat(3_000_000)}\r\nTo: a@x.test\r\n\r\nhi`,
    { subject: 'hostile', to: null },
  ],
  [
    'a million header lines',
    `${HEAD}${'a:\n'.repeat(1_000_000)}To: a@x.test\r\n\r\nhi`,
    { subject: 'hostile', to: null },
  ],
  ['a subject of 3 MB', `${HEAD} ${'=?utf-8?Q?=C3=BC?=\r\n '.repeat(140_000)}\r\n\r\nhi`, {}],
  [
    'inner boundaries that never come',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n'.repeat(60_000)}`,
    { attachmentCount: 0, limit: 'parts' },
  ],
  [
    'lines that are nearly boundaries',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'--bx\n'.repeat(600_000)}`,
    { parts: 2 },
  ],
  [
    'dashes',
    `Content-Type: multipart/mixed; boundary=${'-'.repeat(70)}\r\n\r\n--${'-'.repeat(70)}\r\n\r\n${'-'.repeat(3_000_000)}`,
    { parts: 2 },
  ],
];

test.each(HOSTILE)('a mail of %s does not block the event loop', (_what, mail, known) => {
  const raw = Buffer.from(mail);
  const scanner = createMailScanner();
  let longest = 0;
  for (let at = 0; at < raw.length; at += 65_536) {
    const start = processorMs();
    scanner.write(raw.subarray(at, at + 65_536));
    longest = Math.max(longest, processorMs() - start);
  }
  expect(scanner.finish()).toMatchObject(known);
  expect(longest).toBeLessThan(1_000);
});

test('a mail that comes byte by byte costs no more than its length', () => {
  const raw = Buffer.from(`X: ${'a'.repeat(200_000)}\r\n${'b: c\r\n'.repeat(30_000)}\r\nhi`);
  const scanner = createMailScanner();
  const start = processorMs();
  for (let at = 0; at < raw.length; at++) scanner.write(raw.subarray(at, at + 1));
  expect(scanner.finish().sizeBytes).toBe(raw.length);
  expect(processorMs() - start).toBeLessThan(2_000);
});

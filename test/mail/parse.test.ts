import { describe, expect, test } from 'vitest';
import { parseMail } from '../../src/mail/parse.ts';
import { scanMail } from '../../src/mail/scan.ts';

function lines(...of: string[]): Buffer {
  return Buffer.from(of.map((line) => `${line}\r\n`).join(''));
}

const ALTERNATIVE = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=FC=DFe http://x.test/',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('<p>Grüße <img src="cid:logo"></p>').toString('base64'),
  '--b--',
];

test('textBody and htmlBody are decoded text, each its own', async () => {
  const { mail } = await parseMail(lines('Subject: a', ...ALTERNATIVE));
  expect(mail.textBody).toBe('Grüße http://x.test/');
  expect(mail.htmlBody).toBe('<p>Grüße <img src="cid:logo"></p>');
  expect(mail.parseError).toBeNull();
});

test('htmlBody is null where the mail has none', async () => {
  const { mail } = await parseMail(lines('Subject: a', '', 'see http://x.test/'));
  expect(mail).toMatchObject({ textBody: 'see http://x.test/\n', htmlBody: null });
});

test('textBody is null where the mail has none', async () => {
  const { mail } = await parseMail(lines('Content-Type: text/html', '', '<p>hi</p>'));
  expect(mail).toMatchObject({ textBody: null, htmlBody: '<p>hi</p>\n' });
});

test('text and HTML of a mail are each only in their own body', async () => {
  const mixed = ALTERNATIVE.map((line) => line.replace('alternative', 'mixed'));
  const { mail } = await parseMail(lines(...mixed));
  expect(mail.textBody).toBe('Grüße http://x.test/');
  expect(mail.htmlBody).toBe('<p>Grüße <img src="cid:logo"></p>');
});

test('several texts are joined in their order', async () => {
  const parts = ['--b', '', 'one', '--b', '', 'two', '--b--'];
  const { mail } = await parseMail(lines('Content-Type: multipart/mixed; boundary=b', '', ...parts));
  expect(mail.textBody).toBe('one\ntwo');
});

test('headers have lower-case names and decoded values, an array where one repeats', async () => {
  const { mail } = await parseMail(
    lines('X-One: =?utf-8?Q?=C3=BC?=', 'Received: from a', '\tby b', 'RECEIVED: from c', 'X-Empty:', '', 'hi'),
  );
  expect(mail.headers).toEqual({ 'x-one': 'ü', received: ['from a by b', 'from c'], 'x-empty': '' });
});

test('a header named like a member of every object does no harm', async () => {
  const { mail } = await parseMail(
    lines('__proto__: a', 'constructor: b', 'toString: c', 'hasOwnProperty: d', '', 'hi'),
  );
  expect(Object.entries(mail.headers)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['tostring', 'c'],
    ['hasownproperty', 'd'],
  ]);
  expect(JSON.stringify(mail.headers)).toContain('"__proto__":"a"');
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

test('addresses are as in the summary, and bare for the bcc rule', async () => {
  const raw = lines(
    'From: =?utf-8?Q?J=C3=B8rn=2C_J?= <J@X.test>',
    'To: =?utf-8?Q?B=2C_C?= <B@X.test>, group: d@x.test, "e, f" <e@x.test>;',
    'Cc: G@x.test',
    'Bcc: h@x.test',
    'Reply-To: i@x.test',
    'Subject: =?utf-8?Q?=C3=BC?=',
    '',
  );
  const { mail } = await parseMail(raw);
  expect(mail).toMatchObject({ bcc: 'h@x.test', replyTo: 'i@x.test' });
  expect(mail.toAndCc).toEqual(['b@x.test', 'd@x.test', 'e@x.test', 'g@x.test']);
  const { from, to, cc, subject } = scanMail(raw);
  expect(mail).toMatchObject({ from, to, cc, subject });
  expect(from).toBe('"Jørn, J" <J@X.test>');
});

const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

test('attachments have their name, type, id, place and decoded size', async () => {
  const { mail, contents } = await parseMail(
    lines(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/related; boundary=c',
      '',
      '--c',
      'Content-Type: text/html',
      '',
      '<img src="cid:logo@x">',
      '--c',
      'Content-Type: image/png; name=logo.png',
      'Content-Transfer-Encoding: base64',
      'Content-ID: <logo@x>',
      '',
      'AAECAw==',
      '--c--',
      '--b',
      'Content-Type: application/pdf',
      "Content-Disposition: attachment; filename*=utf-8''%C3%BC%1B.pdf",
      '',
      'pdf',
      '--b',
      'Content-Type: text/csv',
      'Content-Disposition: inline; filename="../../a.csv"',
      '',
      'a;b',
      '--b',
      'Content-Type: application/x-eicar',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(EICAR).toString('base64'),
      '--b--',
    ),
  );
  const common = { contentId: null, isInline: false, virusScanStatus: 0 };
  expect(mail.attachments).toEqual([
    {
      ...common,
      part: '1.2',
      filename: 'logo.png',
      contentType: 'image/png',
      contentId: 'logo@x',
      isInline: true,
      sizeBytes: 4,
    },
    { ...common, part: '2', filename: 'ü .pdf', contentType: 'application/pdf', sizeBytes: 3 },
    { ...common, part: '3', filename: '../../a.csv', contentType: 'text/csv', isInline: true, sizeBytes: 3 },
    { ...common, part: '4', filename: null, contentType: 'application/x-eicar', sizeBytes: 68, virusScanStatus: 2 },
  ]);
  expect(contents.map((content) => content.toString('latin1'))).toEqual(['\0\x01\x02\x03', 'pdf', 'a;b', EICAR]);
});

const HEAD = 'Subject: =?utf-8?Q?=C3=BC?=\r\nTo: a@x.test\r\n';

test.each([
  ['60,000 parts', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(60_000)}`, /parts/],
  [
    '3,000 levels',
    Array.from({ length: 3_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
      '',
    ),
    /nested/,
  ],
])('a mail of %s is not parsed: the answer has what is known, and the reason', async (_what, rest, why) => {
  const { mail, contents } = await parseMail(Buffer.from(HEAD + rest));
  expect(mail).toMatchObject({ subject: 'ü', to: 'a@x.test', toAndCc: ['a@x.test'], textBody: null, htmlBody: null });
  expect(mail.attachments).toEqual([]);
  expect(mail.parseError).toMatch(why);
  expect(contents).toEqual([]);
});

test('a header over the limit is cut, and its mail is still read', async () => {
  const { mail } = await parseMail(Buffer.from(`${HEAD}${'X-Many: 1\r\n'.repeat(2_000)}\r\nhi`));
  expect(mail).toMatchObject({ subject: 'ü', textBody: 'hi' });
  expect(mail.headers['x-many']).toHaveLength(998);
  expect(mail.parseError).toMatch(/more than 1000 fields/);
});

test('a header of 3 MB is cut, and its mail is still read', async () => {
  const { mail } = await parseMail(Buffer.from(`${HEAD}X-A: ${'a'.repeat(3_000_000)}\r\n\r\nhi`));
  expect(mail).toMatchObject({ subject: 'ü', to: 'a@x.test', textBody: 'hi' });
  expect(mail.parseError).toMatch(/header is larger than 256 KiB/);
});

test('a mail of a thousand attachments is read whole', async () => {
  const part = '--b\r\nContent-Type: a/b\r\n\r\nx\r\n';
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(1_500)}--b--`);
  const { mail } = await parseMail(raw);
  expect(mail.parseError).toBeNull();
  expect(mail.attachments).toHaveLength(1_500);
});

test.each([
  ['at the end of the header', ['Content-Type: message/rfc822', 'Content-Disposition: inline']],
  [
    'in a part',
    [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: message/rfc822',
      'Content-Disposition: inline',
      '',
      '--b--',
    ],
  ],
])('an inline mail without content is read to its end: %s', async (_where, mail) => {
  const attachments = [{ contentType: 'message/rfc822', sizeBytes: 0 }];
  expect((await parseMail(lines(...mail))).mail).toMatchObject({ parseError: null, textBody: null, attachments });
});

test('an empty mail is read as a mail without anything', async () => {
  const { mail } = await parseMail(Buffer.alloc(0));
  expect(mail).toMatchObject({
    from: null,
    subject: null,
    textBody: null,
    htmlBody: null,
    parseError: null,
    headers: {},
  });
});

describe('a mail whose first line is no header field is all text', () => {
  test.each([
    ['one line without a line end', 'your code is 1'],
    ['several lines', 'Hello,\r\n\r\nyour code: 123456\r\n'],
    ['a header further down', 'your code is 1\r\nSubject: none\r\nContent-Type: application/pdf\r\n\r\nmore\r\n'],
    ['a name of several words before a colon', 'Your code: 123456'],
    ['what looks like an mbox separator', 'From here on it is text.\r\n\r\nSubject: none\r\n'],
    ['a first line longer than a header may be', `${'x'.repeat(300_000)}\r\nyour code is 1\r\n`],
  ])('%s', async (_what, text) => {
    const { mail } = await parseMail(Buffer.from(text));
    expect(mail).toMatchObject({
      textBody: text.replaceAll('\r\n', '\n'),
      htmlBody: null,
      subject: null,
      headers: {},
      attachments: [],
      parseError: null,
    });
    expect(scanMail(Buffer.from(text))).toMatchObject({ subject: null, from: null, attachmentCount: 0, parts: 1 });
  });

  test.each([
    ['a field alone', 'Subject: a', 'a'],
    ['white space before the first field', ' Subject: a\r\n\r\nhi', 'a'],
    ['an mbox separator before the first field', 'From a@x.test Fri Nov 20\r\nSubject: a\r\n\r\nhi', 'a'],
  ])('not where it begins with %s', async (_what, text, subject) => {
    expect((await parseMail(Buffer.from(text))).mail.subject).toBe(subject);
  });
});

describe('a multipart that no boundary divides gives its content as text', () => {
  test.each([
    ['no boundary', 'multipart/mixed'],
    ['an empty boundary', 'multipart/mixed; boundary=""'],
    ['a boundary that is nowhere in it', 'multipart/alternative; boundary=other; charset=utf-8'],
    ['a boundary longer than any is', `multipart/mixed; boundary=${'x'.repeat(2_000)}`],
    ['no subtype', 'multipart/; boundary=other'],
  ])('%s', async (_what, type) => {
    const raw = lines('Subject: a', `Content-Type: ${type}`, '', 'your code is 123456', '--', '');
    const { mail } = await parseMail(raw);
    expect(mail).toMatchObject({ subject: 'a', textBody: 'your code is 123456\n--\n\n', attachments: [] });
    expect(scanMail(raw).attachmentCount).toBe(0);
  });

  test('a multipart without a boundary inside another one gives its content as text in its place', async () => {
    const inner = ['--b', 'Content-Type: multipart/related', 'Content-Disposition: attachment', '', 'inner'];
    const file = ['--b', 'Content-Type: application/pdf', '', 'pdf', '--b--'];
    const raw = lines('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'outer', ...inner, ...file);
    const { mail } = await parseMail(raw);
    expect(mail).toMatchObject({ textBody: 'outer\ninner', attachments: [{ contentType: 'application/pdf' }] });
    expect(scanMail(raw).attachmentCount).toBe(1);
  });

  test('a multipart that its boundary closes without a part has no text', async () => {
    const { mail } = await parseMail(lines('Content-Type: multipart/mixed; boundary=b', '', '', '--b--', ''));
    expect(mail.textBody).toBeNull();
  });
});

describe('the delimiter of an outer multipart ends an inner one that was not closed', () => {
  const outer = ['Subject: a', 'Content-Type: multipart/mixed; boundary=outer', '', '--outer'];
  const inner = ['Content-Type: multipart/alternative; boundary=inner', '', '--inner', '', 'text'];
  const html = ['--inner', 'Content-Type: text/html', '', '<p>html</p>'];
  const file = (name: string) => [`Content-Type: application/pdf; name=${name}.pdf`, '', name];

  test.each<[string, string[], string, string | null, string[]]>([
    [
      'the next part',
      [...outer, ...inner, ...html, '--outer', ...file('a'), '--outer--'],
      'text',
      '<p>html</p>',
      ['a'],
    ],
    [
      'the end',
      [...outer, ...inner, ...html, '--outer--', 'epilogue', '--inner', ...file('a')],
      'text',
      '<p>html</p>',
      [],
    ],
    [
      'two levels further out',
      [
        ...outer,
        'Content-Type: multipart/related; boundary=middle',
        '',
        '--middle',
        ...inner,
        '--outer',
        ...file('a'),
        '--outer',
        ...file('b'),
        '--outer--',
      ],
      'text',
      null,
      ['a', 'b'],
    ],
    [
      'within the header of a part',
      [...outer, ...inner, '--inner', 'Content-Type: text/html', '--outer', ...file('a'), '--outer--'],
      'text',
      null,
      ['a'],
    ],
  ])('%s', async (_what, mail, text, htmlBody, names) => {
    const raw = lines(...mail);
    const parse = await parseMail(raw);
    expect(parse.mail).toMatchObject({ subject: 'a', textBody: text, htmlBody, parseError: null });
    expect(parse.mail.attachments.map(({ filename }) => filename)).toEqual(names.map((name) => `${name}.pdf`));
    expect(parse.contents.map(String)).toEqual(names);
    expect(scanMail(raw).attachmentCount).toBe(names.length);
  });
});

describe('a charset that takes long to decode', () => {
  test.each([['iso-2022-jp', '\u001b$B$"\u001b(B', 'あ']])(
    '%s is read up to a limit, which the answer names, and the rest is served',
    async (charset, piece, char) => {
      const text = piece.repeat(Math.ceil(1_200_000 / piece.length));
      const raw = lines(
        'Subject: a',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        `Content-Type: text/plain; charset=${charset}`,
        '',
        text,
        '--b',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>hi</p>',
        '--b--',
      );
      const { mail } = await parseMail(raw);
      expect(mail.textBody?.slice(0, 1_000)).toBe(char.repeat(1_000));
      expect(mail.textBody?.length).toBeLessThanOrEqual((1024 * 1024) / piece.length + piece.length);
      expect(mail).toMatchObject({ subject: 'a', htmlBody: '<p>hi</p>' });
      expect(mail.parseError).toBe(`Text in ${charset} takes long to decode: no more than 1024 KiB of it was read.`);
    },
  );

  test('is read whole if the text is not unusually long', async () => {
    const { mail } = await parseMail(
      lines('Content-Type: text/plain; charset=iso-2022-jp', '', 'Hi \u001b$B$"\u001b(B'),
    );
    expect(mail).toMatchObject({ textBody: 'Hi あ\n', parseError: null });
  });

  // It can carry markup past a filter, and browsers refuse it (WHATWG Encoding 4.3).
  test.each(['utf-7', 'UNICODE-1-1-UTF-7'])('%s is read as it is written', async (charset) => {
    const { mail } = await parseMail(lines(`Content-Type: text/plain; charset=${charset}`, '', 'Hi +AOk-'));
    expect(mail).toMatchObject({ textBody: 'Hi +AOk-\n', parseError: null });
  });
});

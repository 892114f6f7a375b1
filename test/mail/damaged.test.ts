import { describe, expect, test } from 'vitest';
import { parseMail } from '../../src/mail/parse.ts';
import { scanMail } from '../../src/mail/scan.ts';

function lines(...of: string[]): Buffer {
  return Buffer.from(of.map((line) => `${line}\r\n`).join(''));
}

const TEXT = ['--b', 'Content-Type: text/plain', '', 'text'];
const HTML = ['--b', 'Content-Type: text/html', '', '<p>html</p>'];
const BOTH = [...TEXT, ...HTML, '--b--'];

// The right values are those of RFC 2045, 2046 and 2231, and of Python's email package where they leave it open.
test.each<[string, string[], { textBody?: string | null; htmlBody?: string | null; attachments?: object[] }]>([
  [
    'a comment in the content type',
    ['Content-Type: text/plain (comment); charset=iso-8859-1 (Latin)', '', 'text'],
    { textBody: 'text\n', attachments: [] },
  ],
  [
    'a comment before the boundary',
    ['Content-Type: multipart/alternative; (the (inner) "b") boundary=b', '', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a content type twice, whose first boundary is used',
    ['Content-Type: multipart/mixed; boundary=b', 'Content-Type: multipart/mixed; boundary=c', '', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a content type twice, whose second boundary is used',
    ['Content-Type: multipart/mixed; boundary=c', 'Content-Type: multipart/mixed; boundary=b', '', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a content type that is none before one that is',
    ['Content-Type: <html>', 'Content-Type: text/html', '', '<p>html</p>'],
    { textBody: null, htmlBody: '<p>html</p>\n' },
  ],
  [
    'no empty line before the first boundary',
    ['Content-Type: multipart/alternative;', ' boundary="b"', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a line of text in the header before the first boundary',
    ['Content-Type: multipart/alternative; boundary=b', 'This is a multi-part message.', '--not', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'no empty line before the first boundary of an inner multipart',
    [
      'Content-Type: multipart/mixed; boundary=outer',
      '',
      '--outer',
      'Content-Type: multipart/alternative; boundary=b',
      ...BOTH,
      '--outer--',
    ],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a boundary that is the start of another',
    [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=b1',
      '',
      '--b1',
      '',
      'text',
      '--b1',
      'Content-Type: text/html',
      '',
      '<p>html</p>',
      '--b1--',
      '--b',
      'Content-Type: text/csv; name=a.csv',
      '',
      'a;b',
      '--b--',
    ],
    { textBody: 'text', htmlBody: '<p>html</p>', attachments: [{ filename: 'a.csv', sizeBytes: 3 }] },
  ],
  [
    'an inner multipart with the boundary of the outer one',
    ['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: multipart/mixed; boundary=b', '', ...BOTH],
    { textBody: 'text', htmlBody: '<p>html</p>' },
  ],
  [
    'a part with a header and no empty line',
    ['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain; x="secret"', ...HTML, '--b--'],
    { textBody: null, htmlBody: '<p>html</p>' },
  ],
  [
    'a semicolon that is missing in a content type',
    ['Content-Type: application/pdf name="a.pdf"', '', 'pdf'],
    { textBody: null, attachments: [{ contentType: 'application/pdf', filename: 'a.pdf' }] },
  ],
  [
    'HTML that names its charset in itself',
    [
      'Content-Type: text/html',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<meta charset=windows-1251>\xcf\xf0', 'latin1').toString('base64'),
    ],
    { htmlBody: '<meta charset=windows-1251>Пр' },
  ],
  [
    'HTML that names its charset in itself, in quoted-printable',
    [
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<!-- <meta charset=3D"utf-8"> --><META http-equiv=3DContent-Type content=',
      '=3D"text/html; charset=3Dkoi8-r">=F0=D2',
    ],
    {
      htmlBody: '<!-- <meta charset="utf-8"> --><META http-equiv=Content-Type content="text/html; charset=koi8-r">Пр\n',
    },
  ],
  [
    'HTML that names another charset than its part',
    ['Content-Type: text/html; charset=utf-8', '', '<meta charset=windows-1251>Grüße'],
    { htmlBody: '<meta charset=windows-1251>Grüße\n' },
  ],
])('%s', async (_what, mail, expected) => {
  const raw = lines('Subject: a', ...mail);
  const parse = await parseMail(raw);
  expect(parse.mail).toMatchObject({ subject: 'a', parseError: null, ...expected });
  expect(scanMail(raw).attachmentCount).toBe(parse.mail.attachments.length);
});

test('a byte order mark before the first field hides nothing', async () => {
  const raw = Buffer.from(`\ufeffTo: a@x.test\r\nContent-Type: text/html\r\n\r\nhi`);
  const { mail } = await parseMail(raw);
  expect(mail).toMatchObject({ to: 'a@x.test', headers: { to: 'a@x.test' }, toAndCc: ['a@x.test'], htmlBody: 'hi' });
  expect(scanMail(raw).to).toBe('a@x.test');
  const typed = await parseMail(Buffer.from(`\ufeffContent-Type: text/html\r\n\r\nhi`));
  expect(typed.mail).toMatchObject({ htmlBody: 'hi', textBody: null });
});

test.each([
  ['a paragraph of several lines', ['a ', 'b ', 'c', 'd'], 'a b c\nd'],
  ['a paragraph whose last line ends with a space', ['a ', '', 'b'], 'a \n\nb'],
  ['space-stuffed lines', ['The word ', ' From ', '  two'], 'The word From  two'],
  ['quoted lines', ['> a ', '> b', '>> c ', '> d ', 'e'], '> a b\n>> c \n> d \ne'],
  ['a signature', ['a ', '-- ', 'b'], 'a \n-- \nb'],
])('flowed text: %s', async (_what, text, textBody) => {
  const raw = lines('Content-Type: text/plain; format=flowed', '', ...text);
  expect((await parseMail(raw)).mail.textBody).toBe(textBody);
  const deleted = await parseMail(lines('Content-Type: text/plain; format="Flowed"; delsp=Yes', '', 'a ', 'b'));
  expect(deleted.mail.textBody).toBe('ab');
});

test.each([
  ['text/plain', 'Caf\xe9 \x80 25', 'Café € 25'],
  ['text/plain; charset="US-ASCII"', 'Caf\xe9 \x80 25', 'Café € 25'],
  ['text/plain; charset=unknown-8bit', 'Caf\xe9', 'Café'],
  ['text/html', '<p>Caf\xe9</p>', '<p>Café</p>'],
  ['text/html', '<meta charset="us-ascii">Caf\xe9', '<meta charset="us-ascii">Café'],
  ['text/plain; charset=us-ascii', 'Caf\xc3\xa9', 'Café'],
  ['text/plain; charset=ANSI_X3.4-1968', 'Caf\xc3\xa9', 'Café'],
  [
    'text/plain',
    'Caf\xc3\xa9, cr\xc3\xa8me, cut within a character: \xc3',
    'Café, crème, cut within a character: \ufffd',
  ],
  ['text/plain; charset=utf-8', 'Caf\xe9', 'Caf\ufffd'],
])('bytes beyond ASCII in a part of %s: %j is %j', async (type, bytes, text) => {
  const body = Buffer.from(bytes, 'latin1');
  for (const [encoding, written] of [
    ['8bit', body],
    ['base64', Buffer.from(body.toString('base64'))],
    ['quoted-printable', Buffer.from([...body].map((byte) => `=${byte.toString(16).toUpperCase()}`).join(''))],
  ] as const) {
    const head = Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`);
    const { mail } = await parseMail(Buffer.concat([head, written]));
    expect(mail.htmlBody ?? mail.textBody, encoding).toBe(text);
  }
});

describe('names of files', () => {
  test.each([
    [
      'a percent sign in a segment that is not encoded',
      "filename*0*=utf-8''a%20; filename*1=100%25.pdf",
      'a 100%25.pdf',
    ],
    ['a percent sign in a plain name', 'filename="100%25.pdf"', '100%25.pdf'],
    ['a percent sign in plain segments', 'filename*0="100%25"; filename*1=".pdf"', '100%25.pdf'],
    ['segments out of order', 'filename*2=c; filename*0=a; filename*1=b', 'abc'],
    ['a gap between segments', 'filename*0=a; filename*2=c', 'a'],
    ['no first segment', 'filename*1=b; filename=x', 'x'],
    ['a character divided between two segments', "filename*0*=utf-8''%E2%82; filename*1*=%AC.pdf", '€.pdf'],
    ['another charset', "filename*=iso-8859-1'en'%A3.txt; filename=b", '£.txt'],
    ['no charset', "filename*=''%C3%BC", 'ü'],
    ['an encoded word in an encoded parameter', "filename*=utf-8''%3D%3Futf-8%3FQ%3Fa%3F%3D", '=?utf-8?Q?a?='],
    ['an encoded word in a quoted name', 'filename="=?utf-8?Q?=C3=BC?=.pdf"', 'ü.pdf'],
    ['quoted pairs', String.raw`filename="a\"b;c\\d.pdf"`, 'a"b;c\\d.pdf'],
    ['a quote that is not closed', 'filename="a.pdf', 'a.pdf'],
    ['a comment behind the name', 'filename=a.pdf (the file)', 'a.pdf'],
    ['controls', "filename*=utf-8''a%00%1B%5B2J.pdf", 'a  [2J.pdf'],
    ['raw UTF-8', 'filename=Grüße.pdf', 'Grüße.pdf'],
  ])('%s', async (_what, param, filename) => {
    const raw = lines('Content-Type: application/pdf', `Content-Disposition: attachment; ${param}`, '', 'x');
    expect((await parseMail(raw)).mail.attachments).toMatchObject([{ filename }]);
  });
});

test('an attached mail is a file with its name, and its words do not belong to the outer mail', async () => {
  for (const disposition of ['attachment; filename=inner.eml', 'inline; filename=inner.eml']) {
    const raw = lines(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...TEXT,
      '--b',
      'Content-Type: message/rfc822',
      `Content-Disposition: ${disposition}`,
      '',
      'Subject: inner',
      '',
      'your code is 481516',
      '--b--',
    );
    const { mail, contents } = await parseMail(raw);
    expect(mail.textBody).toBe('text');
    expect(mail.attachments).toMatchObject([{ filename: 'inner.eml', contentType: 'message/rfc822' }]);
    expect(String(contents[0])).toBe('Subject: inner\r\n\r\nyour code is 481516');
  }
});

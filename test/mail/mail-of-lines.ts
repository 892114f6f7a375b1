import fc from 'fast-check';

const HEADERS = [
  'Content-Type: multipart/mixed; boundary=a',
  'Content-Type: multipart/alternative; boundary="b"',
  'Content-Type: multipart/related;\r\n boundary=ab',
  'Content-Type: multipart/mixed; boundary*0=a; boundary*1=b',
  'Content-Type: multipart/mixed; boundary="a\\b"',
  'Content-Type: text/plain',
  'Content-Type: text/html; boundary=a',
  'Content-Type: image/png; name="x y.png"',
  'content-type:',
  'Content-Type : application/pdf',
  '\rContent-Type: application/pdf',
  'Content-Type: message/rfc822',
  'Content-Type: message/rfc822; boundary=b',
  'Content-Type: message/delivery-status',
  'Content-Disposition: inline',
  'Content-Disposition: attachment; filename=a.txt',
  'Content-Disposition: foo; filename="a.eml"',
  'Content-Disposition: inline; filename="a.html"',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: 7bit (x)',
  'Subject: =?utf-8?Q?=C3=BC?=',
  'To: "a, b" <a@x.test>',
  'From x',
  ' folded',
  'no field',
];
const DELIMITERS = ['--a', '--a--', '--b', '--b--', '--ab', '--ab--', '--a ', '\r--a', '--a\rz', 'x--a', '--b-', '-'];

const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '');
const line = (texts: readonly string[]) => fc.tuple(fc.constantFrom(...texts), end).map(([text, eol]) => text + eol);

/** Generates valid and broken mails from lines that matter to their structure. */
export const mailOfLines: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(
      '',
      'Content-Type: multipart/mixed; boundary=a\r\n\r\n',
      'Content-Type: multipart/mixed; boundary=ab\r\n',
    ),
    fc.array(fc.oneof(line(HEADERS), line(DELIMITERS), line(['', '', 'text'])), { maxLength: 30 }),
  )
  .map(([head, rest]) => Buffer.from(head + rest.join('')));

// The mails that an attacker may send to keep a server busy. Each is within the 25 MiB that SMTP accepts, and has a
// unique name.

const MB = 1024 * 1024;
const HEAD = 'From: a@x.test\r\nTo: b@x.test\r\nSubject: hostile\r\n';
const HTML = `${HEAD}Content-Type: text/html; charset=utf-8\r\n\r\n`;
const PARTS = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;

/** @type {(piece: string, bytes: number) => string} */
const fill = (piece, bytes) => piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));
/** @type {(count: number, make: (index: number) => string) => string} */
const each = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('');
/** @type {(name: string, value: string) => string} */
const folded = (name, value) => `${name}: ${value.replace(/(.{1,900}) /g, '$1\r\n ')}\r\n`;

/** @type {readonly (readonly [string, () => string | Buffer])[]} */
export const HOSTILE = [
  ['one line of text, 24 MB', () => `${HEAD}\r\n${fill('x', 24 * MB)}\r\n`],
  [
    'one line of Chinese, 24 MB',
    () => `${HEAD}Content-Type: text/plain; charset=utf-8\r\n\r\n${fill('验证码', 24 * MB)}\r\n`,
  ],
  ['a million short lines', () => `${HEAD}\r\n${fill('your code\r\n', 11 * MB)}`],
  ['ten million empty lines', () => `${HEAD}\r\n${fill('\r\n', 20 * MB)}`],
  ['"your code is 123456. " in 5 MB', () => `${HEAD}\r\n${fill('your code is 123456. ', 5 * MB)}\r\n`],
  ['"your code is 123456. " in 48 KB', () => `${HEAD}\r\n${fill('your code is 123456. ', 48 * 1024)}\r\n`],
  ['codes in lines, 48 KB', () => `${HEAD}\r\n${fill('code\r\n481516\r\n', 48 * 1024)}`],
  ['a million links as text', () => `${HEAD}\r\n${each(1_000_000, (i) => `http://x.y/${i}\r\n`)}`],
  ['a million links in HTML', () => `${HTML}${each(600_000, (i) => `<a href="http://x.test/${i}">x</a>\r\n`)}`],
  ['links in HTML, 60 KB', () => `${HTML}${each(1_800, (i) => `<a href="http://x.test/${i}">x</a>`)}`],
  ['bare links, 60 KB', () => `${HEAD}\r\n${each(3_000, (i) => `http://x.test/${i} `)}`],
  ['deep HTML', () => HTML + fill('<div>', 10 * MB)],
  ['deep HTML, 60 KB', () => HTML + fill('<b><i><a href="x">', 60 * 1024)],
  ['an element of a million attributes', () => `${HTML}<a ${each(1_000_000, (i) => `a${i}=1 `)}>x</a>`],
  ['an attribute of 10 MB', () => `${HTML}<a style="${fill('a:b;', 5 * MB)}" href="http://${fill('x', 5 * MB)}">x</a>`],
  ['less-than signs, 20 MB', () => HTML + fill('<', 20 * MB)],
  ['empty tags, 20 MB', () => HTML + fill('<>', 20 * MB)],
  ['entities, 10 MB', () => HTML + fill('&amp;', 10 * MB)],
  ['10,000 parts', () => `${PARTS}${fill('--b\r\nContent-Type: a/b\r\n\r\nx\r\n', 9_900 * 30)}`],
  ['a million parts', () => PARTS + fill('--b\r\n\r\n', 8 * MB)],
  ['50 parts of text', () => PARTS + fill('--b\r\n\r\nyour code is 481516\r\n', 49 * 29)],
  [
    '99 levels of multiparts and what may end them',
    () =>
      HEAD +
      each(
        98,
        (i) =>
          `Content-Type: multipart/mixed; boundary=${fill('b', 60)}${100 + i}\r\n\r\n--${fill('b', 60)}${100 + i}\r\n`,
      ) +
      `\r\n${fill(`--${fill('b', 60)}x99\r\n`, 20 * MB)}`,
  ],
  ['lines of two hyphens', () => `${PARTS}--b\r\n\r\n${fill('--\r\n', 20 * MB)}`],
  ['lines like delimiters', () => `${PARTS}--b\r\n\r\n${fill('--bx\r\n', 20 * MB)}`],
  ['delimiters within lines', () => `${PARTS}--b\r\n\r\n${fill('--b', 20 * MB)}`],
  ['a million header fields', () => `${HEAD}${fill('A: b\r\n', 6 * MB)}\r\nhi`],
  ['1,000 header fields of 250 bytes', () => `${each(990, (i) => `X-${i}: ${fill('a', 240)}\r\n`)}${HEAD}\r\nhi`],
  ['1,000 Subjects of empty words', () => `${fill(folded('Subject', fill('=?x?q??= ', 240)), 250_000)}\r\nhi`],
  ['addresses in To, 250 KB', () => `${folded('To', fill('a@b.test, ', 250_000))}Subject: a\r\n\r\nhi`],
  ['short addresses in To, 250 KB', () => `${folded('To', fill('a@b, ', 250_000))}Subject: a\r\n\r\nhi`],
  [
    'names of many words in To, 250 KB',
    () => `${folded('To', fill('=?utf-8?Q?=C3=BC?= <a@b.test>, ', 250_000))}Subject: a\r\n\r\nhi`,
  ],
  ['encoded words in Subject, 250 KB', () => `${folded('Subject', fill('=?utf-8?q?a?= ', 250_000))}\r\nhi`],
  [
    'encoded words of no known charset, 250 KB',
    () =>
      `${folded(
        'Subject',
        each(15_000, (i) => `=?x-${i}?q?=ff?= `),
      )}\r\nhi`,
  ],
  [
    'encoded words of utf-7, 250 KB',
    () => `${folded('Subject', fill(`=?utf-7?q?${fill('+AGE-', 60)}?= `, 250_000))}\r\nhi`,
  ],
  [
    'encoded words of iso-2022-jp, 250 KB',
    () => `${folded('Subject', fill('=?iso-2022-jp?B?GyRCJCIbKEI=?= ', 250_000))}\r\nhi`,
  ],
  ['one encoded word of utf-7, 250 KB', () => `Subject: =?utf-7?q?${fill('+AGE-', 250_000)}?=\r\n\r\nhi`],
  [
    'one encoded word of iso-2022-jp, 250 KB',
    () => `Subject: =?iso-2022-jp?q?${fill('=1B$B$=22=1B(B', 250_000)}?=\r\n\r\nhi`,
  ],
  ['beginnings of encoded words, 250 KB', () => `${folded('Subject', fill('=?a?q?=?a?b? ', 250_000))}\r\nhi`],
  ['a Subject of 250 KB', () => `Subject: ${fill('x', 250_000)}\r\n\r\nhi`],
  ['a parameter of 250 KB', () => `${HEAD}Content-Type: text/plain; a=${fill('"\\"', 250_000)}\r\n\r\nhi`],
  ['parameters in 250 KB', () => `${HEAD}Content-Type: text/plain${each(20_000, (i) => `; a${i}*0=b`)}\r\n\r\nhi`],
  ['comments in 250 KB', () => `${folded('To', fill('((((a', 250_000))}${HEAD}\r\nhi`],
  [
    'base64 of 18 MB',
    () =>
      `${PARTS}--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${fill(`${fill('QUJD', 76)}\r\n`, 24 * MB)}\r\n--b--\r\n`,
  ],
  [
    'base64 of text, 18 MB',
    () => `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n${fill(`${fill('QUJD', 76)}\r\n`, 24 * MB)}`,
  ],
  [
    'quoted-printable of 24 MB',
    () => `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n${fill('=41=\r\n', 24 * MB)}`,
  ],
  ['text in utf-7, 15 MB', () => `${HEAD}Content-Type: text/plain; charset=utf-7\r\n\r\n${fill('+AGE-', 15 * MB)}\r\n`],
  [
    'text in utf-7, 60 KB',
    () => `${HEAD}Content-Type: text/plain; charset=utf-7\r\n\r\n${fill('+AGE-', 60 * 1024)}\r\n`,
  ],
  [
    'text in iso-2022-jp, 15 MB',
    () => `${HEAD}Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n${fill('\u001b$B$"\u001b(B', 15 * MB)}\r\n`,
  ],
  [
    'text in iso-2022-jp, 60 KB',
    () => `${HEAD}Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n${fill('code ', 60 * 1024)}\r\n`,
  ],
  [
    'text in gb18030, 20 MB',
    () =>
      Buffer.from(
        `${HEAD}Content-Type: text/plain; charset=gb18030\r\n\r\n${fill('\x81\x30\x81\x30', 20 * MB)}\r\n`,
        'latin1',
      ),
  ],
  [
    'format=flowed, 20 MB',
    () => `${HEAD}Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${fill('a \r\n', 20 * MB)}`,
  ],
  ['no header, 20 MB', () => fill('your code is 1\r\n', 20 * MB)],
];

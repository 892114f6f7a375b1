import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { charsetOfFile, decodedText, fileTextIn, isKnownCharset } from '../../../ui/web/mail/decoded-part.ts';
import { type MimePart, mimeTree } from '../../../ui/web/mail/mail-source.ts';

const inCorpus = (path: string) => mimeTree(readFileSync(`test/corpus/${path}`, 'latin1'));
const leaves = (part: MimePart): MimePart[] => (part.parts.length === 0 ? [part] : part.parts.flatMap(leaves));

// Real mails in the charsets and encodings that people meet.
test.each([
  ['ruby-mail/multi_charset__japanese_iso_2022.eml', 'すみません。'],
  ['ruby-mail/multi_charset__japanese_shift_jis.eml', 'このメールはテスト用のメールです。'],
  [
    'enmime/testdata__mail__quoted-printable.raw',
    'Phasellus sit amet arcu non lacus porta faucibus. Nulla gravida tempus rutrum. Maecenas',
  ],
  ['enmime/testdata__mail__quoted-printable-mime.raw', 'suscipit mattis libero.'],
])('the text of %s is read as people read it', (path, words) => {
  expect(leaves(inCorpus(path)).map(decodedText).join('\n')).toContain(words);
});

test.each([
  ['quoted-printable', 'utf-8', 'Gr=C3=BC=C3=9Fe =\r\nan=20alle \r\n=ZZ', 'Grüße an alle\n=ZZ'],
  ['base64', 'iso-8859-1', 'R3Lc\r\n3w==', 'GrÜß'],
  ['base64', 'utf-8', 'SGVsbG8=\r\nIHdvcmxk====', 'Hello world'],
  ['base64', null, 'SGVs!!bG8', 'Hello'],
  ['base64', null, 'SGVsbG8=A', 'Hello'],
  ['8bit', null, 'Gr\u00c3\u00bc', 'Grü'],
  [null, 'klingon', 'plain', 'plain'],
  ['uuencode', null, 'begin', null],
])('a body in %s and %s is decoded', (encoding, charset, body, text) => {
  const part = { type: 'text/plain', encoding, charset, body };
  expect(decodedText({ ...mimeTree(''), ...part })).toBe(text);
});

test.each(['base64 (really)', '"Base64"', 'base64;', 'BASE64 '])('%s is base64', (encoding) => {
  expect(decodedText(mimeTree(`Content-Transfer-Encoding: ${encoding}\r\n\r\nSGVsbG8=\r\n`))).toBe('Hello');
});

test('a charset that the browser does not know is told from one that it knows', () => {
  const known = ['utf-8', 'ISO-2022-JP', 'gb18030', 'windows-1255', 'ibm437', 'viscii', 'constructor', ''];
  expect(known.map(isKnownCharset)).toEqual([true, true, true, true, false, false, false, false]);
});

test('a file is no text', () => {
  expect(decodedText({ ...mimeTree(''), type: 'image/png', encoding: 'base64', body: 'iVBO' })).toBeNull();
});

const windows = { charset: 'Windows-1252', why: 'The mail names no charset' };
test.each<[string, string | null, string, unknown]>([
  ['4afc7267656e', 'ISO-8859-1', 'Jürgen', null],
  ['4afc7267656e', null, 'Jürgen', windows],
  ['4afc7267656e', 'us-ascii', 'Jürgen', windows],
  ['4ac3bc7267656e', null, 'Jürgen', { ...windows, charset: 'UTF-8' }],
  // The end of a large file is cut off within a character.
  ['c3bcc3', null, 'ü', { ...windows, charset: 'UTF-8' }],
  ['4aefbfbd', 'utf-8', 'J\ufffd', null],
  ['1b2442243224731b2842', 'iso-2022-jp', 'げん', null],
  ['4afc', 'klingon', 'Jü', { charset: 'Windows-1252', why: 'The browser does not know the charset klingon' }],
  ['fffe4100fc00', null, 'Aü', null],
  ['efbbbf61', null, 'a', { ...windows, charset: 'UTF-8' }],
  ['6162', null, 'ab', null],
])('the file %s in %s is %s', (hex, charset, text, guess) => {
  expect(fileTextIn(Buffer.from(hex, 'hex'), charset)).toEqual({ text, guess });
});

test.each([
  ['7bit', 'name\r\nJ\xfcrgen\r\n', 'name\r\nJ\xfcrgen\r\n'],
  ['base64', 'bmFtZQ0KSvxyZ2VuDQo=', 'name\r\nJ\xfcrgen\r\n'],
  ['quoted-printable', 'name\r\nJ=FCrgen', 'name\r\nJ\xfcrgen'],
  ['8bit', 'price\r\n\x80 1\r\n', 'price\r\n\x80 1'],
])('the charset of a file in %s is that of its part', (encoding, body, file) => {
  const part = (type: string, content: string) =>
    `--x\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n`;
  const mail = `Content-Type: multipart/mixed; boundary=x\r\n\r\n${part('text/plain; charset=utf-8', 'aGk=')}${part('text/csv; charset=ISO-8859-1', body)}--x--\r\n`;
  const charsetOf = (text: string) => charsetOfFile(Buffer.from(mail, 'latin1'), Buffer.from(text, 'latin1'));
  expect([charsetOf(file), charsetOf('another')]).toEqual(['ISO-8859-1', null]);
});

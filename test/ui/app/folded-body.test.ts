import { expect, test } from 'vitest';
import { foldedBody } from '../../../ui/web/mail/mail-source.ts';

const BASE64 = `${'QUJD'.repeat(19)}\n`;
/** A line of quoted-printable that a soft line break ends. Its letters could be base64. */
const SOFT = `${'abc'.repeat(25)}=\n`;

test('long base64 is folded, with its padded last line', () => {
  expect(foldedBody(`Hello\n${BASE64.repeat(20)}${'QUJD'.repeat(15)}QQ==\nbye`)).toEqual([
    { text: 'Hello\n', folded: false },
    { text: '… 21 lines of base64: show', folded: true },
    { text: '\n', folded: false },
    { text: 'bye', folded: false },
  ]);
});

test.each([
  ['a few lines of base64', BASE64.repeat(5)],
  ['quoted-printable, however many lines', SOFT.repeat(50)],
  ['an empty body', ''],
])('%s are not folded', (_name, body) => {
  const pieces = foldedBody(body);
  expect(pieces.some(({ folded }) => folded)).toBe(false);
  expect(pieces.map(({ text }) => text).join('')).toBe(body);
});

import { expect, test } from 'vitest';
import { endOf, hasOneHead, pieceLength } from '../../src/domain/pipelining.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test.each([
  ['a head', '', GET, 0, GET.length],
  ['two heads', '', GET + GET, 0, GET.length],
  ['a part of a head', '', GET.slice(0, -1), 0, GET.length - 1],
  ['the rest of a head', 'a\r\n', '\r\nGET', 0, 2],
  ['the last byte of a head and more', '\r\n\r', `\n${GET}`, 0, 1],
  ['a body with an empty line, and a head', '', `a\r\n\r\nb${GET}`, 6, 6],
  ['a part of a body', '', 'abc', 6, 3],
  ['a whole chunked body, and a head', '', `1\r\nx\r\n0\r\n\r\n${GET}`, 0, 11],
])('the first piece of %s', (_what, before, bytes, bodyLeft, length) => {
  expect(pieceLength(before, Buffer.from(bytes), bodyLeft)).toBe(length);
});

test('a head is found however it is split', () => {
  const bytes = Buffer.from(GET + GET);
  for (let size = 1; size <= bytes.length; size++) {
    let before = '';
    const ends: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + pieceLength(before, bytes.subarray(at, at + size), 0));
      at += piece.length;
      before = endOf(before, piece);
      if (bytes.toString('latin1', 0, at).endsWith('\r\n\r\n')) {
        ends.push(at);
        before = '';
      }
    }
    expect(ends).toEqual([GET.length, 2 * GET.length]);
  }
});

test.each([
  ['', true],
  [GET.slice(0, 9), true],
  [GET, true],
  [`${GET}body`, true],
  [GET + GET, false],
])('%j has one head at most: %s', (bytes, hasOne) => {
  expect(hasOneHead(Buffer.from(bytes))).toBe(hasOne);
});

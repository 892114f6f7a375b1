import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachmentDisposition, mediaTypeOr } from '../../src/domain/content.ts';
import { anyText } from '../support/any-text.ts';

test.each([
  [null, 'attachment; filename="attachment"'],
  ['', 'attachment; filename="attachment"'],
  ['..', 'attachment; filename="attachment"'],
  ['invoice.pdf', 'attachment; filename="invoice.pdf"'],
  ['../../etc/passwd', 'attachment; filename="passwd"'],
  ['C:\\temp\\a.txt', 'attachment; filename="a.txt"'],
  ['a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
  ['a\r\nSet-Cookie: x', `attachment; filename="aSet-Cookie: x"`],
  ['rechnung_ü.pdf', `attachment; filename="rechnung__.pdf"; filename*=UTF-8''rechnung_%C3%BC.pdf`],
  ["it's (1).txt", `attachment; filename="it's (1).txt"`],
  ["ü'(1).txt", `attachment; filename="_'(1).txt"; filename*=UTF-8''%C3%BC%27%281%29.txt`],
  ['exe\u202efdp.txt', 'attachment; filename="exefdp.txt"'],
  ['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
])('RFC 6266: the file name %j is %j', (filename, header) => {
  expect(attachmentDisposition(filename)).toBe(header);
});

test('no file name makes it throw, or break out of its header', () => {
  fc.assert(
    fc.property(anyText(), (filename) =>
      /^attachment; filename="[^"\\\r\n]*"(; filename\*=UTF-8''[A-Za-z0-9%._!~-]*)?$/.test(
        attachmentDisposition(filename),
      ),
    ),
  );
});

test.each([
  ['text/HTML; charset=utf-8', 'text/html'],
  ['image/svg+xml', 'image/svg+xml'],
  [null, 'x/y'],
  ['', 'x/y'],
  ['text', 'x/y'],
  ['text/html\r\nSet-Cookie: a', 'x/y'],
  ['text/ä', 'x/y'],
])('the media type %j is %j', (contentType, written) => {
  expect(mediaTypeOr(contentType, 'x/y')).toBe(written);
});

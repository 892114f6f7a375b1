import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MimeTreePart, readMimeTree } from '../../src/mail/mime-tree.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

const PIECES = [
  ...['Content-Type: multipart/mixed; boundary=a\r\n', 'Content-Type: multipart/mixed; boundary="b"\n', '\r\n', '\n'],
  ...[
    '--a\r\n',
    '--b\r\n',
    '--a--\r\n',
    '--b--',
    '--',
    'text\r\n',
    'Content-Type: message/rfc822\r\n',
    'x: y\r\n',
    ' z\r\n',
  ],
  ...['Content-Type: multipart/digest; boundary=a;;x="\r\n', 'Content-Disposition: attachment; filename=(\r\n'],
];

/** Every part lies in the one around it, behind its header, and the parts of one lie behind one another. */
function check(part: MimeTreePart, length: number): void {
  expect(part.bodyFrom).toBeGreaterThanOrEqual(part.from);
  expect(part.to).toBeGreaterThanOrEqual(part.bodyFrom);
  expect(part.to).toBeLessThanOrEqual(length);
  let last = part.from;
  for (const child of part.children) {
    expect(child.from).toBeGreaterThanOrEqual(last);
    last = child.to;
    check(child, length);
  }
}

test('the parts of any mail lie within its bytes, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), async (pieces) => {
      const raw = Buffer.from(pieces.join(''));
      check(await readMimeTree(raw), raw.length);
    }),
    { numRuns: propertyRuns(5_000, 500) },
  );
});

const MULTIPART = (boundary: string): string => `Content-Type: multipart/mixed; boundary=${boundary}\r\n`;

test.for([
  [
    'of the multipart around',
    `${MULTIPART('b')}\r\n--b\r\n${MULTIPART('a')}--b\r\nSubject: x\r\n\r\ny`,
    ['MULTIPART', 'TEXT'],
  ],
  ['of its own', `${MULTIPART('a')}--a\r\nContent-Type: image/png\r\n\r\nx\r\n--a--`, ['IMAGE']],
] as const)('a header ends before a delimiter %s, without an empty line', async ([, raw, types]) => {
  const { children } = await readMimeTree(Buffer.from(raw));
  expect(children.map(({ type }) => type)).toEqual(types);
});

test('a line in the header of a mail is no delimiter of the mail that it holds', async () => {
  const raw = `Content-Type: message/rfc822\r\n--a\r\n\r\n${MULTIPART('a')}\r\n--a\r\n\r\nx\r\n--a--`;
  const root = await readMimeTree(Buffer.from(raw));
  check(root, raw.length);
  expect(root.children.map(({ children }) => children.length)).toEqual([1]);
});

test('a mail of many nested multiparts, or of many lines that look like delimiters, is read soon', async () => {
  const nested = Array.from(
    { length: 500 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  const lines = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--x\r\n'.repeat(100_000)}`;
  const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(20_000)}`;
  const started = processorMs();
  for (const raw of [nested.join(''), lines, many]) await readMimeTree(Buffer.from(raw));
  expect(processorMs() - started).toBeLessThan(3_000);
});

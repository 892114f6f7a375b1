import { expect, test } from 'vitest';
import { Download } from '../../src/http/exchange.ts';
import { inPieces } from '../../src/http/large-json.ts';

const LONG = 'x'.repeat(65_534);
const VALUES: [string, object | readonly object[]][] = [
  ['a long string', { a: 1, b: `${LONG}"\\\n\u0000`.repeat(5), c: null, d: [{ e: 'f' }], g: undefined }],
  ['characters of two halves at every cut', { a: `x${'😀'.repeat(150_000)}`, b: '😀'.repeat(150_000) }],
  ['halves of characters', { a: '\ud83d'.repeat(300_000) }],
  ['long strings alone', { a: LONG.repeat(5), b: LONG.repeat(5) }],
  ['many rows', Array.from({ length: 50 }, (_, id) => ({ id, subject: LONG, to: `${LONG}${LONG}` }))],
];

test.each(VALUES)('%s as JSON in pieces is the JSON of the whole', async (_what, value) => {
  const answer = inPieces(value);
  if (!(answer instanceof Download)) throw new Error('it was not taken apart');
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.open()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  expect(answer.sizeBytes).toBe(null);
  expect(bytes.toString()).toBe(JSON.stringify(value));
  for (const piece of pieces) expect(piece.length).toBeLessThan(7 * 64 * 1024);
});

test('a piece is written when it is read, so that answers that nobody reads take no memory', async () => {
  const rows = Array.from({ length: 200 }, () => ({ to: LONG.repeat(4) }));
  const before = process.memoryUsage().arrayBuffers;
  const opened = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async () => {
      const answer = inPieces(rows);
      if (!(answer instanceof Download)) throw new Error('it was not taken apart');
      const pieces = answer.open()[Symbol.asyncIterator]();
      await pieces.next();
      return pieces;
    }),
  );
  // All six together have 300 MB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  for (const pieces of opened) await pieces.return?.();
});

test('a small answer stays what it is', () => {
  const value = [{ a: 'b' }];
  expect(inPieces(value)).toBe(value);
  expect(inPieces([])).toEqual([]);
});

import { expect, test } from 'vitest';
import { Download } from '../../src/http/answer.ts';
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
  const answer = await inPieces(value);
  if (!(answer instanceof Download)) throw new Error('it was not taken apart');
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.open()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  expect(answer.sizeBytes).toBe(bytes.length);
  expect(bytes.toString()).toBe(JSON.stringify(value));
  for (const piece of pieces) expect(piece.length).toBeLessThan(7 * 64 * 1024);
});

test('a small answer stays what it is', async () => {
  const value = [{ a: 'b' }];
  expect(await inPieces(value)).toBe(value);
  expect(await inPieces([])).toEqual([]);
});

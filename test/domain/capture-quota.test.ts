import { expect, test } from 'vitest';
import { excessOf, heldBytes, largestCapture } from '../../src/domain/captured-request.ts';

const bare = { sizeBytes: 0, headerBytes: 0, path: '', query: null, contentType: null, forwardError: null };

test.each([
  ['the row', {}, 4 * 1024],
  ['the body', { sizeBytes: 10 }, 4 * 1024 + 10],
  ['the header and the answer of the target', { headerBytes: 3, forwardResponseBytes: 4 }, 4 * 1024 + 7],
  [
    'texts in memory, four times',
    { path: '/abc', query: 'q', contentType: 'text', forwardError: 'e' },
    4 * (1024 + 10),
  ],
] as const)('a request counts %s', (_what, fields, bytes) => {
  expect(heldBytes({ ...bare, ...fields })).toBe(bytes);
});

test.each([
  [0, 160, null],
  [160, 160, null],
  [161, 160, 11],
  [320, 160, 170],
] as const)('of %i bytes in a quota of %i, %s go', (held, quota, bytes) => {
  expect(excessOf(held, quota)).toBe(bytes);
});

test('a single request may be as large as the smaller quota', () => {
  expect(largestCapture({ captureQuota: 2, captureTotal: 1 })).toBe(1);
  expect(largestCapture({ captureQuota: 2, captureTotal: 3 })).toBe(2);
});

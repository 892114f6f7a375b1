import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodedAnswer } from '../../src/adapters/fetcher.ts';

const MOST = 64 * 1024;
const TEXT = Buffer.from('{"received":true}');
const BOMB = Buffer.alloc(64 * 1024 * 1024);
const read = async (bytes: Uint8Array, coding: string | undefined) =>
  Buffer.from(await decodedAnswer(bytes, coding, MOST)).toString('latin1');

describe('an answer is read without its codings', () => {
  const { gzipSync, deflateSync, deflateRawSync, brotliCompressSync } = zlib;
  test.each<[string, string | undefined, Uint8Array]>([
    ['none', undefined, TEXT],
    ['identity', 'identity', TEXT],
    ['gzip', 'gzip', gzipSync(TEXT)],
    ['gzip by its old name, in capitals', 'X-GZIP', gzipSync(TEXT)],
    ['deflate', 'deflate', deflateSync(TEXT)],
    ['deflate without its frame', 'deflate', deflateRawSync(TEXT)],
    ['br', 'br', brotliCompressSync(TEXT)],
    ['two codings', 'gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['two members', 'gzip', Buffer.concat([gzipSync(TEXT.subarray(0, 5)), gzipSync(TEXT.subarray(5))])],
    ['a coding that lies', 'gzip', TEXT],
    ['a coding that nobody knows', 'compress', TEXT],
    ['the name of a member of every object', 'constructor', TEXT],
  ])('%s', async (_name, coding, bytes) => {
    expect(await read(bytes, coding)).toBe(TEXT.toString());
  });

  test('an answer that was cut is decoded as far as it goes', async () => {
    const long = Array.from({ length: 5_000 }, (_, at) => `line ${at}`).join('\n');
    for (const [coding, whole] of [
      ['gzip', gzipSync(long)],
      ['br', brotliCompressSync(long)],
      ['deflate', deflateSync(long)],
    ] as const) {
      const text = await read(whole.subarray(0, whole.length / 2), coding);
      expect([coding, text.length > 100 && long.startsWith(text)]).toEqual([coding, true]);
    }
  });
});

describe('a decompression bomb ends at the limit', () => {
  const { gzipSync, brotliCompressSync } = zlib;
  test.each<[string, string, Uint8Array]>([
    ['gzip', 'gzip', gzipSync(BOMB)],
    ['br', 'br', brotliCompressSync(BOMB, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['gzip in gzip', 'gzip, gzip', gzipSync(gzipSync(BOMB))],
  ])('%s', async (_name, coding, bomb) => {
    const before = process.memoryUsage().rss;
    expect((await decodedAnswer(bomb, coding, MOST)).length).toBe(MOST);
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
  });

  test('a bomb between two codings is not expanded either', async () => {
    // The header of gzip has a name of any length, so 64 MiB of it decode to nothing.
    const inner = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(BOMB.length, 0x61)]);
    expect((await decodedAnswer(gzipSync(inner), 'gzip, gzip', MOST)).length).toBe(0);
  });

  test('an answer with more codings than anybody uses stays as it came', async () => {
    const bytes = gzipSync(TEXT);
    expect(await decodedAnswer(bytes, Array(4).fill('gzip').join(), MOST)).toBe(bytes);
  });
});

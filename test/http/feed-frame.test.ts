import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { listFrame, textFrame } from '../../src/http/feed/event.ts';

/** Returns the texts that a WebSocket client reads from these bytes. */
function read(bytes: Buffer): string[] {
  const texts: string[] = [];
  // The frame parser of ws, which its types omit.
  const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (data: Buffer, isBinary: boolean) => texts.push(isBinary ? 'binary' : data.toString()));
  receiver.write(bytes);
  return texts;
}

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('a text of %i bytes is one text frame', (size) => {
  expect(read(textFrame('x'.repeat(size)))).toEqual(['x'.repeat(size)]);
});

test('several frames are several texts', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      expect(read(Buffer.concat(texts.map(textFrame)))).toEqual(texts);
    }),
  );
});

test('several JSON texts are one frame with a list, however long they are', () => {
  const values = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 70_000 }), (texts, size) => {
      const all = [...texts, 'x'.repeat(size)];
      const [list, ...rest] = read(listFrame(all.map((text) => Buffer.from(JSON.stringify(text)))));
      expect([JSON.parse(list ?? ''), rest]).toEqual([all, []]);
    }),
  );
});

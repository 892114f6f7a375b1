import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmac } from '../../src/client/hmac.ts';

test.each(['sha1', 'sha256', 'sha512'] as const)('an HMAC by %s is that of Node, whatever key and data', (hash) => {
  const property = (key: Uint8Array, data: Uint8Array) => {
    const expected = createHmac(hash, key).update(data).digest('hex');
    expect(Buffer.from(hmac(hash, key, data)).toString('hex')).toBe(expected);
  };
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(fc.property(bytes, bytes, property));
});

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { libraryHmac } from '../../src/client/webhook/library-hmac.ts';
import { loadHmac } from '../../src/client/webhook/signature.ts';

const HMACS = { "Node's": await loadHmac(), "the library's": libraryHmac };
const HASHES = ['sha1', 'sha256', 'sha512'] as const;

test.each(Object.entries(HMACS).flatMap(([name, hmac]) => HASHES.map((hash) => [name, hash, hmac] as const)))(
  'the %s HMAC by %s is that of RFC 2104, for any key and data in any pieces',
  (_name, hash, hmac) => {
    const property = (key: Uint8Array, parts: Uint8Array[]) => {
      const expected = createHmac(hash, key).update(Buffer.concat(parts)).digest('hex');
      expect(Buffer.from(hmac(hash, key, ...parts)).toString('hex')).toBe(expected);
    };
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(fc.property(bytes, fc.array(bytes, { maxLength: 3 }), property));
  },
);

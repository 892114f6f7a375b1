import { expect, test } from 'vitest';
import { codeNow } from '../../src/client/totp.ts';
import { codeAt } from '../../src/domain/totp.ts';

const ALGORITHMS = { SHA1: 'sha1', SHA256: 'sha256', SHA512: 'sha512' } as const;

test.each([
  ['SHA1', 6, 30],
  ['SHA256', 8, 60],
  ['SHA512', 6, 15],
] as const)(
  'the code that the client computes is the server’s: %s, %i digits, %i s',
  async (algorithm, digits, period) => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA';
    const { code, expiresAt, leftMs } = await codeNow({ secret, algorithm, digits, period });
    const server = await codeAt({ secret, algorithm: ALGORITHMS[algorithm], digits, period }, expiresAt - leftMs);
    expect({ code, expiresAt }).toEqual({ code: server.code, expiresAt: server.expiresAt });
  },
);

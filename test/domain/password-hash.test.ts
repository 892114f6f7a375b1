import { expect, test } from 'vitest';
import { cryptLike } from '../../src/domain/password-hash.ts';

// What `openssl passwd` writes for these passwords.
test.for([
  ['secret', '$1$Ab3.Zq$z5AA5i6F.PHTWsXnjDTIX.'],
  ['secret', '$apr1$Ab3.Zq$HMSEVXzZh0qY.xt5NG0jT1'],
  ['secret', '$5$Ab3.Zq$bXaOVh8J5.AoEJiuPtPRnCH2841nHieS6Wx2qLJO0v2'],
  ['secret', '$6$Ab3.Zq$dOv2009aFnxKzhKjBZ67eKsTD1yYb6urFTEFvvsUlQ9Q8JSs3cVL56PqWle2q3gPhkm3Rt7e6ypOY00eJqjpj1'],
  [
    'a longer passphrase with ä, ö and spaces',
    '$6$rounds=1000$salt$XMTUGIsumU3k6m4bk./vm7LlN84G9HbqKHsz6ug.MCA1IjzNsH5tMyaWxyRr1pCDScV8dAiVSSF/KNDMpA1Z0.',
  ],
] as const)('%s has the hash %s, and no other password has', ([password, hash]) => {
  expect(cryptLike(hash, password)).toBe(hash);
  expect(cryptLike(hash, `${password}x`)).not.toBe(hash);
  expect(cryptLike(hash, '')).not.toBe(hash);
});

test.for(['plain', '$2y$05$abc', '$6$rounds=999999999$salt$x', '$7$salt$x', ''])(
  '%s is no hash that is computed',
  (hash) => {
    expect(cryptLike(hash, 'x')).toBeNull();
  },
);

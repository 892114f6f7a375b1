import { expect, test } from 'vitest';
import { cryptLike } from '../../src/adapters/check-password.ts';

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
  // As long as a digest, or a multiple of it.
  ['a'.repeat(16), '$1$salt$bciUgZhnFP0j/cwTYcNem0'],
  ['a'.repeat(32), '$apr1$salt$Pg.w4.okJ.CAZgrnp9de3/'],
  ['a'.repeat(32), '$5$salt$HXQFJ7C9IlPH1emeaj5p/0hYJYwp65YoRrxZB9Mk8kA'],
  ['a'.repeat(64), '$5$salt$iQCjcIHBkpRDt4TwHlqEtQ8kZ01Q3xOWpLrbcYgOG98'],
  ['a'.repeat(64), '$6$salt$AEXas1lheSqqZi5NEqkFB5o3z784VKGStzLafTVHecAuDQsq1Pl1FSS8Y6T85NxC5ojfe2bgYy5GzAJ8ZrwQd/'],
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

import { blocksOf } from './sha-blocks.ts';
import { firstPrimes, sha512 } from './sha512.ts';

// HMAC at once, in any runtime: Web Crypto's makes every caller wait, and `request.verify(...).ok` is to be an answer.

export type HashName = 'sha1' | 'sha256' | 'sha512';

/** Bytes. */
const BLOCKS: Readonly<Record<HashName, number>> = { sha1: 64, sha256: 64, sha512: 128 };

/** RFC 2104. */
export function hmac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  const digest = DIGESTS[hash];
  const size = BLOCKS[hash];
  const short = key.length > size ? digest(key) : key;
  const padded = new Uint8Array(size);
  padded.set(short);
  const inner = digest(
    concat(
      padded.map((byte) => byte ^ 0x36),
      data,
    ),
  );
  return digest(
    concat(
      padded.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Of the digests here; bytes. */
const BLOCK = 64;
/** Of the length that ends the last block, bytes. */
const LENGTH = 8;
const DIGESTS: Readonly<Record<HashName, (data: Uint8Array) => Uint8Array>> = { sha1, sha256, sha512 };

/** The primes that FIPS 180-4 takes its constants from. */
const PRIMES = firstPrimes(64);
/** FIPS 180-4 4.2.2: the first 32 bits of the fractions of their cube roots. */
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
/** FIPS 180-4 5.3.3: of the first eight's square roots. */
const START_256 = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
/** FIPS 180-4 5.3.1. */
const START_1 = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

function sha256(data: Uint8Array): Uint8Array {
  const state = Uint32Array.from(START_256);
  const w = new Uint32Array(64);
  for (const block of blocksOf(data, BLOCK, LENGTH)) {
    for (let t = 0; t < 64; t++) {
      w[t] =
        t < 16 ? block.getUint32(t * 4) : add(small1(at(w, t - 2)), at(w, t - 7), small0(at(w, t - 15)), at(w, t - 16));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < 64; t++) {
      const one = add(h, big1(e), (e & f) ^ (~e & g), ROUNDS[t] ?? 0, at(w, t));
      const two = add(big0(a), (a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [add(one, two), a, b, c, add(d, one), e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = add(at(state, i), word);
    });
  }
  return bytesOf(state);
}

function sha1(data: Uint8Array): Uint8Array {
  const state = Uint32Array.from(START_1);
  const w = new Uint32Array(80);
  for (const block of blocksOf(data, BLOCK, LENGTH)) {
    for (let t = 0; t < 80; t++) {
      w[t] = t < 16 ? block.getUint32(t * 4) : left(at(w, t - 3) ^ at(w, t - 8) ^ at(w, t - 14) ^ at(w, t - 16), 1);
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let t = 0; t < 80; t++) {
      const next = add(left(a, 5), mixed(t, b, c, d), e, CONSTANTS_1[Math.floor(t / 20)] ?? 0, at(w, t));
      [a, b, c, d, e] = [next, a, left(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, i) => {
      state[i] = add(at(state, i), word);
    });
  }
  return bytesOf(state);
}

/** FIPS 180-4 4.2.1. */
const CONSTANTS_1 = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/** FIPS 180-4 4.1.1. */
function mixed(t: number, x: number, y: number, z: number): number {
  if (t < 20) return (x & y) ^ (~x & z);
  if (t >= 40 && t < 60) return (x & y) ^ (x & z) ^ (y & z);
  return x ^ y ^ z;
}

function bytesOf(words: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => {
    view.setUint32(i * 4, word);
  });
  return new Uint8Array(view.buffer);
}

function at(words: Uint32Array, i: number): number {
  return words[i] ?? 0;
}

function add(...words: readonly number[]): number {
  return words.reduce((sum, word) => (sum + word) >>> 0, 0);
}

function left(word: number, by: number): number {
  return ((word << by) | (word >>> (32 - by))) >>> 0;
}

function right(word: number, by: number): number {
  return left(word, 32 - by);
}

function big0(x: number): number {
  return right(x, 2) ^ right(x, 13) ^ right(x, 22);
}

function big1(x: number): number {
  return right(x, 6) ^ right(x, 11) ^ right(x, 25);
}

function small0(x: number): number {
  return right(x, 7) ^ right(x, 18) ^ (x >>> 3);
}

function small1(x: number): number {
  return right(x, 17) ^ right(x, 19) ^ (x >>> 10);
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

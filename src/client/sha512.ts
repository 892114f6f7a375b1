import { blocksOf } from './sha-blocks.ts';

// FIPS 180-4, as in hmac.ts, on words of 64 bits.

/** Bytes. */
const BLOCK = 128;
/** Of the length that ends the last block, bytes. */
const LENGTH = 16;
const WORD = 64n;

interface Constants {
  /** 4.2.3: the first 64 bits of the fractions of the cube roots of the first eighty primes. */
  readonly rounds: BigUint64Array;
  /** 5.3.5: of the first eight's square roots. */
  readonly start: BigUint64Array;
}

let made: Constants | null = null;

/** Made when they are first needed: to find them takes longer than all else that loading the client does by itself. */
function constants(): Constants {
  if (made !== null) return made;
  const primes = firstPrimes(80).map(BigInt);
  made = {
    rounds: BigUint64Array.from(primes, (prime) => root(prime << (3n * WORD), 3n)),
    start: BigUint64Array.from(primes.slice(0, 8), (prime) => root(prime << (2n * WORD), 2n)),
  };
  return made;
}

export function sha512(data: Uint8Array): Uint8Array {
  const { rounds, start } = constants();
  const state = BigUint64Array.from(start);
  const w = new BigUint64Array(80);
  for (const block of blocksOf(data, BLOCK, LENGTH)) {
    for (let t = 0; t < 80; t++) {
      w[t] =
        t < 16
          ? block.getBigUint64(t * 8)
          : at(w, t - 16) + small0(at(w, t - 15)) + at(w, t - 7) + small1(at(w, t - 2));
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    for (let t = 0; t < 80; t++) {
      const one = h + big1(e) + ((e & f) ^ (~e & g)) + at(rounds, t) + at(w, t);
      const two = big0(a) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [word(one + two), a, b, c, word(d + one), e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((one, i) => {
      state[i] = at(state, i) + one;
    });
  }
  const view = new DataView(new ArrayBuffer(64));
  state.forEach((one, i) => {
    view.setBigUint64(i * 8, one);
  });
  return new Uint8Array(view.buffer);
}

function at(words: BigUint64Array, i: number): bigint {
  return words[i] ?? 0n;
}

function word(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function right(x: bigint, by: bigint): bigint {
  return word((x >> by) | (x << (WORD - by)));
}

function big0(x: bigint): bigint {
  return right(x, 28n) ^ right(x, 34n) ^ right(x, 39n);
}

function big1(x: bigint): bigint {
  return right(x, 14n) ^ right(x, 18n) ^ right(x, 41n);
}

function small0(x: bigint): bigint {
  return right(x, 1n) ^ right(x, 8n) ^ (x >> 7n);
}

function small1(x: bigint): bigint {
  return right(x, 19n) ^ right(x, 61n) ^ (x >> 6n);
}

/** The whole part of a root, to the last bit, which no floating point number holds. */
function root(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 70n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle;
  }
  return low;
}

export function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

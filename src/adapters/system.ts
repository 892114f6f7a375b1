import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { decodeTime, incrementBase32, ulid, ulidToUUID, uuidToULID } from 'ulid';
import { NUMBER_DIGITS, numberDigits, type Ulid, ulidTime } from '../domain/ids.ts';
import type { Clock, Ids, Random } from '../ports/system.ts';

// The largest delay of setTimeout. A larger one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates the system's clock with an adjustable offset. */
export function systemClock(): Clock {
  let offset = 0;
  const shifted = new Set<() => void>();
  let followed = 0;
  return {
    now: () => Date.now() + followed + offset,
    offsetMs: () => offset,
    setOffsetMs: (offsetMs) => {
      offset = Math.trunc(offsetMs);
      for (const act of [...shifted]) act();
    },
    onShift: (act) => {
      // The wrapper makes each registration separate, even if the same function is registered twice.
      const own = () => act();
      shifted.add(own);
      return () => shifted.delete(own);
    },
    follow: (byMs) => {
      followed += Math.trunc(byMs);
    },
    sleep,
    after,
    steady: () => performance.now(),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, LONGEST_TIMER_MS));
  timer.unref();
  return () => clearTimeout(timer);
}

/**
 * Creates ids: ULIDs that increase strictly, even if the clock is set back. Two servers with the same store never
 * create the same id, even if the clocks of both are behind the ids in the store.
 */
export function createIds(random: Random): Ids {
  const fraction = fractions(random);
  let last = '';
  let lastTime = 0;
  return {
    next<Id extends Ulid>(now: number, after?: Ulid | null, number?: number): Id {
      const isOthers = after !== undefined && after !== null && after > last;
      if (isOthers) {
        last = after;
        lastTime = ulidTime(after);
      }
      const before = last;
      if (now > lastTime) {
        lastTime = now;
        last = ulid(now, fraction);
      } else if (isOthers) {
        // Several servers may continue from this id, so a random step keeps their next ids apart.
        last = leap(last, random.bytes(8));
        lastTime = decodeTime(last);
      } else {
        // A carry out of the random part increments the time part, which keeps the order.
        last = incrementBase32(last);
      }
      if (number !== undefined) {
        const stem = last.slice(0, -NUMBER_DIGITS);
        const numbered = stem + numberDigits(number);
        // Two messages of one millisecond have different stems, whatever their numbers.
        last = stem > before.slice(0, -NUMBER_DIGITS) ? numbered : incrementBase32(stem) + numberDigits(number);
      }
      // The cast is safe: ulid() writes 26 upper-case characters, as parseUlid does.
      return last as Id;
    },
  };
}

/**
 * Adds a random number and 1 to a ULID, taken as a number of 128 bits. A carry into its time part happens at most once
 * in 65,536 calls.
 */
function leap(from: string, by: Uint8Array): string {
  const sum = BigInt(`0x${ulidToUUID(from).replaceAll('-', '')}`) + BigInt(`0x${Buffer.from(by).toString('hex')}`) + 1n;
  const digits = sum.toString(16).padStart(32, '0');
  return uuidToULID(digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
}

/**
 * Returns a source of numbers from 0 to below 1. It reads random bytes in large blocks, because one read per character
 * costs 29 µs per id.
 */
function fractions(random: Random): () => number {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return () => {
    if (at >= pool.length) {
      pool = random.bytes(1024);
      at = 0;
    }
    return (pool[at++] ?? 0) / 256;
  };
}

/** Cryptographically secure random bytes. */
export const nodeRandom: Random = { bytes: (count) => randomBytes(count) };

import type { Json } from '../override.ts';
import type { SenderName } from '../senders.ts';

/** The values of a sample that differ each time. */
export interface Fresh {
  /** The time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** Returns a new id: the prefix, and random letters and digits. */
  id(prefix: string, length: number): string;
  /** Returns a new number of so many digits. */
  number(digits: number): number;
  /** Returns new hexadecimal digits. */
  hex(length: number): string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Returns the source of the values of a sample. `chance` returns a number from 0 to below 1. */
export function freshOf(at: number, chance: () => number): Fresh {
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(chance() * alphabet.length))).join('');
  return {
    at,
    id: (prefix, length) => `${prefix}${pick(LETTERS, length)}`,
    number: (digits) => Number(`${pick('123456789', 1)}${pick('0123456789', digits - 1)}`),
    hex: (length) => pick('0123456789abcdef', length),
  };
}

/** Returns four random bytes as a number from 0 to below 1. */
export function fractionOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) / 2 ** 32;
}

/** A sample event of a service. */
export interface Sample {
  /** The name of the event, as the service has it. */
  readonly name: string;
  readonly sender: SenderName;
  readonly about: string;
  /** The number of spaces by which the service indents its JSON. */
  readonly indent: 0 | 2;
  make(fresh: Fresh): Made;
}

/** The body of an event, and the header fields beside the signature. */
export interface Made {
  readonly body: Json;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Returns a time in seconds since 1970. */
export function seconds({ at }: Fresh): number {
  return Math.floor(at / 1_000);
}

/** Returns a time as ISO 8601 with seconds, in UTC. */
export function iso({ at }: Fresh): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** Returns a UUID of version 4 (RFC 9562). */
export function uuid({ hex }: Fresh): string {
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

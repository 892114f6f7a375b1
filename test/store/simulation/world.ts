import type { Ulid } from '../../../src/domain/ids.ts';
import type { BlobRef } from '../../../src/domain/message.ts';
import { utcDay } from '../../../src/domain/time.ts';
import type { Store } from '../../../src/ports/store.ts';
import { NOON } from '../rows.ts';
import type { Draw } from './draw.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DAYS_CHECKED = 3;

/** The kinds of a provider's records that histories write. */
export const RECORD_KINDS = ['emails', 'events', 'templates'] as const;

/**
 * The facts outside the store, which survive its crashes: the time, the issued ids, and the days on which mail arrived.
 */
export class World {
  now = NOON;
  lastId = '';
  readonly idempotencyIds = new Set<string>();
  readonly removedMarks = new Set<string>();
  #serial = 0;
  #time = 0;
  #days: number[] = [NOON];

  /** Returns an id that is greater than all before it. */
  nextId<Id extends Ulid>(): Id {
    this.#time = Math.max(this.#time, this.now);
    this.lastId = digits(this.#time, 10) + digits(this.#serial++, 16);
    return this.lastId as Id; // the text is built as a valid ULID
  }

  moveClock(by: number): void {
    this.now += by;
    this.#days = [...this.#days.filter((day) => utcDay(day) !== utcDay(this.now)), this.now].slice(-DAYS_CHECKED);
  }

  /** A time on each of the most recent days. */
  get days(): readonly number[] {
    return this.#days;
  }
}

function digits(value: number, count: number): string {
  let text = '';
  for (let rest = value, i = 0; i < count; i++, rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text;
  return text;
}

/** Stores bytes in one call. */
export function putBlob(store: Store, bytes: Uint8Array): Promise<BlobRef> {
  return store.blobs.put(bytes);
}

/** Stores bytes in several writes. */
export async function writeBlob(store: Store, bytes: Uint8Array, draw: Draw): Promise<BlobRef> {
  const writer = store.blobs.writer();
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + draw.int(bytes.length);
    await writer.write(bytes.subarray(at, at + size));
    at += size;
  }
  return writer.finish();
}

/** Returns incompressible bytes of a mail that contain a unique mark. */
export function bodyOf(mark: string, draw: Draw): Buffer {
  const size = draw.chance(0.02) ? 140_000 + draw.int(60_000) : draw.chance(0.2) ? draw.int(6_000) : draw.int(700);
  const filler = Buffer.alloc(size, draw.next().toString(36));
  return Buffer.concat([Buffer.from(`Subject: <${mark}>\r\n\r\n`), filler]);
}

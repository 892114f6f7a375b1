import type { Draw } from './draw.ts';

/** The unit that a disk writes completely or not at all. */
export const SECTOR_BYTES = 512;

/** A change that may not have reached the platter yet: the content after it, and the range of bytes it changed. */
interface Unsynced {
  readonly after: Buffer;
  readonly from: number;
  readonly to: number;
}

/** The bytes of a file in the page cache and on the platter. Contents are immutable. */
export interface Content {
  readonly cache: Buffer;
  readonly platter: Buffer;
  readonly unsynced: readonly Unsynced[];
}

export const EMPTY: Content = { cache: Buffer.alloc(0), platter: Buffer.alloc(0), unsynced: [] };

export function contentOf(bytes: Buffer): Content {
  return { cache: bytes, platter: bytes, unsynced: [] };
}

export function written(content: Content, bytes: Uint8Array, position: number): Content {
  const { cache } = content;
  const after = Buffer.alloc(Math.max(cache.length, position + bytes.length));
  after.set(cache);
  after.set(bytes, position);
  const from = Math.min(position, cache.length);
  return changed(content, { after, from, to: position + bytes.length });
}

export function truncated(content: Content, size: number): Content {
  const { cache } = content;
  if (size === cache.length) return content;
  const after = Buffer.alloc(size);
  cache.copy(after);
  return changed(content, { after, from: Math.min(size, cache.length), to: Math.max(size, cache.length) });
}

/**
 * Syncs a file: all changes since the last sync reach the platter. Changes that an earlier failed sync dropped do not.
 */
export function synced(content: Content): Content {
  const { cache, unsynced } = content;
  if (unsynced.length === 0) return content;
  return { cache, platter: compose(content, cache.length, (versions) => versions - 1), unsynced: [] };
}

/**
 * Fails a sync: some changes reach the platter, and all of them count as clean from now on. The page cache may still
 * show the lost ones.
 */
export function failedSync(content: Content, draw: Draw): Content {
  const platter = crashed(content, draw);
  return { cache: draw.chance(0.7) ? content.cache : platter, platter, unsynced: [] };
}

/**
 * Returns a content that a power cut may leave. Each sector, and the length, can have any state since the last sync.
 */
export function crashed(content: Content, draw: Draw): Buffer {
  const { platter, unsynced } = content;
  if (unsynced.length === 0) return platter;
  const kept = keeping(draw);
  const version = (versions: number) => (draw.chance(kept) ? versions - 1 : draw.int(versions + 1) - 1);
  const lengths = [platter.length, ...unsynced.map(({ after }) => after.length)];
  const chosen = version(unsynced.length);
  let length = lengths[chosen + 1] ?? platter.length;
  const next = lengths[chosen + 2] ?? length;
  // A long write can extend the file by a part of its length.
  if (next > length && draw.chance(0.3)) length = onSector(length + draw.int(next - length), length);
  return compose(content, length, kept === 0 ? () => -1 : version);
}

/** Draws the share of unsynced changes that survive: none, all, or some. */
export function keeping(draw: Draw): number {
  const policy = draw.int(4);
  if (policy === 0) return 0;
  return policy === 1 ? 1 : draw.next();
}

function onSector(length: number, least: number): number {
  return Math.max(least, length - (length % SECTOR_BYTES));
}

function changed(content: Content, change: Unsynced): Content {
  return { ...content, cache: change.after, unsynced: [...content.unsynced, change] };
}

/**
 * Returns the platter with one version of each sector. `choose` selects the change after which the sector is taken, or
 * -1 for none.
 */
function compose({ platter, unsynced }: Content, length: number, choose: (versions: number) => number): Buffer {
  const result = Buffer.alloc(length);
  platter.copy(result);
  for (let start = 0; start < length; start += SECTOR_BYTES) {
    const end = Math.min(start + SECTOR_BYTES, length);
    const touching = unsynced.filter(({ from, to }) => from < end && to > start);
    if (touching.length === 0) continue;
    const version = touching[choose(touching.length)];
    if (version === undefined) continue;
    result.fill(0, start, end);
    result.set(version.after.subarray(start, end), start);
  }
  return result;
}

import type { Draw } from './draw.ts';

/** What a disk writes whole or not at all. */
export const SECTOR_BYTES = 512;

/** One change that the platter may or may not have: the content after it, and the bytes it touched. */
interface Unsynced {
  readonly after: Buffer;
  readonly from: number;
  readonly to: number;
}

/** The bytes of a file, as the page cache and as the platter have them. A value: whoever holds it keeps it. */
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

/** What was written since the last sync is on the platter; what an earlier failed one dropped is not. */
export function synced(content: Content): Content {
  const { cache, unsynced } = content;
  if (unsynced.length === 0) return content;
  return { cache, platter: compose(content, cache.length, (versions) => versions - 1), unsynced: [] };
}

/**
 * A sync that failed: some of it reached the platter, and all of it counts as clean from now on. The page cache may go
 * on showing it.
 */
export function failedSync(content: Content, draw: Draw): Content {
  const platter = crashed(content, draw);
  return { cache: draw.chance(0.7) ? content.cache : platter, platter, unsynced: [] };
}

/** What a power cut may leave: of each sector any state it had since the last sync, of the length too. */
export function crashed(content: Content, draw: Draw): Buffer {
  const { platter, unsynced } = content;
  if (unsynced.length === 0) return platter;
  const kept = keeping(draw);
  const version = (versions: number) => (draw.chance(kept) ? versions - 1 : draw.int(versions + 1) - 1);
  const lengths = [platter.length, ...unsynced.map(({ after }) => after.length)];
  const chosen = version(unsynced.length);
  let length = lengths[chosen + 1] ?? platter.length;
  const next = lengths[chosen + 2] ?? length;
  // A long write may have got into the directory of blocks in part.
  if (next > length && draw.chance(0.3)) length = onSector(length + draw.int(next - length), length);
  return compose(content, length, kept === 0 ? () => -1 : version);
}

/** How much of what is not synced is there: nothing, everything, or something between. */
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

/** The platter, with each sector as it was after one of the changes that touched it; `choose` says which, -1 for none. */
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

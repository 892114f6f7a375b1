import { refuse } from '../../domain/errors.ts';
import type { Entry } from '../tables/tables-store.ts';
import { isNoSpace } from './room.ts';
import type { Segment, Segments } from './segments.ts';
import type { Position } from './snapshot.ts';

interface Piece {
  readonly segment: Segment;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly position: number;
}

/** What goes out together. */
interface Batch {
  readonly pieces: Piece[];
  readonly entries: Entry[];
  size: number;
  /** Whether it is to be synced: not while it holds pieces of blobs alone, which nothing refers to yet. */
  sync: boolean;
  /** Resolves when the batch is stored or has failed. */
  readonly done: Promise<void>;
  finish(): void;
}

function newBatch(): Batch {
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { pieces: [], entries: [], size: 0, sync: false, done, finish };
}

/** Hears what became of a batch. */
export interface Outcome {
  /** These are durable, and so is everything before `position`. Null where bytes were written alone, and nothing was synced. */
  stored(entries: readonly Entry[], position: Position | null): void;
  /** A batch failed: the segment that is written to takes nothing more. */
  broken(): void;
  /** None of these is durable, nor ever will be. */
  lost(entries: readonly Entry[], error: unknown): void;
  /** The disk refused, for this reason. Settles when what can be done about it at once is done. */
  refused(cause: unknown): Promise<void>;
  /** Writes down elsewhere how long each segment is: what stands behind that counts for nothing. */
  writeManifest(): Promise<void>;
}

/**
 * Whatever is enqueued in one turn of the event loop, and while the disk is busy with the last batch, goes out as one
 * write and is made durable by one sync. After a failure nothing is taken until what is on the disk is known again.
 */
export class GroupCommit {
  readonly #segments: Segments;
  readonly #durability: 'fsync' | 'os';
  readonly #outcome: Outcome;
  #filling = newBatch();
  #inFlight: Batch | null = null;
  #running = false;
  /** A batch failed, and those who had built on it are not undone yet. */
  #undoing = false;
  /** Segments with bytes that are written and not yet known to be safe, and where those end. */
  readonly #unsynced = new Map<Segment, number>();
  /** Those of them that were synced since, because the next one was begun. */
  readonly #syncedTo = new Map<Segment, number>();
  /** Segments that a failed write left something in that could not be cut off yet. */
  readonly #uncut = new Set<Segment>();
  /** A sync failed. The system may have dropped what it covered, and a later sync would not tell: no cut is believed without a manifest. */
  #distrusted = false;
  #mending: Promise<void> | null = null;

  constructor(segments: Segments, durability: 'fsync' | 'os', outcome: Outcome) {
    this.#segments = segments;
    this.#durability = durability;
    this.#outcome = outcome;
  }

  /** While this is true nothing may be enqueued. */
  get failed(): boolean {
    return this.#undoing || !this.isKnown;
  }

  /** True while the content of the disk is known. */
  get isKnown(): boolean {
    return this.#uncut.size === 0 && !this.#distrusted;
  }

  /** Bytes that wait for their turn. */
  get backlogBytes(): number {
    return this.#filling.size;
  }

  /** Appends bytes to a segment. */
  enqueue(segment: Segment, bytes: readonly Uint8Array[], size: number): void {
    this.#filling.pieces.push({ segment, bytes, size, position: segment.size });
    this.#filling.size += size;
    segment.size += size;
    if (!this.#running) void this.#run();
  }

  /** The batch is to be synced, and `entry`, where one is given, is told its outcome. */
  commit(entry?: Entry): void {
    this.#filling.sync = true;
    if (entry !== undefined) this.#filling.entries.push(entry);
  }

  /** Settles when the batch on its way is done: there is room again then. */
  async turn(): Promise<void> {
    await (this.#inFlight ?? this.#filling).done;
  }

  /** Settles once all that was enqueued so far is done. */
  async flushed(): Promise<void> {
    await (this.#filling.pieces.length > 0 ? this.#filling : this.#inFlight)?.done;
  }

  /** Those who had built on a failed batch are undone. */
  resume(): void {
    this.#undoing = false;
  }

  /** Tries to get to know again what is on the disk. Never throws: `isKnown` tells. */
  async mend(): Promise<void> {
    if (this.isKnown) return;
    this.#mending ??= this.#mend().finally(() => {
      this.#mending = null;
    });
    await this.#mending;
  }

  async #mend(): Promise<void> {
    // The newest first: a segment that another follows is taken to be whole.
    for (const segment of [...this.#uncut].sort((a, b) => b.number - a.number)) {
      try {
        await this.#segments.cutBack(segment);
        this.#uncut.delete(segment);
      } catch {
        this.#distrusted = true;
        break;
      }
    }
    if (!this.#distrusted) return;
    try {
      await this.#outcome.writeManifest();
      this.#distrusted = false;
      this.#uncut.clear();
    } catch {
      // Tried again before the next write.
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    // All of this turn of the event loop travels together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#filling.pieces.length > 0) {
      const batch = this.#filling;
      this.#inFlight = batch;
      this.#filling = newBatch();
      try {
        await this.#store(batch);
        this.#outcome.stored(batch.entries, batch.sync ? endOf(batch) : null);
      } catch (cause) {
        await this.#fail(batch, cause);
      }
      this.#inFlight = null;
      batch.finish();
    }
    this.#running = false;
  }

  async #store({ pieces, entries, sync }: Batch): Promise<void> {
    for (let at = 0; at < pieces.length; ) {
      const first = pieces[at];
      if (first === undefined) break;
      const run: Uint8Array[] = [];
      let end = first.position;
      for (let piece = pieces[at]; piece?.segment === first.segment; piece = pieces[++at]) {
        for (const part of piece.bytes) run.push(part);
        end += piece.size;
      }
      // A segment is whole on the disk before the next one is begun: what a power cut tears is at the end of the last alone.
      if (this.#durability === 'fsync') await this.#syncAllBut(first.segment);
      this.#unsynced.set(first.segment, end);
      await this.#segments.write(first.segment, joined(run, end - first.position), first.position);
    }
    if (!sync) return;
    const last = pieces.at(-1)?.segment ?? null;
    // What was moved must be safe before the place it was moved from goes; a closed segment is synced once, whatever the durability.
    const exempt = this.#durability === 'fsync' || entries.some(({ isUpkeep }) => isUpkeep) ? null : last;
    await this.#syncAllBut(exempt);
    for (const [segment, end] of this.#unsynced) {
      segment.durable = end;
      if (segment !== last) await this.#segments.seal(segment);
      if (segment !== exempt) this.#unsynced.delete(segment);
    }
    this.#syncedTo.clear();
  }

  async #syncAllBut(exempt: Segment | null): Promise<void> {
    try {
      for (const [segment, end] of this.#unsynced) {
        if (segment === exempt || this.#syncedTo.get(segment) === end) continue;
        await this.#segments.sync(segment);
        this.#syncedTo.set(segment, end);
      }
    } catch (error) {
      this.#distrusted = true;
      throw error;
    }
  }

  /** Nothing of the batch happened, nor of what was enqueued meanwhile. */
  async #fail(batch: Batch, cause: unknown): Promise<void> {
    this.#undoing = true;
    const meanwhile = this.#filling;
    this.#filling = newBatch();
    for (const segment of this.#unsynced.keys()) this.#uncut.add(segment);
    for (const { segment } of [...batch.pieces, ...meanwhile.pieces]) this.#uncut.add(segment);
    this.#unsynced.clear();
    this.#syncedTo.clear();
    for (const segment of this.#uncut) {
      segment.size = segment.durable;
      segment.isGivenUp = segment.durable === 0;
    }
    this.#outcome.broken();
    await this.#outcome.refused(cause);
    await this.mend();
    const code = isNoSpace(cause) ? 'disk_full' : 'storage_unavailable';
    this.#outcome.lost([...batch.entries, ...meanwhile.entries], refuse(code, undefined, { cause }));
    meanwhile.finish();
  }
}

/** Many small parts cost more to hand over than to copy, large ones the other way round. */
const COPY_BYTES = 4 * 1024;

function joined(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return bytes < parts.length * COPY_BYTES ? [Buffer.concat(parts, bytes)] : parts;
}

function endOf({ pieces }: Batch): Position {
  const last = pieces.at(-1);
  if (last === undefined) throw new Error('an empty batch');
  return { segment: last.segment.number, offset: last.position + last.size };
}

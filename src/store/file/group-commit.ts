import { refuse } from '../../domain/errors.ts';
import type { Entry } from '../tables/tables-store.ts';
import { isNoSpace } from './room.ts';
import type { Segment, Segments } from './segments.ts';
import type { Position } from './snapshot-document.ts';

interface Piece {
  readonly segment: Segment;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly position: number;
}

/** The bytes that are written together. */
interface Batch {
  readonly pieces: Piece[];
  readonly entries: Entry[];
  size: number;
  /**
   * Tells whether it must be synced. A batch with only pieces of blobs need not be, because no row refers to them yet.
   */
  sync: boolean;
  /** Resolves when the batch is stored or failed. */
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

/** The callbacks for the outcome of a batch. */
export interface CommitListener {
  /**
   * The entries are durable, and so is everything before `position`. Null means that bytes were written without a sync.
   */
  stored(entries: readonly Entry[], position: Position | null): void;
  /** A batch failed. The active segment accepts nothing more. */
  broken(): void;
  /** The entries are not durable and never will be. */
  lost(entries: readonly Entry[], error: unknown): void;
  /** The disk refused a write. It settles once the immediate remedies are done. */
  refused(cause: unknown): Promise<void>;
  /** Records the valid length of each segment in the snapshot. Bytes beyond it do not count. */
  writeManifest(): Promise<void>;
}

/**
 * Group commit: all entries of one event-loop iteration, and those that arrive while the disk is busy, share one write
 * and one sync. After a failure it accepts nothing until the content of the disk is known again.
 */
export class GroupCommit {
  readonly #segments: Segments;
  readonly #durability: 'fsync' | 'os';
  readonly #outcome: CommitListener;
  #filling = newBatch();
  #inFlight: Batch | null = null;
  #running = false;
  /** Tells whether a batch failed and the transactions that depend on it are not undone yet. */
  #undoing = false;
  /** The segments with bytes that are written but not synced, with the end of these bytes. */
  readonly #unsynced = new Map<Segment, number>();
  /** The unsynced segments that were synced before their batch ended, because the next segment was started. */
  readonly #syncedTo = new Map<Segment, number>();
  /** The segments with remains of a failed write that could not be cut off yet. */
  readonly #uncut = new Set<Segment>();
  /**
   * Tells whether a sync failed. The system may have dropped the bytes, and a later sync would not report it. Then the
   * lengths of the segments count only after a manifest is written.
   */
  #distrusted = false;
  #mending: Promise<void> | null = null;

  constructor(segments: Segments, durability: 'fsync' | 'os', outcome: CommitListener) {
    this.#segments = segments;
    this.#durability = durability;
    this.#outcome = outcome;
  }

  /** Tells whether nothing may be enqueued now. */
  get failed(): boolean {
    return this.#undoing || !this.isKnown;
  }

  /** Tells whether the content of the disk is known. */
  get isKnown(): boolean {
    return this.#uncut.size === 0 && !this.#distrusted;
  }

  /** The number of queued bytes. */
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

  /** Marks the current batch for a sync. `entry`, if given, gets its outcome. */
  commit(entry?: Entry): void {
    this.#filling.sync = true;
    if (entry !== undefined) this.#filling.entries.push(entry);
  }

  /** Waits for the running batch, which makes room for more. */
  async turn(): Promise<void> {
    await (this.#inFlight ?? this.#filling).done;
  }

  /** Waits until everything enqueued so far is done. */
  async flushed(): Promise<void> {
    await (this.#filling.pieces.length > 0 ? this.#filling : this.#inFlight)?.done;
  }

  /** Accepts entries again. The caller has undone the transactions that depended on the failed batch. */
  resume(): void {
    this.#undoing = false;
  }

  /** Tries to bring the disk back to a known state. It never throws; `isKnown` tells the result. */
  async mend(): Promise<void> {
    if (this.isKnown) return;
    this.#mending ??= this.#mend().finally(() => {
      this.#mending = null;
    });
    await this.#mending;
  }

  async #mend(): Promise<void> {
    // The newest comes first, because a segment with a successor counts as complete.
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
      // The next write tries again.
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Collects everything of this event-loop iteration.
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
      // A segment is synced before the next one starts. A power cut can thus tear only the end of the last one.
      if (this.#durability === 'fsync') await this.#syncAllBut(first.segment);
      this.#unsynced.set(first.segment, end);
      await this.#segments.write(first.segment, joined(run, end - first.position), first.position);
    }
    if (!sync) return;
    const last = pieces.at(-1)?.segment ?? null;
    // Moved rows must be safe before their old place is freed. A closed segment is synced once under every durability
    // setting.
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

  /** Rolls back a failed batch and everything enqueued meanwhile. */
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

/**
 * The average part size in bytes below which parts are joined. Many small parts cost more to pass to the system than to
 * copy.
 */
const COPY_BYTES = 4 * 1024;

function joined(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return bytes < parts.length * COPY_BYTES ? [Buffer.concat(parts, bytes)] : parts;
}

function endOf({ pieces }: Batch): Position {
  const last = pieces.at(-1);
  if (last === undefined) throw new Error('an empty batch');
  return { segment: last.segment.number, offset: last.position + last.size };
}

import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import { wholeOf } from '../concat.ts';
import { type Extent, readRef, writeRef } from '../tables/blob-ref.ts';
import type { CommitLog } from './commit.ts';
import { BlobGone } from './errors.ts';
import { KIND } from './segment-format.ts';
import type { BlobPins, Segments } from './segments.ts';

/** The size in bytes of the records into which a blob of unknown length is split. */
const CHUNK_BYTES = 128 * 1024;

/** The blobs in the log. They are written with the batches of transactions. */
export class FileBlobs implements Blobs {
  readonly #log: CommitLog;
  readonly #segments: Segments;
  readonly #pins: BlobPins;
  readonly #moves = new Map<BlobRef, BlobRef>();

  constructor(log: CommitLog, segments: Segments, pins: BlobPins) {
    this.#log = log;
    this.#segments = segments;
    this.#pins = pins;
  }

  async put(part: Uint8Array): Promise<BlobRef> {
    if (this.#log.isInDoubt) await this.#log.recheck();
    const extents = [{ ...this.#log.append(KIND.blob, [part], false), length: part.length }];
    const ref = writeRef(extents);
    this.#pins.hold(ref, extents);
    return ref;
  }

  writer(): BlobWriter {
    return this.#writer(false);
  }

  /** Opens a writer for copies that free space. It may use the room reserved for removals. */
  copyWriter(): BlobWriter {
    return this.#writer(true);
  }

  #writer(makesRoom: boolean): BlobWriter {
    const extents: Extent[] = [];
    let chunks: Uint8Array[] = [];
    let size = 0;
    const flush = () => {
      const extent = { ...this.#log.append(KIND.blob, chunks, makesRoom), length: size };
      this.#pins.pin(extent);
      extents.push(extent);
      chunks = [];
      size = 0;
    };
    const unpin = () => {
      for (const extent of extents) this.#pins.unpin(extent);
    };
    return {
      write: async (chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < CHUNK_BYTES) return;
        if (!makesRoom && this.#log.isInDoubt) await this.#log.recheck();
        flush();
        await this.#log.drained();
      },
      finish: async () => {
        if (!makesRoom && this.#log.isInDoubt) await this.#log.recheck();
        if (size > 0 || extents.length === 0) flush();
        const ref = writeRef(extents);
        this.#pins.hold(ref, [...extents]);
        unpin();
        return ref;
      },
      abort: () => {
        unpin();
        extents.length = 0;
        chunks = [];
        size = 0;
      },
    };
  }

  /** Discards blobs. Their bytes become dead, and a later reclaim frees their segment. */
  discard(refs: readonly BlobRef[]): void {
    this.#pins.release(refs);
  }

  read(ref: BlobRef): Promise<Buffer> {
    return wholeOf(this.stream(ref));
  }

  readSmall(refs: readonly BlobRef[]): Promise<(Buffer | null)[]> {
    return this.#segments.readSmall(refs.map((ref) => readRef(this.#whereabouts(ref))));
  }

  async *stream(ref: BlobRef): AsyncGenerator<Buffer> {
    for (let done = 0, current = this.#whereabouts(ref); ; ) {
      try {
        for await (const piece of this.#segments.read(readRef(current), done)) {
          done += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        // The blob moved during the read, so the rest comes from the copy.
        const moved = this.#whereabouts(ref);
        if (!(error instanceof BlobGone) || moved === current) throw error;
        current = moved;
      }
    }
  }

  #whereabouts(ref: BlobRef): BlobRef {
    let current = ref;
    for (let next = this.#moves.get(ref); next !== undefined; next = this.#moves.get(next)) current = next;
    return current;
  }

  /** Records that a blob has a durable copy. Readers with the old row find it until the next reclaim. */
  moved(from: BlobRef, to: BlobRef): void {
    this.#moves.set(from, to);
  }

  forgetMoves(): void {
    this.#moves.clear();
  }
}

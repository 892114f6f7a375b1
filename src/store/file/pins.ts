import type { BlobRef } from '../../domain/message.ts';
import type { Extent } from './extent.ts';

/** The segments with bytes to which no durable row refers yet. They must not be reclaimed. */
export class Pins {
  readonly #counts = new Map<number, number>();
  readonly #loose = new Map<BlobRef, readonly Extent[]>();

  has(segment: number): boolean {
    return this.#counts.has(segment);
  }

  /** Pins a complete blob until its transaction is decided. */
  hold(ref: BlobRef, extents: readonly Extent[]): void {
    this.#loose.set(ref, extents);
    for (const extent of extents) this.pin(extent);
  }

  /** Releases a blob whose transaction is durable or failed. */
  release(ref: BlobRef): void {
    const extents = this.#loose.get(ref);
    if (extents === undefined) return;
    this.#loose.delete(ref);
    for (const extent of extents) this.unpin(extent);
  }

  /** Pins a piece of a blob that is still being written. */
  pin({ segment }: Extent): void {
    this.#counts.set(segment, (this.#counts.get(segment) ?? 0) + 1);
  }

  unpin({ segment }: Extent): void {
    const count = (this.#counts.get(segment) ?? 0) - 1;
    if (count > 0) this.#counts.set(segment, count);
    else this.#counts.delete(segment);
  }
}

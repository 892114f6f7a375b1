import type { BlobRef } from '../domain/message.ts';
import type { Blobs, BlobWriter, Store } from '../ports/store.ts';
import { blobsOf } from './tables/blobs.ts';
import { type Change, type Put, State } from './tables/state.ts';
import { type Entry, type Journal, type Ledger, TablesStore } from './tables/tables-store.ts';

/** A store that nothing outlives: the reference, and `--ephemeral`. */
export function memoryStore(): Store {
  const blobs = new MemoryBlobs();
  const store = new TablesStore(new State(), new State(), (change, undo) => blobs.follow(change, undo));
  return store.attach(new MemoryJournal(store, blobs));
}

/** Nothing to wait for: what is taken is committed. */
class MemoryJournal implements Journal {
  readonly blobs: Blobs;
  readonly health = 'ok';
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, blobs: Blobs) {
    this.#ledger = ledger;
    this.blobs = blobs;
  }

  append(entry: Entry): void {
    this.#ledger.committed([entry]);
  }

  async flushed(): Promise<void> {}

  resume(): void {}

  async reclaim(): Promise<void> {}

  async close(): Promise<void> {}
}

/** Bytes by reference, freed when the last row that refers to them is gone. */
class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<BlobRef, { readonly parts: readonly Buffer[]; references: number }>();
  #next = 0;

  async put(part: Uint8Array): Promise<BlobRef> {
    return this.#keep([Buffer.from(part)]);
  }

  writer(): BlobWriter {
    const parts: Buffer[] = [];
    return {
      write: async (chunk) => void parts.push(Buffer.from(chunk)),
      finish: async () => this.#keep(parts),
      abort: () => void parts.splice(0),
    };
  }

  discard(refs: readonly BlobRef[]): void {
    for (const ref of refs) if (this.#blobs.get(ref)?.references === 0) this.#blobs.delete(ref);
  }

  async read(ref: BlobRef): Promise<Buffer> {
    return Buffer.concat(this.#partsOf(ref));
  }

  async *stream(ref: BlobRef): AsyncGenerator<Buffer> {
    yield* this.#partsOf(ref);
  }

  follow(change: Change, undo: readonly Change[]): void {
    if (change[0] === 'put') this.#count(change, 1);
    for (const old of undo) if (old[0] === 'put') this.#count(old, -1);
  }

  #count(put: Put, by: number): void {
    for (const ref of blobsOf(put)) {
      const blob = this.#blobs.get(ref);
      if (blob === undefined) continue;
      blob.references += by;
      if (blob.references === 0) this.#blobs.delete(ref);
    }
  }

  #keep(parts: readonly Buffer[]): BlobRef {
    // A reference is made here and in the file log alone.
    const ref = String(this.#next++) as BlobRef;
    this.#blobs.set(ref, { parts, references: 0 });
    return ref;
  }

  #partsOf(ref: BlobRef): readonly Buffer[] {
    const blob = this.#blobs.get(ref);
    if (blob === undefined) throw new Error('the blob is gone');
    return blob.parts;
  }
}

import type { BlobRef } from '../domain/message.ts';
import type { Blobs, BlobWriter, Store } from '../ports/store.ts';
import { blobsOf } from './tables/blobs.ts';
import { CommittedState, type GoneRow } from './tables/committed-state.ts';
import type { Change } from './tables/state.ts';
import { type Entry, type Journal, type Ledger, TablesStore } from './tables/tables-store.ts';

/** A store that nothing outlives: the reference, and `--ephemeral`. */
export function memoryStore(): Store {
  const blobs = new MemoryBlobs();
  const committed = new CommittedState();
  const store = new TablesStore(committed, (change, home) => {
    // First what comes: a row put in place of another may keep its bytes.
    blobs.taken(change);
    committed.apply(change, home, (row) => blobs.gone(row));
  });
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

  async recheck(): Promise<void> {}

  async makeReady(): Promise<void> {}

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

  taken(change: Change): void {
    if (change[0] === 'put') this.#count(blobsOf(change), 1);
  }

  gone({ blobs }: GoneRow): void {
    this.#count(blobs, -1);
  }

  #count(refs: readonly BlobRef[], by: 1 | -1): void {
    for (const ref of refs) {
      const blob = this.#blobs.get(ref);
      if (blob === undefined) continue;
      blob.references += by;
      if (blob.references === 0) this.#blobs.delete(ref);
    }
  }

  #keep(parts: readonly Buffer[]): BlobRef {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    // A reference is made here and in the file log alone; in one form, which messages are packed with.
    const ref = `0.${this.#next++}.${length}` as BlobRef;
    this.#blobs.set(ref, { parts, references: 0 });
    return ref;
  }

  #partsOf(ref: BlobRef): readonly Buffer[] {
    const blob = this.#blobs.get(ref);
    if (blob === undefined) throw new Error('the blob is gone');
    return blob.parts;
  }
}

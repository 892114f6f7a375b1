import type { BlobRef } from '../domain/message.ts';
import type { Blobs, BlobWriter, Store } from '../ports/store.ts';
import type { Log as Logger } from '../ports/system.ts';
import { concatPieces } from './concat.ts';
import { CommittedState } from './tables/committed-state.ts';
import { blobsOf, type Change, type GoneRow } from './tables/state.ts';
import { Transactions } from './tables/transactions.ts';
import { type LibraryCalls, StoreTexts } from './texts/message-texts.ts';
import { MEMORY_STORE } from './texts/shelf.ts';
import { type TextPlace, TextThread } from './texts/text-thread.ts';

const SILENT = { warn: () => {} };
/** The position of the record of a row that is in no log. */
const NOWHERE = { segment: 0, offset: 0 };

/**
 * Creates a store in memory. It is the reference implementation and serves `--ephemeral`. `startTexts` starts the library
 * of the prepared texts: a thread, unless a test takes its place.
 */
export function memoryStore(
  logger: Pick<Logger, 'warn'> = SILENT,
  startTexts: (place: TextPlace) => LibraryCalls = (place) => new TextThread(place),
): Store {
  const blobs = new MemoryBlobs();
  const committed = new CommittedState();
  const transactions = new Transactions(committed, (change, home) => {
    // The references of the new row are counted first, because it may keep blobs of the row that it replaces.
    blobs.taken(change);
    committed.apply(change, home, (row) => blobs.gone(row));
  });
  const texts = new StoreTexts({
    state: committed,
    hasTexts: async () => false,
    start: () => startTexts({ directory: null, store: MEMORY_STORE }),
    logger,
  });
  committed.onRemovedMessage = (id) => texts.removed(id);
  return {
    read: transactions.read,
    readNow: () => transactions.readNow(),
    get blobs() {
      transactions.checkOpen();
      return blobs;
    },
    texts,
    health: 'ok',
    transaction: async (body) => {
      const { result } = await transactions.run(body, (writes) => transactions.publish([{ writes, home: NOWHERE }]));
      return result;
    },
    onCommit: (listener) => transactions.onCommit(listener),
    reclaim: () => texts.reclaim(),
    close: async () => {
      await transactions.close();
      await texts.close();
    },
  };
}

/** The blobs in memory. A blob is freed when the last row that refers to it is removed. */
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
    return concatPieces(this.#partsOf(ref));
  }

  async readSmall(refs: readonly BlobRef[]): Promise<(Buffer | null)[]> {
    return refs.map((ref) => {
      const parts = this.#blobs.get(ref)?.parts;
      return parts === undefined ? null : Buffer.concat(parts);
    });
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
    // The cast is safe: only this function and the file log create references, in the one form with which messages are
    // packed.
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

import type { BlobRef } from '../../src/domain/message.ts';
import type { BlobWriter, Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory.ts';

/** A store whose writes a test can delay or fail. */
export interface SteeredStore {
  readonly store: Store;
  /** Called before each write of this kind. If it rejects, the store throws the same error. */
  before: Partial<Record<'put' | 'write' | 'finish' | 'transaction', () => Promise<void>>>;
  /** Counts of writers: opened, aborted before and after their end, and the largest block that one received. */
  readonly writers: { opened: number; aborted: number; discarded: number; largestBlock: number };
}

export function steeredStore(): SteeredStore {
  const inner = memoryStore();
  const writers = { opened: 0, aborted: 0, discarded: 0, largestBlock: 0 };
  const written = new Set<BlobRef>();
  const steered: SteeredStore = {
    before: {},
    writers,
    store: {
      read: inner.read,
      texts: inner.texts,
      readNow: () => inner.readNow(),
      health: 'ok',
      blobs: {
        writer: () => {
          writers.opened++;
          return steer(inner.blobs.writer());
        },
        async put(part) {
          await steered.before.put?.();
          return inner.blobs.put(part);
        },
        discard(refs) {
          if (refs.some((ref) => written.has(ref))) writers.discarded++;
          inner.blobs.discard(refs);
        },
        read: (ref) => inner.blobs.read(ref),
        readSmall: (refs) => inner.blobs.readSmall(refs),
        stream: (ref) => inner.blobs.stream(ref),
      },
      async transaction(body) {
        await steered.before.transaction?.();
        return inner.transaction(body);
      },
      onCommit: (listener) => inner.onCommit(listener),
      reclaim: () => inner.reclaim(),
      close: () => inner.close(),
    },
  };

  function steer(writer: BlobWriter): BlobWriter {
    return {
      async write(chunk) {
        writers.largestBlock = Math.max(writers.largestBlock, chunk.length);
        await steered.before.write?.();
        await writer.write(chunk);
      },
      async finish() {
        await steered.before.finish?.();
        const ref = await writer.finish();
        written.add(ref);
        return ref;
      },
      abort() {
        writers.aborted++;
        writer.abort();
      },
    };
  }
  return steered;
}

/** Creates a gate that the test opens later. */
export function gate(): { readonly passed: () => Promise<void>; readonly waiting: Promise<void>; open(): void } {
  let open = () => {};
  let arrived = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const passed = () => {
    arrived();
    return opened;
  };
  return { passed, waiting, open: () => open() };
}

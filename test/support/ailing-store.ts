import { refuse } from '../../src/domain/errors.ts';
import type { Store, StoreHealth } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory.ts';

/**
 * A store that a test can make unhealthy. It still reads, and it refuses writes for the reason that its health gives.
 */
export interface AilingStore {
  readonly store: Store;
  health: StoreHealth;
}

export function ailingStore(): AilingStore {
  const inner = memoryStore();
  const { blobs } = inner;
  const refuseIfIll = () => {
    if (ailing.health === 'ok') return;
    throw refuse(ailing.health === 'disk_full' ? 'disk_full' : 'storage_unavailable');
  };
  const ailing: AilingStore = {
    health: 'ok',
    store: {
      read: inner.read,
      texts: inner.texts,
      readNow: () => inner.readNow(),
      get health() {
        return ailing.health;
      },
      blobs: {
        writer: () => {
          const writer = blobs.writer();
          return {
            write: async (chunk) => {
              refuseIfIll();
              await writer.write(chunk);
            },
            finish: async () => {
              refuseIfIll();
              return writer.finish();
            },
            abort: () => writer.abort(),
          };
        },
        put: async (part) => {
          refuseIfIll();
          return blobs.put(part);
        },
        discard: (refs) => blobs.discard(refs),
        read: (ref) => blobs.read(ref),
        readSmall: (refs) => blobs.readSmall(refs),
        stream: (ref) => blobs.stream(ref),
      },
      transaction: async (body) => {
        refuseIfIll();
        return inner.transaction(body);
      },
      onCommit: (listener) => inner.onCommit(listener),
      reclaim: () => inner.reclaim(),
      close: () => inner.close(),
    },
  };
  return ailing;
}

import { expect, test } from 'vitest';
import type { BlobRef } from '../../src/domain/message.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { startServer } from '../support/mailcap.ts';
import { eventually, sendMail } from '../support/outbound.ts';

interface Troubled {
  readonly store: Store;
  /** If true, the next transaction that updates a send is rolled back after its body ran, as on a full disk. */
  failing: boolean;
  /** Returns blobs that were stored and not released, and to which no row refers. */
  leaked(): BlobRef[];
}

function troubled(): Troubled {
  const inner = memoryStore();
  const held = new Set<BlobRef>();
  const { blobs } = inner;
  const steered: Troubled = {
    failing: false,
    leaked: () => [...held],
    store: {
      read: inner.read,
      texts: inner.texts,
      readNow: () => inner.readNow(),
      health: 'ok',
      blobs: {
        writer: () => blobs.writer(),
        put: async (part) => {
          const ref = await blobs.put(part);
          held.add(ref);
          return ref;
        },
        discard: (refs) => {
          for (const ref of refs) held.delete(ref);
          blobs.discard(refs);
        },
        read: (ref) => blobs.read(ref),
        readSmall: (refs) => blobs.readSmall(refs),
        stream: (ref) => blobs.stream(ref),
      },
      transaction: (body) =>
        inner.transaction(async (tx) => {
          const used: BlobRef[] = [];
          let updated = false;
          const result = await body({
            ...tx,
            messages: {
              ...tx.messages,
              insert: (message) => {
                used.push(message.raw, message.facts);
                return tx.messages.insert(message);
              },
              insertOwn: (message) => {
                used.push(message.raw, message.facts);
                return tx.messages.insertOwn(message);
              },
            },
            sends: {
              ...tx.sends,
              update: (id, fields) => {
                updated = true;
                return tx.sends.update(id, fields);
              },
            },
          });
          if (updated && steered.failing) {
            steered.failing = false;
            throw new Error('the disk is full');
          }
          for (const ref of used) held.delete(ref);
          return result;
        }),
      onCommit: (listener) => inner.onCommit(listener),
      reclaim: () => inner.reclaim(),
      close: () => inner.close(),
    },
  };
  return steered;
}

test.for(['someone@inbox', 'bounce@simulator', 'complaint@simulator'])(
  'the copy of a delivery to %s that could not be recorded is dropped',
  async (name) => {
    const steered = troubled();
    await using server = await startServer({ outboundEnabled: true, overrides: { store: steered.store } });
    steered.failing = true;
    const { outboundSendId } = await sendMail(server, server.mailboxId, { to: `${name}.${server.mailDomain}` });
    await eventually(server, outboundSendId);
    expect(steered.failing).toBe(false);
    expect(steered.leaked()).toEqual([]);
  },
);

import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { MessageId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { SEARCH_FIELDS, type SearchDocument } from '../../src/domain/search/document.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Driver } from '../../src/store/postgres/connection.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore, SCHEMA } from '../../src/store/postgres/store.ts';
import { aMessage, NOON, ulidAt } from '../store/rows.ts';

/** Opens a store in the process of the test, and returns its warnings too. `wrap` may change its driver. */
export async function openStore(
  url: string,
  wrap = (driver: Driver): Driver => driver,
): Promise<{ readonly store: Store; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const store = await openPostgresStore(
    {
      driver: wrap(await pgDriver(url, SCHEMA, 'test')),
      clock: systemClock(),
      random: nodeRandom,
      mutex: createKeyedMutex(),
    },
    { error: warn, warn, info() {}, debug() {} },
  );
  return { store, warnings };
}

/** Stores messages, and returns their ids, the oldest first. */
export async function fill(store: Store, { id: mailboxId, workspaceId }: Mailbox, count: number): Promise<MessageId[]> {
  const [raw, facts] = [await store.blobs.put(Buffer.from('mail')), await store.blobs.put(Buffer.from('{}'))];
  const ids = Array.from({ length: count }, () => ulidAt<MessageId>(NOON));
  await store.transaction(async (tx) => {
    for (const id of ids) await tx.messages.insert(aMessage({ id, workspaceId, mailboxId, raw, facts }));
  });
  return ids;
}

/** Prepares the texts of messages. The first is `common needle0. text`. */
export async function prepare(
  store: Store,
  ids: readonly MessageId[],
  { hasCode = () => false }: { readonly hasCode?: (at: number) => boolean } = {},
): Promise<void> {
  await store.texts.add(ids.map((id, at) => ({ id, document: documentWith(`common needle${at}. text`, hasCode(at)) })));
}

function documentWith(body: string, hasCode: boolean): SearchDocument {
  const all = SEARCH_FIELDS.map((field) => [field, field === 'body' ? [body] : []]);
  // The cast is safe: every field has its texts.
  const texts = Object.fromEntries(all) as SearchDocument['texts'];
  return { texts, hasCode, hasLink: false, hasInline: false, hasHtml: false };
}

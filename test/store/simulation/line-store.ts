import { createHash } from 'node:crypto';
import { refuse } from '../../../src/domain/errors.ts';
import type { BlobRef } from '../../../src/domain/message.ts';
import type { Disk, DiskFile } from '../../../src/ports/storage.ts';
import type { Blobs, MessageTexts, Reader, Store } from '../../../src/ports/store.ts';
import { CommittedState } from '../../../src/store/tables/committed-state.ts';
import { blobsOf, type Change } from '../../../src/store/tables/state.ts';
import { Transactions, type TransactionWrites } from '../../../src/store/tables/transactions.ts';

const PATH = '/data/lines';
const NOWHERE = { segment: 0, offset: 0 };

/** The content of a line: the changes, and the bytes that it refers to for the first time. */
interface Line {
  readonly changes: readonly Change[];
  readonly blobs: readonly (readonly [BlobRef, string])[];
}

/**
 * The simplest correct store, for testing the simulation itself. It writes and syncs one line with a checksum for each
 * transaction, including its bytes. After a refusal it accepts nothing more.
 */
export async function openLineStore(disk: Disk): Promise<Store> {
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  const isNew = (await disk.stat(PATH)) === null;
  const file = await disk.open(PATH, isNew ? 'replace' : 'update');
  const { lines, end } = wholeLines(await readAll(file));
  const state = new CommittedState();
  const bytes = new LineBlobs();
  for (const text of lines) {
    // The checksum proves that this store wrote the line.
    const { changes, blobs } = JSON.parse(text) as Line;
    for (const [ref, content] of blobs) bytes.restore(ref, content);
    for (const change of changes) state.apply(change, NOWHERE, () => {});
  }
  await file.truncate(end);
  await file.sync();
  await disk.syncDirectory('/data');
  const transactions = new Transactions(state, (change) => state.apply(change, NOWHERE, () => {}));
  const write = writerOf(file, end, transactions, bytes);
  return {
    read: transactions.read,
    readNow: () => transactions.readNow(),
    blobs: bytes,
    texts: noTexts(transactions.read),
    health: 'ok',
    transaction: async (body) => {
      const { result, accepted } = await transactions.run(body, (writes) => ({ settled: write(writes) }));
      await accepted.settled;
      return result;
    },
    onCommit: (listener) => transactions.onCommit(listener),
    reclaim: async () => {},
    close: async () => {
      await transactions.close();
      await write(null);
      await file.close();
    },
  };
}

/** Returns a function that writes one transaction after the other. */
function writerOf(
  file: DiskFile,
  start: number,
  transactions: Transactions,
  blobs: LineBlobs,
): (writes: TransactionWrites | null) => Promise<void> {
  let end = start;
  let failed = false;
  let tail: Promise<void> = Promise.resolve();
  const write = async (writes: TransactionWrites) => {
    const line = lineOf({ changes: writes.changes, blobs: blobs.newIn(writes.changes) });
    try {
      if (failed) throw refuse('storage_unavailable');
      for (let at = 0; at < line.length; ) at += await file.write([line.subarray(at)], end + at);
      await file.sync();
      end += line.length;
      transactions.publish([{ writes, home: NOWHERE }]);
    } catch (cause) {
      if (!failed) await takeBack(file, end);
      failed = true;
      await transactions.undo([writes], () => {});
      throw refuse('storage_unavailable', undefined, { cause });
    }
  };
  return (writes) => {
    // What only read waits until it is durable.
    if (writes === null || writes.changes.length === 0) return tail;
    if (failed) throw refuse('storage_unavailable');
    const written = tail.then(() => write(writes));
    tail = written.catch(() => {});
    return written;
  };
}

function lineOf(line: Line): Buffer {
  const json = Buffer.from(JSON.stringify(line));
  return Buffer.concat([Buffer.from(`${sumOf(json)} `), json, Buffer.from('\n')]);
}

/** Overwrites a refused line until the zeros are on the platter, so that it cannot reappear. */
async function takeBack(file: DiskFile, end: number): Promise<void> {
  const { size } = await file.facts();
  const zeros = Buffer.alloc(Math.max(64, size - end));
  for (let tries = 0; tries < 1_000; tries++) {
    try {
      for (let at = 0; at < zeros.length; ) at += await file.write([zeros.subarray(at)], end + at);
      await file.truncate(end);
      return await file.sync();
    } catch {
      // The loop tries again. The store acknowledges nothing until the overwrite succeeds.
    }
  }
}

async function readAll(file: DiskFile): Promise<Buffer> {
  const bytes = Buffer.alloc((await file.facts()).size);
  for (let at = 0; at < bytes.length; ) at += await file.read(bytes.subarray(at), at);
  return bytes;
}

function wholeLines(bytes: Buffer): { lines: string[]; end: number } {
  const lines: string[] = [];
  let end = 0;
  for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
    const json = bytes.subarray(end + 33, next);
    if (bytes.toString('latin1', end, end + 32) !== sumOf(json)) break;
    lines.push(json.toString());
    end = next + 1;
  }
  return { lines, end };
}

function sumOf(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Keeps bytes in memory. Each line contains the bytes that no earlier line has. */
class LineBlobs implements Blobs {
  readonly #bytes = new Map<BlobRef, Buffer>();
  readonly #written = new Set<BlobRef>();
  #next = 0;

  async put(part: Uint8Array): Promise<BlobRef> {
    // The reference has the format that the tables can pack.
    const ref = `0.${this.#next++}.${part.length}` as BlobRef;
    this.#bytes.set(ref, Buffer.from(part));
    return ref;
  }

  writer(): ReturnType<Blobs['writer']> {
    const chunks: Uint8Array[] = [];
    return {
      write: async (chunk) => void chunks.push(chunk),
      finish: () => this.put(Buffer.concat(chunks)),
      abort: () => {},
    };
  }

  discard(): void {}

  async read(ref: BlobRef): Promise<Buffer> {
    const bytes = this.#bytes.get(ref);
    if (bytes === undefined) throw new Error('the blob is gone');
    return bytes;
  }

  async readSmall(refs: readonly BlobRef[]): Promise<(Buffer | null)[]> {
    return refs.map((ref) => this.#bytes.get(ref) ?? null);
  }

  async *stream(ref: BlobRef): AsyncGenerator<Buffer> {
    yield await this.read(ref);
  }

  restore(ref: BlobRef, content: string): void {
    this.#bytes.set(ref, Buffer.from(content, 'base64'));
    this.#written.add(ref);
    this.#next = Math.max(this.#next, Number(ref.split('.')[1]) + 1);
  }

  newIn(changes: readonly Change[]): Line['blobs'] {
    const refs = changes.flatMap((change) => (change[0] === 'put' ? blobsOf(change) : []));
    const fresh = [...new Set(refs)].filter((ref) => !this.#written.has(ref));
    for (const ref of fresh) this.#written.add(ref);
    return fresh.map((ref) => [ref, this.#bytes.get(ref)?.toString('base64') ?? '']);
  }
}

/** Creates prepared texts for a store that keeps none, so that searches read the mails themselves. */
function noTexts(read: Pick<Reader, 'counts'>): MessageTexts {
  return {
    missing: async () => [],
    add: async () => {},
    async *find() {
      yield { downTo: null, found: null };
    },
    progress: async () => ({ prepared: 0, missing: (await read.counts()).messages }),
  };
}

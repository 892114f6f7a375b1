import { createHash } from 'node:crypto';
import { refuse } from '../../../src/domain/errors.ts';
import type { BlobRef } from '../../../src/domain/message.ts';
import type { Disk, DiskFile } from '../../../src/ports/disk.ts';
import type { Blobs, Store } from '../../../src/ports/store.ts';
import { type Change, State } from '../../../src/store/tables/state.ts';
import { type Entry, type Journal, TablesStore } from '../../../src/store/tables/tables-store.ts';

const PATH = '/data/lines';

/**
 * The simplest store that keeps its promises, to try the simulation itself on: a line for each transaction with its
 * checksum, written and synced one after the other; bytes stand in the rows. After a refusal it takes nothing more.
 */
export async function openLineStore(disk: Disk): Promise<Store> {
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  const isNew = (await disk.stat(PATH)) === null;
  const file = await disk.open(PATH, isNew ? 'replace' : 'update');
  const { lines, end } = wholeLines(await readAll(file));
  const [committed, working] = [new State(), new State()];
  for (const line of lines) {
    // The checksum says that this store wrote it.
    for (const change of JSON.parse(line) as Change[]) {
      committed.apply(change);
      working.apply(change);
    }
  }
  await file.truncate(end);
  await file.sync();
  await disk.syncDirectory('/data');
  const store = new TablesStore(committed, working, () => {});
  return store.attach(journalOn(file, end, store));
}

function journalOn(file: DiskFile, start: number, store: TablesStore): Journal {
  let end = start;
  let failed = false;
  let tail: Promise<void> = Promise.resolve();
  const write = async (entry: Entry) => {
    const json = Buffer.from(JSON.stringify(entry.changes));
    const line = Buffer.concat([Buffer.from(`${sumOf(json)} `), json, Buffer.from('\n')]);
    try {
      if (failed) throw refuse('storage_unavailable');
      for (let at = 0; at < line.length; ) at += await file.write([line.subarray(at)], end + at);
      await file.sync();
      end += line.length;
      store.committed([entry]);
    } catch (cause) {
      if (!failed) await takeBack(file, end);
      failed = true;
      store.failed([entry], refuse('storage_unavailable', undefined, { cause }));
    }
  };
  return {
    blobs: BLOBS,
    append: (entry) => {
      if (failed) throw refuse('storage_unavailable');
      tail = tail.then(() => write(entry));
    },
    flushed: () => tail,
    resume: () => {},
    reclaim: async () => {},
    close: async () => {
      await tail;
      await file.close();
    },
  };
}

/** What was refused is not to come back: it is overwritten, on the platter too, however often that takes. */
async function takeBack(file: DiskFile, end: number): Promise<void> {
  const { size } = await file.facts();
  const zeros = Buffer.alloc(Math.max(64, size - end));
  for (let tries = 0; tries < 1_000; tries++) {
    try {
      for (let at = 0; at < zeros.length; ) at += await file.write([zeros.subarray(at)], end + at);
      await file.truncate(end);
      return await file.sync();
    } catch {
      // Tried again: nothing is acknowledged before it went well.
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

// A reference of this store is the bytes themselves.
const refOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64') as BlobRef;

const BLOBS: Blobs = {
  writer: () => {
    const chunks: Uint8Array[] = [];
    return {
      write: async (chunk) => void chunks.push(chunk),
      finish: async () => refOf(Buffer.concat(chunks)),
      abort: () => {},
    };
  },
  put: async (parts) => parts.map(refOf),
  discard: () => {},
  read: async (ref) => Buffer.from(ref, 'base64'),
  stream: async function* (ref) {
    yield Buffer.from(ref, 'base64');
  },
};

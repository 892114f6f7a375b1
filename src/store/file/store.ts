import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log as Logger } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import { BLOB_TABLES, blobsOf } from '../tables/blobs.ts';
import { Interner } from '../tables/intern.ts';
import { type Change, isGrowing, type Remove, State } from '../tables/state.ts';
import { type Applied, type Journal, TablesStore } from '../tables/tables-store.ts';
import { Accounting } from './accounting.ts';
import { lockDirectory } from './lock.ts';
import { Log, type LogOptions, type LogStart } from './log.ts';
import { Reclaimer } from './reclaim.ts';
import { isBefore, readSegments } from './recovery.ts';
import { type Disk, type Segment, Segments } from './segments.ts';
import { type Position, Snapshot } from './snapshot.ts';

export interface FileStoreOptions extends LogOptions {
  /** Made where it is missing; `log/`, `state.json` and `lock` in it are this store's. */
  readonly directory: string;
  /** Offered for tests. */
  readonly disk?: Disk;
}

/**
 * A store in a directory: the small document as a snapshot, all else in an append-only log.
 * Throws `StoreRefused` where another process has the directory or another format stands in it.
 */
export async function openFileStore(options: FileStoreOptions, logger: Logger): Promise<Store> {
  const lock = await lockDirectory(options.directory);
  try {
    const logDirectory = join(options.directory, 'log');
    await mkdir(logDirectory, { recursive: true, mode: 0o700 });
    const snapshot = await Snapshot.open(options.directory);
    const recovered = recover(logDirectory, snapshot, logger);
    const { state, working, accounting, damaged } = recovered;
    const segments = new Segments(logDirectory, recovered.segments, options.disk);
    const applied: Applied = (change, undo, entry) => accounting.applied(change, undo, entry.home);
    const store = new TablesStore(state, working, applied);
    const saveSnapshot = async () => {
      try {
        await snapshot.write(state, log.position);
      } catch (error) {
        logger.warn('the snapshot was not written; the log still has everything', { error: String(error) });
      }
    };
    const ledger = {
      committed: (entries: Parameters<TablesStore['committed']>[0]) => {
        store.committed(entries);
        if (log.position.segment > snapshot.document.position.segment) void saveSnapshot();
      },
      failed: (entries: Parameters<TablesStore['failed']>[0], error: unknown) => store.failed(entries, error),
    };
    const log = new Log(segments, recovered.start, ledger, options);
    const reclaimer = new Reclaimer({
      logDirectory,
      store,
      state,
      log,
      segments,
      accounting,
      snapshot,
      damaged,
      logger,
    });
    let reclaiming: Promise<void> = Promise.resolve();
    const journal: Journal = {
      blobs: log,
      health: 'ok',
      append: (entry) => log.append(entry),
      flushed: () => log.flushed(),
      resume: () => log.resume(),
      reclaim: () => {
        lock.renew();
        reclaiming = reclaiming.catch(() => {}).then(() => reclaimer.run());
        return reclaiming;
      },
      close: async () => {
        await reclaiming.catch(() => {});
        await log.flushed();
        await saveSnapshot();
        await segments.close();
        lock.release();
      },
    };
    return store.attach(journal);
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Recovered {
  readonly state: State;
  readonly working: State;
  readonly accounting: Accounting;
  readonly segments: readonly Segment[];
  readonly damaged: ReadonlySet<number>;
  readonly start: LogStart;
}

/** The snapshot, then all of the log over it. */
function recover(logDirectory: string, snapshot: Snapshot, logger: Logger): Recovered {
  const state = new State();
  const working = new State();
  const accounting = new Accounting();
  const segments: Segment[] = [];
  const damaged = new Set<number>();
  const interner = new Interner();
  const { position, changes } = snapshot.document;
  let doubtful = false;
  let whole = true;
  let active: LogStart['active'] = null;
  let end: Position = position;
  const apply = (change: Change): Change[] => {
    working.apply(change);
    return state.apply(change);
  };
  for (const change of changes) apply(change);
  for (const found of readSegments(logDirectory, logger)) {
    const { segment, entries } = found;
    // Whether the one before it was whole.
    if (!whole) doubtful = true;
    whole = found.indexed;
    segments.push(segment);
    if (found.damaged) damaged.add(segment.number);
    for (const [offset, list] of entries) {
      for (const read of list) {
        const change: Change = isMessage(read) ? ['put', 'messages', interner.message(read[2])] : read;
        if (isSmall(change) && isBefore(segment.number, offset, position)) continue;
        accounting.applied(change, apply(change), segment.number);
      }
    }
    active = found.sealed || found.damaged ? null : { segment, index: entries };
    if (!isBefore(segment.number, segment.size, end)) end = { segment: segment.number, offset: segment.size };
  }
  const present = new Set(segments.map(({ number }) => number));
  if (doubtful || accounting.inUse().some((number) => !present.has(number)))
    dropUnreadable(state, working, accounting, segments, logger);
  return {
    state,
    working,
    accounting,
    segments,
    damaged,
    start: { active, nextNumber: end.segment + 1, position: end },
  };
}

/** Rows whose bytes were in what is lost: nothing of them could be served. */
function dropUnreadable(
  state: State,
  working: State,
  accounting: Accounting,
  segments: readonly Segment[],
  logger: Logger,
): void {
  const readable = new Segments('', segments);
  const doomed: Remove[] = [];
  for (const table of BLOB_TABLES) {
    for (const put of state.puts(table)) {
      if (blobsOf(put).some((ref) => !readable.holds(ref))) doomed.push(['remove', table, put[2].id]);
    }
  }
  for (const removal of doomed) {
    working.apply(removal);
    accounting.applied(removal, state.apply(removal), 0);
  }
  if (doomed.length === 0) return;
  const lost = BLOB_TABLES.map((table) => ({ table, count: doomed.filter(([, name]) => name === table).length }))
    .filter(({ count }) => count > 0)
    .map(({ table, count }) => `${count} ${table}`);
  logger.error(`${lost.join(', ')} are lost: their bytes stood in a damaged part of the log`);
}

function isMessage(change: Change): change is Extract<Change, readonly ['put', 'messages', unknown]> {
  return change[0] === 'put' && change[1] === 'messages';
}

function isSmall(change: Change): boolean {
  return change[0] !== 'clear' && !isGrowing(change[1]);
}

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import type { Commit, MessageTexts, Reader, Store, StoreHealth, Tx } from '../../ports/store.ts';
import type { Clock, Log as Logger } from '../../ports/system.ts';
import { errorCode } from '../../text/unknown.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { SMALL_TABLES } from '../tables/state.ts';
import { Transactions } from '../tables/transactions.ts';
import { type LibraryCalls, StoreTexts } from '../texts/message-texts.ts';
import { hasTexts, TEXTS_DIRECTORY } from '../texts/shelf.ts';
import { type TextPlace, TextThread } from '../texts/text-thread.ts';
import { FileBlobs } from './blobs.ts';
import { CommitLog } from './commit.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { DiskReserve, giveUpReserve, isNoSpace } from './disk-reserve.ts';
import { Indexes } from './indexes.ts';
import { PromptReclaim, type ReclaimParts, reclaim } from './reclaim.ts';
import { type RecoveredStore, recover, segmentNumbers, sentenceOf } from './recovery.ts';
import { BlobPins, type Segment, Segments } from './segments.ts';
import { Snapshot, type SnapshotDocument, type SnapshotRow } from './snapshot.ts';
import { cutFile, writeAgain } from './transfer.ts';

/** The lock of the directory. The process that opened it holds it. */
interface DirectoryLock {
  /** Renews the lock. */
  renew(): void;
  release(): void;
}

interface FileStoreOptions {
  /** The directory, created if missing. `segments/`, `texts/` and the two snapshot files in it belong to the store. */
  readonly directory: string;
  /** With `fsync`, acknowledged data survives a power cut. With `os`, it survives only the process. */
  readonly durability: 'fsync' | 'os';
  /** The lock to release on close. The caller must make sure that nobody else uses the directory. */
  readonly lock?: DirectoryLock;
  /** With a clock, the directory and the free space are checked every second. Without one, each write checks them. */
  readonly clock?: Pick<Clock, 'after'>;
  /**
   * The boot id of the machine, or '' if unknown. If the store was last open in the same boot, no power cut has
   * happened since, and damage is never mistaken for the effect of one.
   */
  readonly boot?: string;
  /** For tests. */
  readonly disk?: Disk;
  /** For tests. The default is 64 MiB, or less on a small disk. */
  readonly segmentBytes?: number;
  /** For tests. By default the texts have a thread. */
  readonly startTexts?: (place: TextPlace) => LibraryCalls;
}

/** The directory of the segments, inside the data directory. */
const LOG = 'segments';
/** The largest and smallest segment, in bytes. Closing one costs two syncs and a directory entry. */
const LARGEST_SEGMENT = 64 * 1024 * 1024;
const SMALLEST_SEGMENT = 1024 * 1024;
/** A segment takes at most one part in 32 of its disk, so that a small disk is freed in small pieces. */
const SEGMENT_SHARE = 32;
/** The interval in milliseconds at which the directory and the free space are checked. */
const LOOK_EVERY_MS = 1_000;

/**
 * Opens a store in a directory. Small tables live in a snapshot, everything else in an append-only log.
 *
 * @throws StoreRefused `STORE_FORMAT` if the content of the directory is unusable.
 */
export function openFileStore(options: FileStoreOptions, logger: Logger): Promise<Store> {
  return openWhole(options, logger);
}

/** Opens a store in a directory with all its rows, as {@link openFileStore} does. */
export async function openWhole(options: FileStoreOptions, logger: Logger): Promise<FileStore> {
  const { directory, disk = nodeDisk } = options;
  const logDirectory = join(directory, LOG);
  await makeLasting(disk, directory, logDirectory);
  const numbers = await segmentNumbers(disk, logDirectory);
  const found = await Snapshot.find(disk, directory, numbers.length > 0);
  const document = found.kind === 'document' ? found.document : await emptyDocument(disk, directory);
  if (found.kind === 'document' && found.damaged !== null) {
    const { path, offset } = found.damaged;
    await keep(disk, path);
    logger.error(
      `${path} is damaged at byte ${offset}: its copy is whole and nothing is lost; what was damaged is ${path}.damaged`,
    );
  }
  const fileStore = await FileStore.open({ ...options, disk, logDirectory, document }, logger);
  const isNew = found.kind !== 'document' || found.damaged !== null || document.boot !== (options.boot ?? '');
  if (isNew) await fileStore.writeSnapshot(new Set());
  return fileStore;
}

/** Keeps a damaged file under a second name before it is replaced. */
async function keep(disk: Disk, path: string): Promise<void> {
  const kept = `${path}.damaged`;
  if ((await disk.stat(kept)) !== null) await disk.unlink(kept);
  await disk.link(path, kept);
}

/** Creates the directories and makes their names durable, even if a killed process created them. */
async function makeLasting(disk: Disk, directory: string, logDirectory: string): Promise<void> {
  const missing: string[] = [];
  for (let path = dirname(directory); (await disk.stat(path)) === null; path = dirname(path)) missing.push(path);
  await disk.makeDirectory(logDirectory);
  for (const path of [logDirectory, ...missing]) await disk.syncDirectory(dirname(path));
  // If the process may not open the parent, it did not create the directory, so the name is durable already.
  await disk.syncDirectory(dirname(directory)).catch((error: unknown) => {
    const code = errorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
  });
}

/** Gives up the store's reserve if the disk is full. Returns whether there was anything to give up. */
export async function makeRoomIn(directory: string, error: unknown): Promise<boolean> {
  return isNoSpace(error) && (await giveUpReserve(nodeDisk, join(directory, LOG)));
}

/** Creates the snapshot of an empty store. Its id derives from the directory's identity and time. */
async function emptyDocument(disk: Disk, directory: string): Promise<SnapshotDocument> {
  const facts = await disk.stat(directory);
  const store = createHash('sha256').update(`${facts?.identity} ${facts?.modifiedAt}`).digest('hex').slice(0, 16);
  return { store, boot: '', position: { segment: 0, offset: 0 }, nextNumber: 1, segments: [], rows: [] };
}

/** The parts of a store when it is opened. */
interface OpenedParts extends FileStoreOptions {
  readonly disk: Disk;
  readonly logDirectory: string;
  readonly document: SnapshotDocument;
  readonly recovered: RecoveredStore;
  readonly directories: DirectoryWatch;
  readonly reserve: DiskReserve;
  readonly segmentBytes: number;
  readonly logger: Logger;
}

/** The parts of an open store and their interaction. */
export class FileStore implements Store {
  readonly log: CommitLog;
  readonly #opened: OpenedParts;
  readonly #transactions: Transactions;
  readonly #blobs: FileBlobs;
  readonly #segments: Segments;
  readonly #snapshot: Snapshot;
  readonly #indexes: Indexes;
  readonly #reclaimParts: ReclaimParts;
  readonly #promptReclaim: PromptReclaim;
  readonly #texts: StoreTexts;
  /** The chain of upkeep work. Reclaiming and writing indexes run one after the other. */
  #upkeep: Promise<void> = Promise.resolve();
  #cancelLook = () => {};
  #isClosed = false;
  #closing: Promise<void> | null = null;

  static async open(
    options: FileStoreOptions & Pick<OpenedParts, 'disk' | 'logDirectory' | 'document'>,
    logger: Logger,
  ): Promise<FileStore> {
    const { disk, directory, logDirectory, document } = options;
    const isSameBoot = document.boot !== '' && document.boot === options.boot;
    const recovered = await recover(disk, logDirectory, document, isSameBoot);
    for (const finding of recovered.findings) logger[finding.level](sentenceOf(finding));
    const directories = new DirectoryWatch(disk, logger);
    await directories.watch(directory);
    await directories.watch(logDirectory);
    const largest = Math.min(LARGEST_SEGMENT, (await disk.space(directory)).totalBytes / SEGMENT_SHARE);
    const segmentBytes = options.segmentBytes ?? Math.max(SMALLEST_SEGMENT, largest);
    const reserve = await DiskReserve.open({ disk, directory: logDirectory, logger, atMost: segmentBytes });
    const fileStore = new FileStore({ ...options, recovered, directories, reserve, segmentBytes, logger });
    await fileStore.#tidy(recovered);
    fileStore.#look();
    return fileStore;
  }

  private constructor(opened: OpenedParts) {
    const { disk, directory, logDirectory, document, recovered, directories, reserve, logger } = opened;
    const { state, accounting } = recovered;
    this.#opened = opened;
    this.#snapshot = Snapshot.at(disk, directory, document, async (bytes) => {
      await directories.check();
      await reserve.makeReady(bytes);
    });
    const segments = new Segments({
      disk,
      directory: logDirectory,
      store: document.store,
      found: recovered.segments,
      watch: () => directories.check(),
      onDamage: ({ number }, offset) =>
        logger.error(
          `${segments.pathOf(number)} at byte ${offset} fails its checksum: what stands there is not served`,
        ),
    });
    this.#segments = segments;
    const pins = new BlobPins();
    const shared = { ...opened, directory: logDirectory, store: document.store, state, accounting, segments, pins };
    const indexes = new Indexes({ ...shared, sealed: (number) => this.#sealed(number) }, recovered.unindexed);
    this.#indexes = indexes;
    this.#transactions = new Transactions(state, (change, home) => accounting.commit(state, change, home));
    this.log = new CommitLog(
      {
        ...shared,
        transactions: this.#transactions,
        writeManifest: () => this.writeSnapshot(new Set()),
        onClosed: (number) => indexes.owe(number),
        onCommitted: (freesSpace) => this.#committed(freesSpace),
      },
      recovered.start,
    );
    this.#blobs = new FileBlobs(this.log, segments, pins);
    this.#reclaimParts = {
      ...shared,
      log: this.log,
      blobs: this.#blobs,
      indexes,
      writeSnapshot: (without) => this.writeSnapshot(without),
      isMissingSome: () => recovered.lost.length > 0,
    };
    this.#promptReclaim = new PromptReclaim({ ...shared, reclaim: () => this.reclaim() });
    const place = { directory: join(directory, TEXTS_DIRECTORY), store: document.store };
    this.#texts = new StoreTexts({
      state,
      hasTexts: () => hasTexts(disk, place.directory),
      start: () => opened.startTexts?.(place) ?? new TextThread(place),
      logger,
    });
    state.onRemovedMessage = (removed) => this.#texts.removed(removed);
  }

  get read(): Reader {
    return this.#transactions.read;
  }

  readNow(): Promise<Reader> {
    return this.#transactions.readNow();
  }

  get texts(): MessageTexts {
    return this.#texts;
  }

  get blobs(): FileBlobs {
    this.#transactions.checkOpen();
    return this.#blobs;
  }

  get health(): StoreHealth {
    this.#transactions.checkOpen();
    return this.log.health;
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.log.transaction(body);
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    return this.#transactions.onCommit(listener);
  }

  /** The durable rows. */
  get rows(): Pick<CommittedState, 'puts' | 'newestFeedId' | 'messages'> {
    return this.#opened.recovered.state;
  }

  async reclaim(): Promise<void> {
    this.#transactions.checkOpen();
    this.#opened.lock?.renew();
    await this.#afterUpkeep(() => reclaim(this.#reclaimParts));
    await this.#texts.reclaim();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#transactions.close();
    this.#isClosed = true;
    await this.#texts.close();
    this.#promptReclaim.close();
    this.#cancelLook();
    await this.#upkeep;
    await this.log.flushed();
    if (await this.#opened.directories.look()) {
      await this.writeSnapshot(new Set()).catch((error: unknown) => this.#warnOfSnapshot(error));
    }
    await this.#segments.close();
    this.#opened.lock?.release();
  }

  /** Writes a snapshot of the current small tables and segments, without the given segments. */
  writeSnapshot(without: ReadonlySet<number>): Promise<void> {
    return this.#snapshot.write(() => {
      const { document, boot = '', recovered } = this.#opened;
      const { position, nextNumber, activeNumber } = this.log;
      const segments = this.#segments.all
        // A segment that may not be on the disk is not listed. If it exists, its number reveals it.
        .filter(({ number, created, isGivenUp }) => created && !isGivenUp && !without.has(number))
        .map(({ number, size, durable }) => ({
          number,
          bytes: number === activeNumber || durable !== size ? null : size,
        }));
      const unmade = this.#segments.all
        .filter(({ created, isGivenUp }) => !created && !isGivenUp)
        .map(({ number }) => number);
      const rows = SMALL_TABLES.flatMap((table) =>
        [...recovered.state.puts(table)].map(([, name, row]) => {
          const { segment, offset } = recovered.accounting.homeOf(name, row.id) ?? { segment: 0, offset: 0 };
          return [name, row, segment, offset] as unknown as SnapshotRow; // name and row fit together
        }),
      );
      return {
        store: document.store,
        boot,
        position,
        nextNumber: Math.min(nextNumber, ...unmade),
        segments: [...segments, ...recovered.lost],
        rows,
      };
    });
  }

  /** Removes the remains of a crash or of an interrupted reclaim. */
  async #tidy({ toCut, toSync, leftovers }: RecoveredStore): Promise<void> {
    const { disk, logDirectory } = this.#opened;
    // A segment with a successor counts as complete, so the successors go first.
    for (const { number, bytes } of toCut) if (bytes === 0) await disk.unlink(this.#segments.pathOf(number));
    await disk.syncDirectory(logDirectory);
    for (const { number, bytes } of toCut) if (bytes > 0) await cutFile(disk, this.#segments.pathOf(number), bytes);
    for (const { number, from } of toSync)
      await writeAgain(disk, this.#segments.pathOf(number), from, this.#segments.get(number)?.size ?? 0);
    for (const number of leftovers) {
      await this.#indexes.remove(number);
      await disk.unlink(this.#segments.pathOf(number));
    }
    await disk.syncDirectory(logDirectory);
  }

  #sealed(number: number): Segment | 'not yet' | 'gone' {
    const segment = this.#segments.get(number);
    if (segment === undefined) return 'gone';
    const { position, segments } = this.#snapshot.document;
    const note = segments.find((noted) => noted.number === number);
    const isPast = position.segment > number || (position.segment === number && position.offset >= segment.size);
    return isPast && note?.bytes === segment.size && segment.durable === segment.size ? segment : 'not yet';
  }

  #committed(freesSpace: boolean): void {
    if (this.log.position.segment > this.#snapshot.document.position.segment) this.#save();
    if (freesSpace) this.#promptReclaim.removed();
  }

  #save(): void {
    this.#afterUpkeep(async () => {
      if (this.#snapshot.document.position.segment >= this.log.position.segment) return;
      await this.writeSnapshot(new Set());
      await this.#indexes.writeMissing();
    }).catch((error: unknown) => this.#warnOfSnapshot(error));
  }

  #warnOfSnapshot(error: unknown): void {
    this.#opened.logger.warn('the snapshot was not written; the log still has everything', { error: String(error) });
  }

  #afterUpkeep(work: () => Promise<void>): Promise<void> {
    const done = this.#upkeep.then(work);
    this.#upkeep = done.catch(() => {});
    return done;
  }

  #look(): void {
    const { clock, directories, reserve } = this.#opened;
    if (clock === undefined || this.#isClosed) return;
    this.#cancelLook = clock.after(LOOK_EVERY_MS, () => {
      void directories
        .look()
        .then(() => reserve.look())
        .then(() => this.log.recheck())
        .then(() => this.#look());
    });
  }
}

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Disk } from '../../ports/disk.ts';
import type { Log as Logger } from '../../ports/log.ts';
import type { Store, StoreHealth } from '../../ports/store.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { SMALL_TABLES } from '../tables/state.ts';
import { type Entry, type Journal, TablesStore } from '../tables/tables-store.ts';
import type { Accounting } from './accounting.ts';
import { segmentNumbers, sentenceOf } from './findings.ts';
import { carryOver } from './format-1/carry-over.ts';
import { Guard } from './guard.ts';
import { Indexes } from './indexes.ts';
import { Log } from './log.ts';
import { PromptReclaim } from './prompt-reclaim.ts';
import { Reclaimer } from './reclaim.ts';
import { type Recovered, recover } from './recovery.ts';
import { giveUpReserve, isNoSpace, Room } from './room.ts';
import { type Segment, Segments } from './segments.ts';
import { Snapshot, type SnapshotDocument, type SnapshotRow } from './snapshot.ts';
import { cutFile, writeAgain } from './transfer.ts';

/** The directory of the segments, in the data directory. */
const LOG = 'segments';
/** A full segment is closed; closing one and opening the next costs two syncs and a name in the directory. */
const LARGEST_SEGMENT = 64 * 1024 * 1024;
const SMALLEST_SEGMENT = 1024 * 1024;
/** A segment's part of its disk: a small disk is given back in small pieces. */
const SEGMENT_SHARE = 32;
/** The directory and the disk's room are looked at this often. */
const LOOK_EVERY_MS = 1_000;

/** The lock of the directory, held by whoever opened it. */
export interface DirectoryLock {
  /** Says that the holder lives. */
  renew(): void;
  release(): void;
}

export interface FileStoreOptions {
  /** Made where it is missing; `segments/` and the two snapshot files in it are this store's. */
  readonly directory: string;
  /** `fsync`: what is acknowledged survives a power cut. `os`: it survives the process; flushing is left to the system. */
  readonly durability: 'fsync' | 'os';
  /** Released when the store closes. The caller sees to it that nobody else has the directory. */
  readonly lock?: DirectoryLock;
  /** With a clock the directory and the disk's room are looked at every second; without one, when something is written. */
  readonly clock?: Pick<Clock, 'after'>;
  /**
   * Names the boot of the machine; '' by default, which names none. Where it is the one that the store was last open in, no power
   * cut can have come between, and what is damaged is never taken for what a power cut left.
   */
  readonly boot?: string;
  /** Offered for tests. */
  readonly disk?: Disk;
  /** Offered for tests. By default 64 MiB, and less on a small disk. */
  readonly segmentBytes?: number;
}

/**
 * Opens a store in a directory: the small document as a snapshot, all else in an append-only log.
 *
 * @throws StoreRefused `STORE_FORMAT` where what stands in the directory can't be used.
 */
export async function openFileStore(options: FileStoreOptions, logger: Logger): Promise<Store> {
  const { directory, disk = nodeDisk } = options;
  const logDirectory = join(directory, LOG);
  await makeLasting(disk, directory, logDirectory);
  const numbers = await segmentNumbers(disk, logDirectory);
  const found = await Snapshot.find(disk, directory, numbers.length > 0);
  let document = found.kind === 'document' ? found.document : await emptyDocument(disk, directory);
  if (found.kind === 'format 1') {
    const build = (fresh: SnapshotDocument) =>
      FileStore.open({ ...options, disk, logDirectory, document: fresh, quiet: true }, logger);
    document = await carryOver({ disk, directory, logDirectory, document, logger, build });
  }
  if (found.kind === 'document' && found.damaged !== null) {
    const { path, offset } = found.damaged;
    await keep(disk, path);
    logger.error(
      `${path} is damaged at byte ${offset}: its copy is whole and nothing is lost; what was damaged is ${path}.damaged`,
    );
  }
  const fileStore = await FileStore.open({ ...options, disk, logDirectory, document, quiet: false }, logger);
  const isNew = found.kind !== 'document' || found.damaged !== null || document.boot !== (options.boot ?? '');
  if (isNew) await fileStore.writeSnapshot(new Set());
  return fileStore.store;
}

/** Gives a damaged file a second name, under which it stays when it is replaced. */
async function keep(disk: Disk, path: string): Promise<void> {
  const kept = `${path}.damaged`;
  if ((await disk.stat(kept)) !== null) await disk.unlink(kept);
  await disk.link(path, kept);
}

/** Makes the directories, and sees to it that their names survive a power cut: also where a process that was killed made them. */
async function makeLasting(disk: Disk, directory: string, logDirectory: string): Promise<void> {
  const missing: string[] = [];
  for (let path = dirname(directory); (await disk.stat(path)) === null; path = dirname(path)) missing.push(path);
  await disk.makeDirectory(logDirectory);
  for (const path of [logDirectory, ...missing]) await disk.syncDirectory(dirname(path));
  // A process that may not open the parent did not make the directory there.
  await disk.syncDirectory(dirname(directory)).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')))
      throw error;
  });
}

/**
 * Gives up what a store in this directory keeps for removals, where an error says that its disk is full. Whether there was
 * anything to give up.
 */
export async function makeRoomIn(directory: string, error: unknown): Promise<boolean> {
  return isNoSpace(error) && (await giveUpReserve(nodeDisk, join(directory, LOG)));
}

/** The snapshot of a store that holds nothing yet. It is named after its directory, which no other store was made in at that time. */
async function emptyDocument(disk: Disk, directory: string): Promise<SnapshotDocument> {
  const facts = await disk.stat(directory);
  const store = createHash('sha256').update(`${facts?.identity} ${facts?.modifiedAt}`).digest('hex').slice(0, 16);
  return { store, boot: '', position: { segment: 0, offset: 0 }, nextNumber: 1, segments: [], rows: [] };
}

interface OpenOptions extends FileStoreOptions {
  readonly disk: Disk;
  readonly logDirectory: string;
  readonly document: SnapshotDocument;
  /** While a store of an older format is carried over: no snapshot is written but when it is asked for. */
  readonly quiet: boolean;
}

/** The parts of an open store, and what goes on between them. */
export class FileStore implements Journal {
  readonly store: TablesStore;
  readonly log: Log;
  readonly #options: OpenOptions;
  readonly #logger: Logger;
  readonly #state: CommittedState;
  readonly #accounting: Accounting;
  readonly #segments: Segments;
  readonly #snapshot: Snapshot;
  readonly #indexes: Indexes;
  readonly #room: Room;
  readonly #guard: Guard;
  readonly #reclaimer: Reclaimer;
  readonly #promptReclaim: PromptReclaim;
  readonly #lost: Recovered['lost'];
  /** Reclaiming and the writing of indexes, one after the other. */
  #upkeep: Promise<void> = Promise.resolve();
  #cancelLook = () => {};
  #isClosed = false;

  static async open(options: OpenOptions, logger: Logger): Promise<FileStore> {
    const { disk, directory, logDirectory, document } = options;
    const isSameBoot = document.boot !== '' && document.boot === options.boot;
    const recovered = await recover(disk, logDirectory, document, isSameBoot);
    for (const finding of recovered.findings) logger[finding.level](sentenceOf(finding));
    const guard = new Guard(disk, logger);
    await guard.watch(directory);
    await guard.watch(logDirectory);
    const largest = Math.min(LARGEST_SEGMENT, (await disk.space(directory)).totalBytes / SEGMENT_SHARE);
    const segmentBytes = options.segmentBytes ?? Math.max(SMALLEST_SEGMENT, largest);
    const room = await Room.open({ disk, directory: logDirectory, logger, atMost: segmentBytes });
    const fileStore = new FileStore(options, { recovered, guard, room, segmentBytes }, logger);
    await fileStore.#tidy(recovered);
    fileStore.#look();
    return fileStore;
  }

  private constructor(
    options: OpenOptions,
    { recovered, guard, room, segmentBytes }: { recovered: Recovered; guard: Guard; room: Room; segmentBytes: number },
    logger: Logger,
  ) {
    const { disk, directory, logDirectory, document, durability } = options;
    const { store: id } = document;
    this.#options = options;
    this.#logger = logger;
    this.#state = recovered.state;
    this.#accounting = recovered.accounting;
    this.#lost = recovered.lost;
    this.#guard = guard;
    this.#room = room;
    this.#snapshot = Snapshot.at(disk, directory, document, async (bytes) => {
      await guard.check();
      await room.makeReady(bytes);
    });
    this.#segments = new Segments({
      disk,
      directory: logDirectory,
      store: id,
      found: recovered.segments,
      guard: () => guard.check(),
      onDamage: ({ number }, offset) =>
        logger.error(
          `${this.#segments.pathOf(number)} at byte ${offset} fails its checksum: what stands there is not served`,
        ),
    });
    this.#indexes = new Indexes(
      {
        disk,
        directory: logDirectory,
        store: id,
        state: this.#state,
        accounting: this.#accounting,
        sealed: (number) => this.#sealed(number),
      },
      recovered.unindexed,
    );
    this.store = new TablesStore(recovered.state, (change, home) => this.#accounting.commit(this.#state, change, home));
    this.log = new Log(
      {
        store: id,
        segments: this.#segments,
        room,
        ledger: this,
        durability,
        segmentBytes,
        isLost: () => guard.isLost,
        writeManifest: () => this.writeSnapshot(new Set()),
        onClosed: (number) => this.#indexes.owe(number),
      },
      recovered.start,
    );
    this.#reclaimer = new Reclaimer({
      disk,
      directory: logDirectory,
      store: this.store,
      state: this.#state,
      log: this.log,
      segments: this.#segments,
      segmentBytes,
      accounting: this.#accounting,
      indexes: this.#indexes,
      room,
      guard,
      writeSnapshot: (without) => this.writeSnapshot(without),
      isMissingSome: () => this.#lost.length > 0,
      logger,
    });
    this.#promptReclaim = new PromptReclaim({
      room,
      segments: this.#segments,
      accounting: this.#accounting,
      reclaim: () => this.reclaim(),
      logger,
    });
    this.store.attach(this);
  }

  get blobs(): Log {
    return this.log;
  }

  get health(): StoreHealth {
    if (this.#guard.isLost) return 'storage_lost';
    if (this.#room.isFull) return 'disk_full';
    return this.log.isKnown ? 'ok' : 'storage_unavailable';
  }

  /** Looks whether what refused the last write still does. Called before each transaction while `health` is not ok. */
  recheck(): Promise<void> {
    return this.log.recheck();
  }

  makeReady(): Promise<void> {
    return this.#room.makeReady();
  }

  append(entry: Entry): void {
    this.log.append(entry);
  }

  flushed(): Promise<void> {
    return this.log.flushed();
  }

  resume(): void {
    this.log.resume();
  }

  committed(entries: readonly Entry[]): void {
    this.store.committed(entries);
    if (this.log.position.segment > this.#snapshot.document.position.segment && !this.#options.quiet) this.#save();
    if (entries.some(({ changes, isUpkeep }) => !isUpkeep && changes.some(([what]) => what !== 'put')))
      this.#promptReclaim.removed();
  }

  failed(entries: readonly Entry[], error: unknown): void {
    this.store.failed(entries, error);
  }

  reclaim(): Promise<void> {
    this.#options.lock?.renew();
    return this.#afterUpkeep(() => this.#reclaimer.run());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await this.#upkeep;
    await this.log.flushed();
    if (await this.#guard.look()) {
      await this.writeSnapshot(new Set()).catch((error: unknown) => this.#warnOfSnapshot(error));
    }
    await this.#segments.close();
    this.#options.lock?.release();
  }

  /** Replaces the snapshot by the small tables and the segments as they are now. */
  writeSnapshot(without: ReadonlySet<number>): Promise<void> {
    return this.#snapshot.write(() => {
      const { position, nextNumber, activeNumber } = this.log;
      const segments = this.#segments.all
        // A segment that is not known to be on the disk is not listed: its number tells it, where it is there.
        .filter(({ number, created, isGivenUp }) => created && !isGivenUp && !without.has(number))
        .map(({ number, size, durable }) => ({
          number,
          bytes: number === activeNumber || durable !== size ? null : size,
        }));
      const unmade = this.#segments.all
        .filter(({ created, isGivenUp }) => !created && !isGivenUp)
        .map(({ number }) => number);
      const rows = SMALL_TABLES.flatMap((table) =>
        [...this.#state.puts(table)].map(([, name, row]) => {
          const { segment, offset } = this.#accounting.homeOf(name, row.id) ?? { segment: 0, offset: 0 };
          return [name, row, segment, offset] as unknown as SnapshotRow; // the pair is of one table
        }),
      );
      const { document, boot = '' } = this.#options;
      const { store } = document;
      return {
        store,
        boot,
        position,
        nextNumber: Math.min(nextNumber, ...unmade),
        segments: [...segments, ...this.#lost],
        rows,
      };
    });
  }

  /** Removes what a crash left behind, or a reclaiming that it cut short. */
  async #tidy({ toCut, toSync, leftovers }: Recovered): Promise<void> {
    const { disk, logDirectory } = this.#options;
    // A segment that another follows is taken to be whole: what follows goes first.
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

  #save(): void {
    this.#afterUpkeep(async () => {
      if (this.#snapshot.document.position.segment >= this.log.position.segment) return;
      await this.writeSnapshot(new Set());
      await this.#indexes.writeMissing();
    }).catch((error: unknown) => this.#warnOfSnapshot(error));
  }

  #warnOfSnapshot(error: unknown): void {
    this.#logger.warn('the snapshot was not written; the log still has everything', { error: String(error) });
  }

  #afterUpkeep(work: () => Promise<void>): Promise<void> {
    const done = this.#upkeep.then(work);
    this.#upkeep = done.catch(() => {});
    return done;
  }

  #look(): void {
    const { clock } = this.#options;
    if (clock === undefined || this.#isClosed) return;
    this.#cancelLook = clock.after(LOOK_EVERY_MS, () => {
      void this.#guard
        .look()
        .then(() => this.#room.look())
        .then(() => this.log.recheck())
        .then(() => this.#look());
    });
  }
}

import { join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import { readRef } from '../tables/blob-ref.ts';
import { CommittedState } from '../tables/committed-state.ts';
import { CommittedMessages } from '../tables/messages/committed-messages.ts';
import {
  BLOB_TABLES,
  blobsOf,
  type Change,
  isAppendTable,
  type LogPosition,
  putOf,
  type Remove,
} from '../tables/state.ts';
import { Accounting } from './accounting.ts';
import type { LogStart } from './commit.ts';
import { indexName, readIndex, type SegmentIndex } from './indexes.ts';
import {
  checkSegmentHeader,
  type FoundRecord,
  FRAGMENT_HEADER_BYTES,
  KIND,
  payloadEnd,
  readChanges,
  SEGMENT_HEADER_BYTES,
  type SegmentRecords,
  saltOf,
  walk,
} from './segment-format.ts';
import { type Segment, segmentName } from './segments.ts';
import { isBefore, type SegmentNote, type SnapshotDocument } from './snapshot.ts';
import { readFile, readFully, withFile } from './transfer.ts';

/** A store that was read from its directory. Reading changes nothing on the disk. */
export interface RecoveredStore {
  readonly state: CommittedState;
  readonly accounting: Accounting;
  readonly segments: readonly Segment[];
  readonly start: LogStart;
  /**
   * The segments with bytes that do not count, and the valid length of each. 0 means that the whole segment does not
   * count.
   */
  readonly toCut: readonly { readonly number: number; readonly bytes: number }[];
  /** The emptied segments whose files still exist. */
  readonly leftovers: readonly number[];
  /**
   * The segments that were written last, with the offset from which a killed process may have left bytes only in the
   * system's cache. After a failed sync the system may treat such bytes as written, so they must be written again
   * before a sync covers them.
   */
  readonly toSync: readonly { readonly number: number; readonly from: number }[];
  /** The sealed segments without a usable index. */
  readonly unindexed: readonly number[];
  /** The missing segments. */
  readonly lost: readonly SegmentNote[];
  readonly findings: readonly StoreFinding[];
}

/**
 * Recovers a store from its snapshot and its log. `isSameBoot` means that the machine has not restarted since the store
 * was last open, so no power cut can have torn records.
 */
export function recover(
  disk: Disk,
  directory: string,
  document: SnapshotDocument,
  isSameBoot: boolean,
): Promise<RecoveredStore> {
  return new Recovery(disk, directory, document, isSameBoot).run();
}

class Recovery {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #document: SnapshotDocument;
  readonly #state = new CommittedState();
  readonly #accounting = new Accounting();
  readonly #segments: Segment[] = [];
  readonly #findings: StoreFinding[] = [];
  readonly #toCut: { number: number; bytes: number }[] = [];
  readonly #toSync: { number: number; from: number }[] = [];
  readonly #unindexed: number[] = [];
  readonly #lost: SegmentNote[] = [];
  /** The blobs with a wrong checksum, by segment and offset. */
  readonly #rotten = new Set<string>();
  readonly #isSameBoot: boolean;
  readonly #tails: Tail[] = [];
  #synced: LogPosition;
  #active: Segment | null = null;
  #end: LogPosition;

  constructor(disk: Disk, directory: string, document: SnapshotDocument, isSameBoot: boolean) {
    this.#isSameBoot = isSameBoot;
    this.#disk = disk;
    this.#directory = directory;
    this.#document = document;
    this.#end = document.position;
    this.#synced = document.position;
  }

  async run(): Promise<RecoveredStore> {
    const { nextNumber, segments: notes, rows } = this.#document;
    for (const [table, row, segment, offset] of rows) {
      this.#accounting.commit(this.#state, putOf(table, row), { segment, offset });
    }
    const present = new Set(await segmentNumbers(this.#disk, this.#directory));
    const known = new Map(notes.map((note) => [note.number, note]));
    const expected = new Set([...known.keys(), ...[...present].filter((number) => number >= nextNumber)]);
    for (const number of [...expected].sort((a, b) => a - b)) {
      const note = known.get(number) ?? { number, bytes: null };
      if (present.has(number)) await this.#readSegment(note);
      else await this.#miss(note, 'is missing');
    }
    this.#readTails();
    this.#dropUnreadable();
    const numbers = [...expected, ...present, nextNumber - 1, this.#end.segment];
    return {
      state: this.#state,
      accounting: this.#accounting,
      segments: this.#segments,
      start: { active: this.#active, nextNumber: Math.max(...numbers) + 1, position: this.#end },
      toCut: this.#toCut,
      toSync: this.#toSync,
      leftovers: [...present].filter((number) => !expected.has(number)),
      unindexed: this.#unindexed,
      lost: this.#lost,
      findings: this.#findings,
    };
  }

  async #readSegment(note: SegmentNote): Promise<void> {
    const { number } = note;
    await withFile(this.#disk, this.#pathOf(number), 'read', async (file) => {
      const { size } = await file.facts();
      const { store, position } = this.#document;
      const header = await readFully(file, 0, SEGMENT_HEADER_BYTES);
      const check = checkSegmentHeader(header, store, number);
      if (check === 'foreign') {
        await this.#miss(note, 'is not the segment of this store that belongs there');
        return;
      }
      const bytes = note.bytes ?? size;
      const segment: Segment = {
        number,
        salt: saltOf(store, number),
        size: Math.min(size, bytes),
        durable: Math.min(size, bytes),
        created: true,
        isGivenUp: false,
        damaged: false,
      };
      if (size < bytes || (number === position.segment && size < position.offset)) {
        const missing = Math.max(bytes, position.segment === number ? position.offset : 0) - size;
        this.#tell(number, size, `is too short: ${missing} bytes at its end are missing`);
        segment.damaged = true;
      }
      if (note.bytes !== null && size > note.bytes) this.#toCut.push({ number, bytes: note.bytes });
      const isSealed = note.bytes !== null;
      // An index holds no rows of small tables, so the snapshot must hold those of the whole segment. A power cut
      // during an erasure leaves a record half zero, and only the index shows that the record was dead.
      const isInSnapshot = isSealed && !isBefore(position, { segment: number, offset: note.bytes });
      const index = isInSnapshot ? await this.#findIndex(number, note.bytes) : null;
      if (index !== null) {
        if (check === 'rotten') this.#tell(number, 0, 'has a damaged header: nothing else is lost');
        this.#load(segment, index);
        return;
      }
      const walked = walk(await readFully(file, 0, segment.size), segment.salt);
      if (!isSealed) {
        this.#tails.push({ segment, header: check, bytes: size, walked });
        return;
      }
      this.#readRecords(segment, walked, segment.size, check);
      this.#unindexed.push(number);
      this.#reach(segment);
    });
  }

  /** Reads the index of a segment. Returns null if none is usable. */
  async #findIndex(number: number, bytes: number): Promise<SegmentIndex | null> {
    const path = join(this.#directory, indexName(number));
    const facts = await this.#disk.stat(path);
    if (facts?.kind !== 'file') return null;
    const found = readIndex({ store: this.#document.store, segment: number, bytes }, await readFile(this.#disk, path));
    if (found === 'stale') return null;
    if (!('damagedAt' in found)) return found;
    this.#tell(path, found.damagedAt, 'is damaged: nothing is lost, its segment has everything');
    return null;
  }

  #load(segment: Segment, { messages, entries, pending }: SegmentIndex): void {
    const { number } = segment;
    this.#state.messages.load(number, messages, (row) => this.#accounting.gone(row, []));
    const { rows, bytes } = this.#state.messages.weigh(number);
    this.#accounting.loaded(number, rows, bytes);
    for (const [offset, changes] of entries) {
      for (const change of changes) this.#accounting.commit(this.#state, change, { segment: number, offset });
    }
    this.#accounting.pending(number, pending.records, pending.blobs);
    this.#segments.push(segment);
    this.#active = null;
    this.#reach(segment);
  }

  /** Reads the segments that were written last, up to the first record that was never acknowledged. */
  #readTails(): void {
    const synced = syncedUpTo(this.#document.position, this.#tails);
    this.#synced = synced;
    for (const [index, tail] of this.#tails.entries()) {
      const { segment, header, walked } = tail;
      if (
        header === 'rotten' &&
        walked.records.length === 0 &&
        !segment.damaged &&
        !wasMade(tail, synced, this.#isSameBoot)
      ) {
        // The file was being created when the power failed or the process was killed. It held nothing.
        this.#toCut.push({ number: segment.number, bytes: 0 });
        continue;
      }
      const end = this.#isSameBoot ? null : firstUnwritten(tail, synced);
      if (end !== null) {
        if (end > 0) {
          this.#take(tail, end);
          this.#cut(tail);
        }
        for (const { segment: later } of this.#tails.slice(end > 0 ? index + 1 : index))
          this.#toCut.push({ number: later.number, bytes: 0 });
        return;
      }
      if (walked.end < tail.bytes && !segment.damaged && isRot(tail, synced, this.#isSameBoot)) {
        const what = `is damaged: what stood in ${tail.bytes - walked.end} bytes is lost`;
        this.#tell(segment.number, walked.end, what);
        segment.damaged = true;
      }
      this.#take(tail, walked.end);
      if (segment.size < tail.bytes) this.#cut(tail);
    }
  }

  #cut({ segment: { number, size }, bytes }: Tail): void {
    const what = `ends with records that were never acknowledged: ${bytes - size} bytes are cut off`;
    this.#tell(number, size, what, 'info');
    this.#toCut.push({ number, bytes: size });
  }

  #take({ segment, header, walked }: Tail, end: number): void {
    this.#readRecords(segment, walked, end, header);
    // A damaged segment stays unchanged.
    if (!segment.damaged) {
      segment.size = end;
      segment.durable = end;
    }
    const { number, size } = segment;
    const { segment: syncedIn, offset } = this.#synced;
    this.#toSync.push({ number, from: number > syncedIn ? 0 : number === syncedIn ? Math.min(offset, size) : size });
    if (this.#active !== null) this.#unindexed.push(this.#active.number);
    this.#active = segment.damaged ? null : segment;
    if (segment.damaged) this.#unindexed.push(segment.number);
    this.#reach(segment);
  }

  /** Applies the records before `end`. */
  #readRecords(segment: Segment, walked: SegmentRecords, end: number, header: 'right' | 'rotten'): void {
    const { number } = segment;
    const { position } = this.#document;
    if (header === 'rotten' && walked.records.length > 0)
      this.#tell(number, 0, 'has a damaged header: nothing else is lost');
    for (const { from, to } of walked.holes) {
      if (from >= end) continue;
      this.#tell(number, from, `is damaged: what stood in ${to - from} bytes is lost, the rest is served`);
      segment.damaged = true;
    }
    let previous: FoundRecord | null = null;
    for (const record of walked.records) {
      if (record.offset >= end) break;
      const { kind, condition, offset, payload } = record;
      const before: FoundRecord | null = previous;
      previous = record;
      if (condition === 'rotten' && kind === KIND.blob) {
        segment.damaged = true;
        this.#rotten.add(`${number}.${offset}`);
        this.#tell(number, offset, 'fails its checksum: the bytes of one mail, capture or send are lost');
      }
      if (record.mendedAt !== null)
        this.#tell(number, record.mendedAt, 'has one flipped bit in a header: it was put right, and nothing is lost');
      const read = kind === KIND.changes && condition === 'whole' ? readChanges(payload) : null;
      if (before?.kind === KIND.changes && before.condition === 'rotten')
        this.#tellRotten(segment, before.offset, read?.isCopy === true);
      if (kind === KIND.changes && condition === 'whole' && read === null)
        this.#tell(number, offset, 'has changes that this version does not know: they are left out');
      if (read === null || (read.isCopy && before?.condition === 'whole')) continue;
      for (const change of read.changes) {
        if (isSmall(change) && isBefore({ segment: number, offset }, position)) continue;
        this.#accounting.commit(this.#state, change, { segment: number, offset });
      }
    }
    if (previous?.kind === KIND.changes && previous.condition === 'rotten' && previous.end <= end)
      this.#tellRotten(segment, previous.offset, false);
    this.#segments.push(segment);
  }

  #tellRotten(segment: Segment, offset: number, hasCopy: boolean): void {
    segment.damaged = true;
    const what = hasCopy ? 'nothing is lost, a copy stands behind it' : 'the changes of one transaction are lost';
    this.#tell(segment.number, offset, `fails its checksum: ${what}`);
  }

  #reach({ number, size }: Segment): void {
    if (!isBefore({ segment: number, offset: size }, this.#end)) this.#end = { segment: number, offset: size };
  }

  async #miss(note: SegmentNote, why: string): Promise<void> {
    const { number, bytes } = note;
    this.#lost.push({ ...note, isLost: true });
    const index = bytes === null ? null : await this.#findIndex(number, bytes);
    const known = new CommittedMessages();
    if (index !== null) known.load(number, index.messages, () => {});
    const what = index === null ? 'everything in it is lost' : `${known.size} messages are lost`;
    this.#tell(number, undefined, `${why}: ${what}; put it back and restart`);
  }

  /** Drops the rows whose bytes are lost, because they could not be served. */
  #dropUnreadable(): void {
    const sizes = new Map(this.#segments.map(({ number, size }) => [number, size]));
    const isShort = this.#segments.some(({ damaged }) => damaged);
    if (!isShort && this.#rotten.size === 0 && this.#accounting.inUse().every((number) => sizes.has(number))) return;
    const isReadable = (ref: ReturnType<typeof blobsOf>[number]) =>
      readRef(ref).every(
        ({ segment, offset, length }) =>
          payloadEnd(offset, length) <= (sizes.get(segment) ?? 0) && !this.#rotten.has(`${segment}.${offset}`),
      );
    for (const table of BLOB_TABLES) {
      const doomed: Remove[] = [];
      for (const put of this.#state.puts(table)) {
        if (!blobsOf(put).every(isReadable)) doomed.push(['remove', table, put[2].id]);
      }
      for (const removal of doomed) {
        // The accounting is not informed, so that the remains of these rows stay on the disk.
        this.#state.apply(removal, { segment: 0, offset: 0 }, () => {});
      }
      if (doomed.length === 0) continue;
      const first = doomed[0]?.[2];
      const which = `${doomed.length} ${table} are lost (${first}${doomed.length > 1 ? ' ...' : ''})`;
      this.#tell(this.#directory, undefined, `${which}: their bytes stood in what is damaged or missing`);
    }
  }

  /** Adds a finding about a segment, by its number, or about a path. */
  #tell(
    where: number | string,
    offset: number | undefined,
    message: string,
    level: StoreFinding['level'] = 'error',
  ): void {
    const path = typeof where === 'number' ? this.#pathOf(where) : where;
    this.#findings.push({ level, path, message, ...(offset === undefined ? {} : { offset }) });
  }

  #pathOf(number: number): string {
    return join(this.#directory, segmentName(number));
  }
}

const isSmall = (change: Change): boolean => change[0] !== 'clear' && !isAppendTable(change[1]);

/** A segment that was not sealed when the snapshot was written. */
interface Tail {
  readonly segment: Segment;
  readonly header: 'right' | 'rotten';
  readonly bytes: number;
  readonly walked: SegmentRecords;
}

/**
 * Tells whether the segment's header ever reached the disk: `synced` proves it, or only a kill, not a power cut, can
 * have happened.
 */
function wasMade({ segment: { number }, bytes }: Tail, synced: LogPosition, isSameBoot: boolean): boolean {
  const end = { segment: number, offset: SEGMENT_HEADER_BYTES };
  return !isBefore(synced, end) || (isSameBoot && bytes >= SEGMENT_HEADER_BYTES);
}

/**
 * Tells whether the end of a segment is damaged, not torn. Bytes that were synced, or that a killed process had written
 * completely, cannot be torn.
 */
function isRot({ segment: { number }, walked }: Tail, synced: LogPosition, isSameBoot: boolean): boolean {
  if (isBefore({ segment: number, offset: walked.end }, synced)) return true;
  const last = walked.records.at(-1);
  return isSameBoot && last?.condition === 'rotten' && !last.isCut;
}

/** Returns the position up to which the log was on the disk, according to the snapshot or a later record. */
function syncedUpTo(position: LogPosition, tails: readonly Tail[]): LogPosition {
  let synced = position;
  // A segment is synced before the next one starts.
  const last = tails.at(-1)?.segment.number ?? 0;
  if (last > synced.segment) synced = { segment: last, offset: 0 };
  for (const { walked } of tails) {
    for (const { kind, condition, payload } of walked.records) {
      const record = kind === KIND.changes && condition === 'whole' ? readChanges(payload) : null;
      if (record !== null && !isBefore(record.synced, synced)) synced = record.synced;
    }
  }
  return synced;
}

/**
 * Finds the first damaged position after `synced`. It was not on the disk when the power failed, and neither was
 * anything after it. Returns null if there is none.
 */
function firstUnwritten({ segment: { number }, header, walked }: Tail, synced: LogPosition): number | null {
  if (header === 'rotten' && synced.offset === 0 && number === synced.segment) return 0;
  const places = [
    ...walked.holes.map(({ from }) => from),
    ...walked.records
      .filter(({ condition }) => condition === 'rotten')
      .map(({ offset }) => offset - FRAGMENT_HEADER_BYTES),
  ].filter((offset) => offset < walked.end && !isBefore({ segment: number, offset }, synced));
  return places.length === 0 ? null : Math.min(...places);
}

/** A result of reading a directory. An `error` names what is lost or damaged. */
export interface StoreFinding {
  readonly level: 'error' | 'info';
  readonly path: string;
  /** The position in the file, if it concerns one. */
  readonly offset?: number;
  readonly message: string;
}

/** Lists the segment numbers in a directory, in no order. */
export async function segmentNumbers(disk: Disk, directory: string): Promise<number[]> {
  const names = await disk.list(directory);
  return names
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}

/** Formats a finding as one line for the log. */
export function sentenceOf({ path, offset, message }: StoreFinding): string {
  return `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`;
}

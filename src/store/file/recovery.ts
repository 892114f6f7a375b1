import { join } from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import { BLOB_TABLES, blobsOf } from '../tables/blobs.ts';
import { isChange } from '../tables/check-change.ts';
import { CommittedState } from '../tables/committed-state.ts';
import { CommittedMessages, type Home } from '../tables/messages/committed-messages.ts';
import { type Change, isGrowing, type Remove } from '../tables/state.ts';
import { Accounting } from './accounting.ts';
import { KIND, payloadEnd } from './block.ts';
import { readRef } from './extent.ts';
import { indexName, readIndex, type SegmentIndex } from './index-file.ts';
import type { LogStart } from './log.ts';
import { checkSegmentHeader, SEGMENT_HEADER_BYTES, saltOf } from './segment-header.ts';
import { type Segment, segmentName } from './segments.ts';
import type { Position, SegmentNote, SnapshotDocument } from './snapshot.ts';
import { readFile, readFully } from './transfer.ts';
import { walk } from './walk.ts';

/** Something that was found while a directory was read. An `error` tells what is lost. */
export interface Finding {
  readonly level: 'error' | 'info';
  readonly path: string;
  /** The place in the file, where it is about one. */
  readonly offset?: number;
  readonly message: string;
}

/** A store as its directory has it. Reading it changed nothing there. */
export interface Recovered {
  readonly state: CommittedState;
  readonly accounting: Accounting;
  readonly segments: readonly Segment[];
  readonly start: LogStart;
  /** Segments that hold more than counts, and how much of each does: nothing of it where that is 0. */
  readonly toCut: readonly { readonly number: number; readonly bytes: number }[];
  /** Segments that were emptied before, and are still there. */
  readonly leftovers: readonly number[];
  /** Sealed segments without an index that can be used. */
  readonly unindexed: readonly number[];
  /** Segments that are missing. */
  readonly lost: readonly SegmentNote[];
  readonly findings: readonly Finding[];
}

const NONE: readonly never[] = [];

/** Reads the snapshot's rows, and then all of the log over them. */
export async function recover(disk: Disk, directory: string, document: SnapshotDocument): Promise<Recovered> {
  const recovery = new Recovery(disk, directory, document);
  return recovery.run();
}

class Recovery {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #document: SnapshotDocument;
  readonly #state = new CommittedState();
  readonly #accounting = new Accounting();
  readonly #segments: Segment[] = [];
  readonly #findings: Finding[] = [];
  readonly #toCut: { number: number; bytes: number }[] = [];
  readonly #unindexed: number[] = [];
  readonly #lost: SegmentNote[] = [];
  /** Blobs that fail their checksum, by segment and offset. */
  readonly #rotten = new Set<string>();
  #active: Segment | null = null;
  #end: Position;

  constructor(disk: Disk, directory: string, document: SnapshotDocument) {
    this.#disk = disk;
    this.#directory = directory;
    this.#document = document;
    this.#end = document.position;
  }

  async run(): Promise<Recovered> {
    const { nextNumber, segments: notes, rows } = this.#document;
    for (const [table, row, segment, offset] of rows) {
      this.#apply(['put', table, row] as Change, { segment, offset }); // the pair is of one table
    }
    const present = new Set(await segmentNumbers(this.#disk, this.#directory));
    const known = new Map(notes.map((note) => [note.number, note]));
    const expected = new Set([...known.keys(), ...[...present].filter((number) => number >= nextNumber)]);
    for (const number of [...expected].sort((a, b) => a - b)) {
      const note = known.get(number) ?? { number, bytes: null };
      if (present.has(number)) await this.#readSegment(note);
      else await this.#miss(note, 'is missing');
    }
    this.#dropUnreadable();
    const numbers = [...expected, ...present, nextNumber - 1, this.#end.segment];
    return {
      state: this.#state,
      accounting: this.#accounting,
      segments: this.#segments,
      start: { active: this.#active, nextNumber: Math.max(...numbers) + 1, position: this.#end },
      toCut: this.#toCut,
      leftovers: [...present].filter((number) => !expected.has(number)),
      unindexed: this.#unindexed,
      lost: this.#lost,
      findings: this.#findings,
    };
  }

  async #readSegment(note: SegmentNote): Promise<void> {
    const { number } = note;
    const path = this.#pathOf(number);
    const file = await this.#disk.open(path, 'read');
    try {
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
        damaged: false,
      };
      if (size < bytes || (number === position.segment && size < position.offset)) {
        const missing = Math.max(bytes, position.segment === number ? position.offset : 0) - size;
        this.#tell('error', path, size, `is too short: ${missing} bytes at its end are missing`);
        segment.damaged = true;
      }
      if (note.bytes !== null && size > note.bytes) this.#toCut.push({ number, bytes: note.bytes });
      const isSealed = note.bytes !== null;
      const index = isSealed && number < position.segment ? await this.#findIndex(number, note.bytes) : null;
      if (index !== null) {
        if (check === 'rotten') this.#tell('error', path, 0, 'has a damaged header: nothing else is lost');
        this.#load(segment, index);
        return;
      }
      this.#walk(segment, await readFully(file, 0, segment.size), isSealed, check);
    } finally {
      await file.close();
    }
  }

  /** The index of a segment; null where there is none that can be used. */
  async #findIndex(number: number, bytes: number): Promise<SegmentIndex | null> {
    const path = join(this.#directory, indexName(number));
    const facts = await this.#disk.stat(path);
    if (facts?.kind !== 'file') return null;
    const found = readIndex({ store: this.#document.store, segment: number, bytes }, await readFile(this.#disk, path));
    if (found === 'stale') return null;
    if (!('damagedAt' in found)) return found;
    this.#tell('error', path, found.damagedAt, 'is damaged: nothing is lost, its segment has everything');
    return null;
  }

  #load(segment: Segment, { messages, entries, pending }: SegmentIndex): void {
    const { number } = segment;
    const table = 'messages';
    this.#state.messages.load(number, messages, ({ id, home, raw, facts }) =>
      this.#accounting.gone({ table, id, home, blobs: [raw, facts] }, NONE),
    );
    const { rows, bytes } = this.#state.messages.weigh(number);
    this.#accounting.loaded(number, rows, bytes);
    for (const [offset, changes] of entries) {
      for (const change of changes) this.#apply(change, { segment: number, offset });
    }
    this.#accounting.pending(number, pending.records, pending.blobs);
    this.#segments.push(segment);
    this.#active = null;
    this.#reach(segment);
  }

  #walk(segment: Segment, bytes: Buffer, isSealed: boolean, check: 'right' | 'rotten'): void {
    const { number } = segment;
    const path = this.#pathOf(number);
    const { position } = this.#document;
    const walked = walk(bytes, segment.salt);
    const isEmpty = walked.records.length === 0;
    if (!isSealed && isEmpty && check === 'rotten') {
      // A process that was killed while it made the file leaves less than a header: nothing was in it.
      this.#toCut.push({ number, bytes: 0 });
      return;
    }
    if (check === 'rotten') this.#tell('error', path, 0, 'has a damaged header: nothing else is lost');
    for (const { from, to } of walked.holes) {
      this.#tell('error', path, from, `is damaged: what stood in ${to - from} bytes is lost, the rest is served`);
      segment.damaged = true;
    }
    for (const { kind, condition, offset, payload, end } of walked.records) {
      if (condition === 'rotten' && end <= walked.end) {
        segment.damaged = true;
        if (kind === KIND.blob) this.#rotten.add(`${number}.${offset}`);
        else this.#tell('error', path, offset, 'is damaged: the changes of one transaction are lost, the rest is served');
      }
      if (kind !== KIND.changes || condition !== 'whole') continue;
      for (const change of this.#parse(payload, path, offset)) {
        if (isSmall(change) && isBefore({ segment: number, offset }, position)) continue;
        this.#apply(change, { segment: number, offset });
      }
    }
    if (isSealed) this.#unindexed.push(number);
    else if (walked.end < bytes.length && !segment.damaged) {
      const cut = bytes.length - walked.end;
      this.#tell('info', path, walked.end, `ends in a record that was never acknowledged: ${cut} bytes are cut off`);
      this.#toCut.push({ number, bytes: walked.end });
      segment.size = walked.end;
      segment.durable = walked.end;
    }
    this.#segments.push(segment);
    if (this.#active !== null) this.#unindexed.push(this.#active.number);
    this.#active = isSealed || segment.damaged ? null : segment;
    if (!isSealed && this.#active === null) this.#unindexed.push(number);
    this.#reach(segment);
  }

  #parse(payload: Buffer, path: string, offset: number): readonly Change[] {
    // Guarded by its checksum: it is what this format writes.
    const changes: unknown = JSON.parse(payload.toString('utf8'));
    if (Array.isArray(changes) && changes.every(isChange)) return changes;
    this.#tell('error', path, offset, 'has changes that this version does not know: they are left out');
    return [];
  }

  #apply(change: Change, home: Home): void {
    this.#accounting.commit(this.#state, change, home);
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
    this.#tell('error', this.#pathOf(number), undefined, `${why}: ${what}; put it back and restart`);
  }

  /** Takes out rows whose bytes were in what is lost: nothing of them could be served. */
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
        // Not told to the accounting: what is left of them stays where it is.
        this.#state.apply(removal, { segment: 0, offset: 0 }, () => {});
      }
      if (doomed.length === 0) continue;
      const first = doomed[0]?.[2];
      this.#tell(
        'error',
        this.#directory,
        undefined,
        `${doomed.length} ${table} are lost (${first}${doomed.length > 1 ? ' ...' : ''}): their bytes stood in what is damaged or missing`,
      );
    }
  }

  #tell(level: Finding['level'], path: string, offset: number | undefined, message: string): void {
    this.#findings.push({ level, path, message, ...(offset === undefined ? {} : { offset }) });
  }

  #pathOf(number: number): string {
    return join(this.#directory, segmentName(number));
  }
}

/** The numbers of the segments in a directory, in no order. */
export async function segmentNumbers(disk: Disk, directory: string): Promise<number[]> {
  const names = await disk.list(directory);
  return names
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}

/** A finding as one line for a log. */
export function sentenceOf({ path, offset, message }: Finding): string {
  return `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`;
}

function isSmall(change: Change): boolean {
  return change[0] !== 'clear' && !isGrowing(change[1]);
}

/** Whether a place in the log is before a position. */
export function isBefore({ segment, offset }: Home, position: Position): boolean {
  return segment < position.segment || (segment === position.segment && offset < position.offset);
}

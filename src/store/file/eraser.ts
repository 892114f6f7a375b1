import type { Disk, DiskFile } from '../../ports/disk.ts';
import type { Dead } from './accounting.ts';
import { FRAGMENT_HEADER_BYTES, headerPosition, KIND, payloadRuns, readHeader } from './block.ts';
import { COPY_START, COPY_START_BYTES } from './changes-record.ts';
import type { Segment } from './segments.ts';
import { readFully, writeFully } from './transfer.ts';

// Deleted payloads are overwritten with zeros in place. Headers stay, so that a reader can still follow the structure.
// Runs that lie close together are read, zeroed and written back at once; the bytes between them stay unchanged.

const WINDOW_BYTES = 1024 * 1024;
const GAP_BYTES = 64 * 1024;

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Overwrites the dead bytes of a segment and syncs the file. Returns the number of erased bytes. */
export async function erase(disk: Disk, path: string, segment: Segment, dead: Dead): Promise<number> {
  const file = await disk.open(path, 'update');
  try {
    const runs: Run[] = [];
    for (const { offset, length } of dead.blobs) {
      for (const run of payloadRuns(offset, length)) runs.push({ from: run.at, to: run.at + run.length });
    }
    for (const offset of dead.records) for (const run of await runsOfRecord(file, segment, offset)) runs.push(run);
    let erased = 0;
    for (const window of windowsOf(runs, segment.durable)) {
      await blank(file, window);
      for (const { from, to } of window) erased += to - from;
    }
    if (erased > 0) await file.sync();
    return erased;
  } finally {
    await file.close();
  }
}

/** Finds the payload of a record, and the payload of its copy if one follows. */
async function runsOfRecord(file: DiskFile, segment: Segment, offset: number): Promise<Run[]> {
  const runs = await runsAt(file, segment, offset);
  const copyAt = headerPosition(runs.at(-1)?.to ?? offset) + FRAGMENT_HEADER_BYTES;
  const start = await readFully(file, copyAt, COPY_START_BYTES);
  return COPY_START.test(start.toString('latin1')) ? [...runs, ...(await runsAt(file, segment, copyAt))] : runs;
}

/** Finds the fragments of a record by its headers. It stops at a damaged header. */
async function runsAt(file: DiskFile, segment: Segment, offset: number): Promise<Run[]> {
  const recordAt = offset - FRAGMENT_HEADER_BYTES;
  const runs: Run[] = [];
  for (let at = recordAt; ; ) {
    const header = readHeader(await readFully(file, at, FRAGMENT_HEADER_BYTES), at, segment.salt);
    // A mail may start like a copy, so the kind in the header decides.
    if (header === null || header.recordAt !== recordAt || header.kind !== KIND.changes) return runs;
    const from = at + FRAGMENT_HEADER_BYTES;
    runs.push({ from, to: from + header.length });
    if (header.isLast) return runs;
    at = headerPosition(from + header.length);
  }
}

/** Groups runs that lie close together. It ignores runs beyond `end`. */
function* windowsOf(runs: readonly Run[], end: number): Generator<Run[]> {
  const sorted = runs.filter(({ from, to }) => to > from && to <= end).sort((a, b) => a.from - b.from);
  let window: Run[] = [];
  for (const run of sorted) {
    const first = window[0];
    const last = window.at(-1);
    if (first !== undefined && last !== undefined) {
      if (run.from < last.to) continue;
      if (run.from - last.to > GAP_BYTES || run.to - first.from > WINDOW_BYTES) {
        yield window;
        window = [];
      }
    }
    window.push(run);
  }
  if (window.length > 0) yield window;
}

async function blank(file: DiskFile, window: readonly Run[]): Promise<void> {
  const from = window[0]?.from ?? 0;
  const to = window.at(-1)?.to ?? from;
  const bytes = window.length === 1 ? Buffer.alloc(to - from) : await readFully(file, from, to - from);
  for (const run of window) bytes.fill(0, run.from - from, run.to - from);
  await writeFully(file, [bytes], from);
}

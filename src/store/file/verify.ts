import { join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import { extentKey, readRef } from '../tables/blob-ref.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { BLOB_TABLES, blobsOf } from '../tables/state.ts';
import type { DeadBytes } from './accounting.ts';
import { isUnfinishedCopy } from './copy-mark.ts';
import { StoreRefused } from './errors.ts';
import { recover, type StoreFinding } from './recovery.ts';
import { FORMAT, KIND, walk } from './segment-format.ts';
import { type Segment, segmentName } from './segments.ts';
import { Snapshot } from './snapshot.ts';
import { readFile } from './transfer.ts';

/** The result of a verification: the content of a data directory and its faults. */
export interface StoreVerification {
  /** The format. Null if there is no store. */
  readonly format: typeof FORMAT | null;
  readonly findings: readonly StoreFinding[];
  readonly segments: number;
  readonly records: number;
  readonly bytes: number;
  readonly mailboxes: number;
  readonly messages: number;
  readonly capturedRequests: number;
}

const NOTHING = { segments: 0, records: 0, bytes: 0, mailboxes: 0, messages: 0, capturedRequests: 0 };

/**
 * Verifies a store that no server uses: every checksum, every reference from a row to its bytes, and every count. It
 * changes nothing.
 */
export async function verifyStore(
  disk: Disk,
  directory: string,
  onProgress?: (done: number, of: number) => void,
): Promise<StoreVerification> {
  if (await isUnfinishedCopy(disk, directory)) {
    const message = 'is an unfinished copy: `mailcap store copy` starts it anew';
    return { format: null, findings: [{ level: 'error', path: directory, message }], ...NOTHING };
  }
  const logDirectory = join(directory, 'segments');
  const hasLog =
    (await disk.stat(logDirectory))?.kind === 'directory' &&
    (await disk.list(logDirectory)).some((name) => name.endsWith('.log'));
  let found: Awaited<ReturnType<typeof Snapshot.find>>;
  try {
    found = await Snapshot.find(disk, directory, hasLog);
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error;
    return { format: null, findings: [{ level: 'error', path: directory, message: error.message }], ...NOTHING };
  }
  if (found.kind === 'none') return { format: null, findings: [], ...NOTHING };
  const findings: StoreFinding[] = [];
  if (found.damaged !== null)
    findings.push({ level: 'error', ...found.damaged, message: 'is damaged: its copy is whole and nothing is lost' });
  const { state, segments, accounting, findings: more } = await recover(disk, logDirectory, found.document, false);
  findings.push(...more);
  const blobs = new Set<number>();
  const dead = accounting.dead();
  let records = 0;
  let bytes = 0;
  for (const [done, segment] of segments.entries()) {
    onProgress?.(done, segments.length);
    const said = new Set(findings.map(({ path, offset }) => `${path} ${offset}`));
    const read = await verifySegment(
      disk,
      join(logDirectory, segmentName(segment.number)),
      segment,
      dead.get(segment.number),
      blobs,
    );
    findings.push(...read.findings.filter(({ path, offset }) => !said.has(`${path} ${offset}`)));
    records += read.records;
    bytes += read.bytes;
  }
  findings.push(...checkRows(state, logDirectory, blobs));
  const { messages, mailboxes, requests } = state;
  return {
    format: FORMAT,
    findings,
    segments: segments.length,
    records,
    bytes,
    mailboxes: mailboxes.size,
    messages: messages.size,
    capturedRequests: requests.size,
  };
}

/** Checks each record of a segment that a living row needs, and collects its intact blobs. */
async function verifySegment(
  disk: Disk,
  path: string,
  segment: Segment,
  dead: DeadBytes | undefined,
  blobs: Set<number>,
): Promise<{ findings: StoreFinding[]; records: number; bytes: number }> {
  const bytes = await readFile(disk, path);
  const findings: StoreFinding[] = [];
  const walked = walk(bytes.subarray(0, segment.size), segment.salt);
  // A process that ends while it erases a record leaves it half zero. The next start erases the rest.
  const unneeded = new Set([...(dead?.records ?? []), ...(dead?.blobs ?? []).map(({ offset }) => offset)]);
  for (const { from, to } of walked.holes)
    findings.push({ level: 'error', path, offset: from, message: `is damaged in ${to - from} bytes` });
  for (const { kind, condition, offset } of walked.records) {
    if (kind === KIND.blob && condition === 'whole') blobs.add(extentKey({ segment: segment.number, offset }));
    if (condition === 'rotten' && !unneeded.has(offset))
      findings.push({ level: 'error', path, offset, message: 'fails its checksum' });
  }
  return { findings, records: walked.records.length, bytes: bytes.length };
}

/** Checks every reference of a row: to its bytes, and to its mailbox, webhook or workspace. */
function checkRows(state: CommittedState, path: string, blobs: ReadonlySet<number>): StoreFinding[] {
  const findings: StoreFinding[] = [];
  const tell = (message: string) => findings.push({ level: 'error', path, message });
  for (const table of BLOB_TABLES) {
    for (const put of state.puts(table)) {
      for (const extent of blobsOf(put).flatMap(readRef)) {
        if (!blobs.has(extentKey(extent)))
          tell(
            `${put[1]} ${put[2].id} refers to bytes that are not whole: ${segmentName(extent.segment)} at ${extent.offset}`,
          );
      }
    }
  }
  for (const { id, mailboxId } of state.messages.values()) {
    if (state.mailboxes.get(mailboxId) === undefined)
      tell(`message ${id} belongs to mailbox ${mailboxId}, which is not there`);
    const newest = state.inbound.get(mailboxId)?.lastId;
    if (newest === undefined || newest < id) tell(`message ${id} is newer than what mailbox ${mailboxId} counted`);
  }
  for (const { id, webhookId } of state.requests.values()) {
    if (state.webhooks.get(webhookId) === undefined)
      tell(`captured request ${id} belongs to webhook ${webhookId}, which is not there`);
  }
  for (const { id, workspaceId } of state.mailboxes.values()) {
    if (state.workspaces.get(workspaceId) === undefined)
      tell(`mailbox ${id} belongs to workspace ${workspaceId}, which is not there`);
  }
  return findings;
}

import { crc32 } from 'node:zlib';
import type { Disk } from '../../ports/disk.ts';
import { isTableName } from '../tables/check-change.ts';
import { FORMAT } from './segment-header.ts';
import type { SnapshotDocument } from './snapshot-document.ts';
import { readFile } from './transfer.ts';

// The file is one line of JSON: {"format":2,"checksum":"01234567","document":{...}}. The checksum is the CRC-32 of the
// document's text.

const START = `{"format":${FORMAT},"checksum":"`;
const MIDDLE = '","document":';
const CHECKSUM_DIGITS = 8;
const END = '}\n';

/**
 * Tells whether a broken file has the correct start and end. If it has, bits have flipped; otherwise the file was cut
 * short.
 */
export function isComplete(bytes: Buffer): boolean {
  return (
    bytes.toString('latin1', 0, START.length) === START && bytes.toString('latin1', bytes.length - END.length) === END
  );
}

/** The state of a snapshot file. */
export type SnapshotFile =
  | { readonly kind: 'missing' | 'no file' | 'format 1' }
  /** It is JSON, but no snapshot. */
  | { readonly kind: 'other shape'; readonly bytes: Buffer }
  | { readonly kind: 'other format'; readonly bytes: Buffer; readonly format: number }
  /** The content differs from what was written. */
  | { readonly kind: 'broken'; readonly bytes: Buffer }
  | { readonly kind: 'whole'; readonly bytes: Buffer; readonly document: SnapshotDocument };

export function snapshotText(document: SnapshotDocument): string {
  const text = JSON.stringify(document);
  return `${START}${checksumOf(Buffer.from(text))}${MIDDLE}${text}${END}`;
}

function checksumOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(CHECKSUM_DIGITS, '0');
}

export async function readSnapshotFile(disk: Disk, path: string): Promise<SnapshotFile> {
  const facts = await disk.stat(path);
  if (facts === null) return { kind: 'missing' };
  if (facts.kind !== 'file') return { kind: 'no file' };
  const bytes = await readFile(disk, path);
  const document = wholeDocument(bytes);
  if (document === 'other shape') return { kind: 'other shape', bytes };
  if (document !== null) return { kind: 'whole', bytes, document };
  return otherFormat(bytes) ?? { kind: 'broken', bytes };
}

function wholeDocument(bytes: Buffer): SnapshotDocument | 'other shape' | null {
  const textAt = START.length + CHECKSUM_DIGITS + MIDDLE.length;
  const text = bytes.subarray(textAt, -END.length);
  const head = `${START}${checksumOf(text)}${MIDDLE}`;
  if (bytes.length < textAt + END.length || bytes.toString('latin1', 0, textAt) !== head) return null;
  if (bytes.toString('latin1', bytes.length - END.length) !== END) return null;
  const document: unknown = JSON.parse(text.toString('utf8'));
  return isDocument(document) ? document : 'other shape';
}

/** Recognizes JSON of another format, or JSON that is no snapshot. */
function otherFormat(bytes: Buffer): SnapshotFile | null {
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof content !== 'object' || content === null || !('format' in content)) return { kind: 'other shape', bytes };
  const { format } = content;
  if (format === 1) return { kind: 'format 1' };
  if (typeof format === 'number' && format !== FORMAT) return { kind: 'other format', bytes, format };
  // It has this format but a wrong checksum.
  return 'checksum' in content ? null : { kind: 'other shape', bytes };
}

/** Checks the shape. The checksum guards against damage, this check against another program's file. */
function isDocument(value: unknown): value is SnapshotDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { store, position, nextNumber, segments, rows } = value as Partial<Record<keyof SnapshotDocument, unknown>>; // checked below
  return (
    typeof store === 'string' &&
    /^[0-9a-f]{16}$/.test(store) &&
    typeof position === 'object' &&
    position !== null &&
    typeof nextNumber === 'number' &&
    Array.isArray(segments) &&
    Array.isArray(rows) &&
    rows.every((row) => Array.isArray(row) && isTableName(row[0]))
  );
}

import type { BlobRef } from '../../../domain/message.ts';
import { type ExtentNumbers, readExtent } from './extent.ts';
import { type IdKey, ulidText } from './id-key.ts';
import type { Texts } from './texts.ts';

// A row of a block: numbers at fixed places, little-endian, texts by their number in the block.

export const AT = {
  id: 0,
  receivedAt: 16,
  sizeBytes: 24,
  attachmentCount: 32,
  homeOffset: 36,
  raw: 40,
  facts: 52,
  workspaceId: 64,
  mailboxId: 66,
  from: 68,
  to: 70,
  cc: 72,
  subject: 74,
  mailFrom: 76,
  rcptTo: 78,
  flags: 80,
} as const;
export const RECORD_BYTES = 81;

/** The places of numbers of texts; null may stand in the first four alone. */
export const TEXTS_OR_NULL = [AT.from, AT.to, AT.cc, AT.subject] as const;
export const TEXTS = [AT.workspaceId, AT.mailboxId, AT.mailFrom, AT.rcptTo] as const;

export const FLAG = {
  /** It is gone. */
  dead: 1,
  /** A transaction that is not durable yet removed or replaced it. */
  hidden: 2,
  /** `rcptTo` is a list as JSON, not its only entry. */
  list: 4,
  /** The reference is no single extent: where its segment would stand is the number of its text. */
  rawIsText: 8,
  factsIsText: 16,
} as const;
/** Those that are part of the row itself. */
export const OWN_FLAGS = FLAG.list | FLAG.rawIsText | FLAG.factsIsText;

export function compareIdAt(view: DataView, at: number, key: IdKey): number {
  return key.compareWords(
    view.getUint32(at, true),
    view.getUint32(at + 4, true),
    view.getUint32(at + 8, true),
    view.getUint32(at + 12, true),
  );
}

export function readIdInto(view: DataView, at: number, key: IdKey): IdKey {
  return key.setWords(
    view.getUint32(at, true),
    view.getUint32(at + 4, true),
    view.getUint32(at + 8, true),
    view.getUint32(at + 12, true),
  );
}

export function idAt(view: DataView, at: number): string {
  return ulidText(
    view.getUint32(at, true),
    view.getUint32(at + 4, true),
    view.getUint32(at + 8, true),
    view.getUint32(at + 12, true),
  );
}

export function writeId(view: DataView, at: number, { a, b, c, d }: IdKey): void {
  view.setUint32(at, a, true);
  view.setUint32(at + 4, b, true);
  view.setUint32(at + 8, c, true);
  view.setUint32(at + 12, d, true);
}

const extent: ExtentNumbers = [0, 0, 0];

/** False where it stands as a text. */
export function writeRef(view: DataView, at: number, ref: BlobRef, texts: Texts): boolean {
  const single = readExtent(ref, extent);
  view.setUint32(at, single ? extent[0] : texts.number(ref), true);
  view.setUint32(at + 4, single ? extent[1] : 0, true);
  view.setUint32(at + 8, single ? extent[2] : 0, true);
  return single;
}

export function refAt(view: DataView, at: number, isText: boolean, texts: Texts): BlobRef {
  const first = view.getUint32(at, true);
  // What a store wrote as a reference comes back as one.
  if (isText) return texts.text(first) as BlobRef;
  return `${first}.${view.getUint32(at + 4, true)}.${view.getUint32(at + 8, true)}` as BlobRef;
}

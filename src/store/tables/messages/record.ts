import type { BlobRef } from '../../../domain/message.ts';
import { type ExtentNumbers, readExtent } from './extent.ts';
import { type IdKey, ulidText } from './id-key.ts';
import type { Texts } from './texts.ts';

// A row of a block has little-endian numbers at fixed offsets. Texts are stored by their number in the block.

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

/** The offsets of text numbers. Only the texts of the first list may be null. */
export const TEXTS_OR_NULL = [AT.from, AT.to, AT.cc, AT.subject] as const;
export const TEXTS = [AT.workspaceId, AT.mailboxId, AT.mailFrom, AT.rcptTo] as const;

export const FLAG = {
  /** The row is dead. */
  dead: 1,
  /** A transaction that is not durable yet removed or replaced the row. */
  hidden: 2,
  /** `rcptTo` is a JSON list instead of its only entry. */
  list: 4,
  /**
   * The reference is not a single extent. So it is stored as a text, and the number of the text is in the place of the
   * segment.
   */
  rawIsText: 8,
  factsIsText: 16,
} as const;
/** The flags that belong to the row itself. */
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

/** Writes a reference. Returns false if it was stored as a text. */
export function writeRecordRef(view: DataView, at: number, ref: BlobRef, texts: Texts): boolean {
  const single = readExtent(ref, extent);
  view.setUint32(at, single ? extent[0] : texts.number(ref), true);
  view.setUint32(at + 4, single ? extent[1] : 0, true);
  view.setUint32(at + 8, single ? extent[2] : 0, true);
  return single;
}

export function refAt(view: DataView, at: number, isText: boolean, texts: Texts): BlobRef {
  const first = view.getUint32(at, true);
  // The casts are safe: these texts were stored as references.
  if (isText) return texts.text(first) as BlobRef;
  return `${first}.${view.getUint32(at + 4, true)}.${view.getUint32(at + 8, true)}` as BlobRef;
}

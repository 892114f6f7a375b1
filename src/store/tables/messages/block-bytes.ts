import { BLOCK_ROWS, Block } from './block.ts';
import { IdKey } from './id-key.ts';
import { AT, compareIdAt, FLAG, OWN_FLAGS, RECORD_BYTES, readIdInto, TEXTS, TEXTS_OR_NULL } from './record.ts';
import { NO_TEXT, Texts } from './texts.ts';

// A packed block has a header with mark, number of rows, number of texts and bytes of texts (32 bits each,
// little-endian). Then come the rows, the end of each text, and the texts.

const MARK = 0x316b6c62;
const HEADER_BYTES = 16;

/** Packs the living rows of a block, the oldest first, into self-contained bytes. */
export function packBlock(block: Block): Buffer {
  const key = new IdKey();
  const rows: number[] = [];
  let sorted = true;
  let before = -1;
  block.eachLiving((row) => {
    if (before >= 0 && sorted) sorted = block.compareId(before, block.keyInto(row, key)) < 0;
    before = row;
    rows.push(row);
  });
  if (!sorted) rows.sort((a, b) => block.compareId(a, block.keyInto(b, key)));
  const { records, texts } = block.excerpt(rows);
  for (let at = AT.flags; at < records.length; at += RECORD_BYTES) records[at] = (records[at] ?? 0) & OWN_FLAGS;
  const { ends, bytes } = texts.packed();
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MARK, 0);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt32LE(texts.count, 8);
  header.writeUInt32LE(bytes.length, 12);
  return Buffer.concat([header, records, ends, bytes]);
}

/** Reads a sequence of packed blocks. It keeps `bytes` without a copy. Throws an Error if they are invalid. */
export function unpackBlocks(segment: number, bytes: Buffer): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < HEADER_BYTES || bytes.readUInt32LE(at) !== MARK) throw broken('has no mark', at);
    const rows = bytes.readUInt32LE(at + 4);
    const texts = bytes.readUInt32LE(at + 8);
    const textBytes = bytes.readUInt32LE(at + 12);
    if (rows > BLOCK_ROWS || texts > NO_TEXT) throw broken('has too much in it', at);
    const recordsAt = at + HEADER_BYTES;
    const endsAt = recordsAt + rows * RECORD_BYTES;
    const textsAt = endsAt + texts * 4;
    const end = textsAt + textBytes;
    if (end > bytes.length) throw broken('is cut off', at);
    const ends = new DataView(bytes.buffer, bytes.byteOffset + endsAt, texts * 4);
    const records = bytes.subarray(recordsAt, endsAt);
    checkRecords(records, texts, at);
    if (rows > 0) blocks.push(Block.over(segment, records, Texts.over(ends, bytes.subarray(textsAt, end))));
    at = end;
  }
  return blocks;
}

function checkRecords(records: Buffer, texts: number, block: number): void {
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  const before = new IdKey();
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    if (at > 0 && compareIdAt(view, at, before) <= 0) throw broken('is not in order', block);
    readIdInto(view, at, before);
    const flags = view.getUint8(at + AT.flags);
    if ((flags & ~OWN_FLAGS) !== 0) throw broken('has flags that are none', block);
    for (const place of TEXTS) if (view.getUint16(at + place, true) >= texts) throw broken('refers to no text', block);
    for (const place of TEXTS_OR_NULL) {
      const number = view.getUint16(at + place, true);
      if (number >= texts && number !== NO_TEXT) throw broken('refers to no text', block);
    }
    const rawIsBroken = (flags & FLAG.rawIsText) !== 0 && view.getUint32(at + AT.raw, true) >= texts;
    const factsIsBroken = (flags & FLAG.factsIsText) !== 0 && view.getUint32(at + AT.facts, true) >= texts;
    if (rawIsBroken || factsIsBroken) throw broken('refers to no text', block);
  }
}

function broken(how: string, at: number): Error {
  return new Error(`the packed messages can't be read: the block at byte ${at} ${how}`);
}

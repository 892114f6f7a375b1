/** One row of a hex dump: the offset, the bytes in hexadecimal, and the same bytes as ASCII. */
export interface HexRow {
  readonly offset: string;
  readonly hex: string;
  readonly text: string;
}

const A_ROW = 16;

/** Formats bytes as a hex dump with sixteen bytes a row and at most `maxRows` rows. */
export function hexRows(bytes: Uint8Array, maxRows: number): readonly HexRow[] {
  const rows: HexRow[] = [];
  for (let at = 0; at < bytes.length && rows.length < maxRows; at += A_ROW) {
    const piece = [...bytes.subarray(at, at + A_ROW)];
    rows.push({
      offset: at.toString(16).padStart(8, '0'),
      hex: piece.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      text: piece.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(''),
    });
  }
  return rows;
}

/** One row of bytes as they are looked at: where, in hex, as ASCII. */
export interface HexRow {
  readonly offset: string;
  readonly hex: string;
  readonly text: string;
}

const A_ROW = 16;

/** Bytes in rows of sixteen, at most `maxRows` of them. */
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

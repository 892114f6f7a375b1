/**
 * What a hash of the SHA family goes through: the data, a one, zeros, and the length in bits, in blocks of so many bytes
 * (FIPS 180-4 5.1). `lengthBytes` is the room that the length has.
 */
export function* blocksOf(data: Uint8Array, blockBytes: number, lengthBytes: number): Generator<DataView> {
  const padded = new Uint8Array(Math.ceil((data.length + 1 + lengthBytes) / blockBytes) * blockBytes);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
  for (let start = 0; start < padded.length; start += blockBytes) yield new DataView(padded.buffer, start, blockBytes);
}

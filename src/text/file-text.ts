/**
 * Reads the text of a file that a person wrote. Editors and shells of Windows begin a file with a byte order mark, and
 * some write UTF-16 with it.
 */
export function fileText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  // The decoder leaves out the mark.
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

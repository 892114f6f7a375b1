/** Names of ASCII, and of no charset (RFC 1428). They say nothing about the other bytes of a part. */
const UNTOLD = /^(?:us-ascii|ascii|us|ansi_x3\.4-19(?:68|86)|iso_?646(?:\.irv:1991|-us)|unknown-8bit|x-unknown)$/i;

/** Returns whether the name of a charset says nothing about the bytes that are not ASCII. */
export function tellsNothing(charset: string): boolean {
  return charset === '' || UNTOLD.test(charset);
}

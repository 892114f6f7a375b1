// In two halves, or virus scanners would take this file for the test file.
const EICAR = Buffer.from(
  [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/** Holds the EICAR test file, which counts as infected without any scanner (docs/contract.md#spf-and-virus-scan). */
export function holdsEicar(content: Buffer): boolean {
  return content.includes(EICAR);
}

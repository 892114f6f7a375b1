// The signature is split, so that virus scanners do not report this source file.
const EICAR = Buffer.from(
  [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/**
 * Tells whether the content holds the EICAR test file, which counts as infected without a scanner
 * (docs/contract.md#spf-and-virus-scan).
 */
export function holdsEicar(content: Buffer): boolean {
  return content.includes(EICAR);
}

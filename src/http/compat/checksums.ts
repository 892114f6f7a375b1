import { createHash } from 'node:crypto';

const STEP_BYTES = 1024 * 1024;
const ALGORITHMS = ['md5', 'sha1', 'sha256'] as const;

/** The checksums of a file, in hex. */
export type Checksums = Readonly<Record<(typeof ALGORITHMS)[number], string>>;

/** Computes the checksums of a file. It yields between steps of a megabyte. */
export function* checksumsOf(content: Buffer): Generator<void, Checksums, void> {
  const [md5, sha1, sha256] = ALGORITHMS.map((algorithm) => createHash(algorithm)) as [Hash, Hash, Hash]; // one for each
  for (let at = 0; at < content.length; at += STEP_BYTES) {
    if (at > 0) yield;
    for (const hash of [md5, sha1, sha256]) hash.update(content.subarray(at, at + STEP_BYTES));
  }
  return { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha256: sha256.digest('hex') };
}

type Hash = ReturnType<typeof createHash>;

import { createHash } from 'node:crypto';
import type { BlobRef } from '../../domain/message.ts';
import { isBlobTable, withBlobs } from '../tables/blobs.ts';
import type { Put, Rows, TableName } from '../tables/state.ts';

/** The number of rows of a table, and the sum of their checksums, which does not depend on their order. */
export interface Digest {
  readonly rows: number;
  readonly sum: bigint;
}

const MODULUS = 2n ** 256n;

/** Adds up checksums of rows, one digest for each table. */
export class Digests {
  readonly #digests = new Map<TableName, Digest>();

  of(table: TableName): Digest {
    return this.#digests.get(table) ?? { rows: 0, sum: 0n };
  }

  /** Adds a row. `checksums` holds the checksum of the bytes behind each of its references. */
  add(put: Put, checksums: ReadonlyMap<BlobRef, string>): void {
    const [, table, row] = put;
    const { rows, sum } = this.of(table);
    const hash = createHash('sha256')
      .update(canonical(withChecksums(table, row, checksums)))
      .digest('hex');
    this.#digests.set(table, { rows: rows + 1, sum: (sum + BigInt(`0x${hash}`)) % MODULUS });
  }
}

function withChecksums(table: TableName, row: Rows[TableName], checksums: ReadonlyMap<BlobRef, string>): unknown {
  if (!isBlobTable(table)) return row;
  // The casts are safe: name and row belong to one table, and the result is only hashed.
  return withBlobs(table, row as Rows[typeof table], checksums as ReadonlyMap<BlobRef, BlobRef>);
}

/** Encodes a value as JSON with sorted names, because a store may return the fields of a row in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

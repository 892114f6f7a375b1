import { keyOfRecord, type ProviderRecord, type RecordKind } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { getRecord, listRecords, type RecordScope } from '../records.ts';

// Records of Postmark whose ids are numbers. The keys are the numbers with zeros before them, so that they sort.

const DIGITS = 10;

export function numberKey(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

export function numberOf(record: ProviderRecord): number {
  return Number(keyOfRecord(record));
}

/** Returns the number of the next record of a kind. */
export async function nextNumber(scope: RecordScope, reader: Reader, kind: RecordKind): Promise<number> {
  const [newest] = await listRecords(scope, reader, kind, { limit: 1 });
  return newest === undefined ? 1 : numberOf(newest) + 1;
}

/** Returns the record of a number as a path has it; null if there is none. */
export async function numbered(
  scope: RecordScope,
  reader: Reader,
  kind: RecordKind,
  text: string,
): Promise<ProviderRecord | null> {
  return /^\d{1,10}$/.test(text) ? getRecord(scope, reader, kind, numberKey(Number(text))) : null;
}

import { keyOfRecord, type ProviderRecord, type RecordKind } from '../domain/provider.ts';
import type { Reader } from '../ports/store.ts';
import { getRecord, listRecords, type RecordScope } from './records.ts';

// Records whose ids are numbers. The keys are the numbers with zeros before them, so that they sort.

const DIGITS = 10;

export function numberKey(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

export function numberOf(record: ProviderRecord): number {
  return Number(keyOfRecord(record));
}

/** Returns the key of the next record of a kind. */
export async function nextNumberKey(scope: RecordScope, reader: Reader, kind: RecordKind): Promise<string> {
  const [newest] = await listRecords(scope, reader, kind, { limit: 1 });
  return numberKey(newest === undefined ? 1 : numberOf(newest) + 1);
}

/** Returns the record of a number as a path or a body has it; null if there is none. */
export async function numbered(
  scope: RecordScope,
  reader: Reader,
  kind: RecordKind,
  number: unknown,
): Promise<ProviderRecord | null> {
  const text = typeof number === 'number' || typeof number === 'string' ? String(number) : '';
  return /^\d{1,10}$/.test(text) ? getRecord(scope, reader, kind, numberKey(Number(text))) : null;
}

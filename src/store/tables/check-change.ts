import { type Change, TABLES, type TableName } from './state.ts';

const NAMES: ReadonlySet<unknown> = new Set(TABLES);

export function isTableName(value: unknown): value is TableName {
  return NAMES.has(value);
}

/**
 * Tells whether a value from a file has the shape of a change. It does not check the row, because a checksum protects
 * the row's content.
 */
export function isChange(value: unknown): value is Change {
  if (!Array.isArray(value)) return false;
  const [what, name, third] = value as readonly unknown[];
  switch (what) {
    case 'put':
      return (
        isTableName(name) &&
        typeof third === 'object' &&
        third !== null &&
        'id' in third &&
        typeof third.id === 'string'
      );
    case 'remove':
      return isTableName(name) && typeof third === 'string';
    case 'clear':
      return typeof name === 'string' && typeof third === 'string';
    default:
      return false;
  }
}

import type { Change, TableName } from './state.ts';

const TABLE_NAMES: Readonly<Record<TableName, true>> = {
  workspaces: true,
  keys: true,
  groups: true,
  authenticators: true,
  mailboxes: true,
  inbound: true,
  settings: true,
  identities: true,
  suppression: true,
  outbound: true,
  webhooks: true,
  scripts: true,
  captured: true,
  messages: true,
  requests: true,
  sends: true,
  events: true,
  idempotency: true,
};

export function isTableName(value: unknown): value is TableName {
  return typeof value === 'string' && Object.hasOwn(TABLE_NAMES, value);
}

/** Whether a value read from a file is a change that a state can take. Its checksum guards what the row says. */
export function isChange(value: unknown): value is Change {
  if (!Array.isArray(value)) return false;
  const [what, name, third] = value as readonly unknown[];
  switch (what) {
    case 'put':
      return isTableName(name) && typeof third === 'object' && third !== null && 'id' in third && typeof third.id === 'string';
    case 'remove':
      return isTableName(name) && typeof third === 'string';
    case 'clear':
      return typeof name === 'string' && typeof third === 'string';
    default:
      return false;
  }
}

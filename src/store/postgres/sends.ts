import type { Send } from '../../domain/send.ts';
import type { Reader, SendQuery } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/rows.ts';
import {
  type BatchWrites,
  limitOf,
  ofOwner,
  oneRow,
  pendingRows,
  type ReadSource,
  removal,
  removeCounted,
  ulidFloor,
} from './append-tables.ts';
import { type DatabaseRow, parseRow, type RunStatement, statement } from './connection.ts';

const LIST = statement('list sends', 'select row from sends where id < $1 order by id desc limit $2');
const OF_MAILBOX = statement(
  'list sends of mailbox',
  `select row from sends where ${ofOwner('mailbox_id', '$3', { from: "''", to: '$1' })} order by mailbox_id desc, id desc limit $2`,
);
const OF_WORKSPACE = statement(
  'list sends of workspace',
  `select row from sends where ${ofOwner('workspace_id', '$3', { from: "''", to: '$1' })} order by workspace_id desc, id desc limit $2`,
);
const SETTLED = removal(
  'remove settled sends',
  'sends',
  'id in (select id from sends where id < $1 and not pending order by id limit $2)',
);
export const CLEAR_SENDS_OF_MAILBOX = removal('remove sends of mailbox', 'sends', 'mailbox_id = $1');
export const CLEAR_SENDS_OF_WORKSPACE = removal('remove sends of workspace', 'sends', 'workspace_id = $1');

export function readSends({ query }: ReadSource): Reader['sends'] {
  return {
    get: (id) => oneRow<Send>(query, 'sends', id),
    list: async (wanted) => (await list(query, wanted)).map(parseRow<Send>),
    pending: (after, limit) => pendingRows<Send>(query, 'sends', after, limit),
  };
}

export function writeSends(batch: BatchWrites): Writes<'sends'> {
  return {
    insert: async (send) => batch.write(['put', 'sends', send]),
    update: async (id, fields) => {
      const current = await oneRow<Send>(batch.query, 'sends', id);
      if (current === null) return null;
      const send: Send = { ...current, ...fields };
      batch.replace(['put', 'sends', current], ['put', 'sends', send]);
      return send;
    },
    removeSettled: (cutoff, limit) => removeCounted(batch, 'sends', SETTLED, [ulidFloor(cutoff), limitOf(limit)]),
  };
}

function list(
  query: RunStatement,
  { workspaceId, mailboxId, before, limit }: SendQuery,
): Promise<readonly DatabaseRow[]> {
  const range = [before ?? '~', limitOf(limit)];
  if (mailboxId !== undefined) return query(OF_MAILBOX, [...range, mailboxId]);
  if (workspaceId !== undefined) return query(OF_WORKSPACE, [...range, workspaceId]);
  return query(LIST, range);
}

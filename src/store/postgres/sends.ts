import type { MailboxId, WorkspaceId } from '../../domain/ids.ts';
import type { Send } from '../../domain/send.ts';
import type { Reader, SendQuery } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/rows.ts';
import { limitOf, ofOwner, type ReadSource, removal, ulidFloor } from './append-tables.ts';
import type { BatchWrites } from './commit-batch.ts';
import { type DatabaseRow, numberColumn, parseRow, type RunStatement, statement } from './connection.ts';

const GET = statement('get send', 'select row from sends where id = $1');
const LIST = statement('list sends', 'select row from sends where id < $1 order by id desc limit $2');
const OF_MAILBOX = statement(
  'list sends of mailbox',
  `select row from sends where ${ofOwner('mailbox_id', '$3', { from: "''", to: '$1' })} order by mailbox_id desc, id desc limit $2`,
);
const OF_WORKSPACE = statement(
  'list sends of workspace',
  `select row from sends where ${ofOwner('workspace_id', '$3', { from: "''", to: '$1' })} order by workspace_id desc, id desc limit $2`,
);
const PENDING = statement('pending sends', 'select row from sends where pending and id > $1 order by id limit $2');
const SETTLED = removal(
  'remove settled sends',
  'sends',
  'id in (select id from sends where id < $1 and not pending order by id limit $2)',
);
const CLEAR_MAILBOX = removal('remove sends of mailbox', 'sends', 'mailbox_id = $1');
const CLEAR_WORKSPACE = removal('remove sends of workspace', 'sends', 'workspace_id = $1');

export function readSends({ query }: ReadSource): Reader['sends'] {
  return {
    get: async (id) => {
      const [row] = await query(GET, [id]);
      return row === undefined ? null : parseRow<Send>(row);
    },
    list: async (wanted) => (await list(query, wanted)).map(parseRow<Send>),
    pending: async (after, limit) => (await query(PENDING, [after ?? '', limitOf(limit)])).map(parseRow<Send>),
  };
}

export function writeSends(batch: BatchWrites): Writes<'sends'> {
  return {
    insert: async (send) => batch.write(['put', 'sends', send]),
    update: async (id, fields) => {
      const [row] = await batch.query(GET, [id]);
      if (row === undefined) return null;
      const current = parseRow<Send>(row);
      const send: Send = { ...current, ...fields };
      batch.replace(['put', 'sends', current], ['put', 'sends', send]);
      return send;
    },
    removeSettled: async (cutoff, limit) => {
      const [row] = await batch.query(SETTLED, [ulidFloor(cutoff), limitOf(limit)]);
      const count = numberColumn(row, 'count');
      if (count > 0) batch.note(['remove', 'sends', '']);
      return count;
    },
  };
}

/** Removes the sends of a mailbox. */
export async function clearSendsOfMailbox(batch: BatchWrites, id: MailboxId): Promise<void> {
  await batch.query(CLEAR_MAILBOX, [id]);
}

/** Removes the sends of a workspace. */
export async function clearSendsOfWorkspace(batch: BatchWrites, id: WorkspaceId): Promise<void> {
  await batch.query(CLEAR_WORKSPACE, [id]);
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

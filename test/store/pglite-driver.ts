import type { PGlite } from '@electric-sql/pglite';
import type { DatabaseConnection, DatabaseRow, Driver } from '../../src/store/postgres/connection.ts';

/**
 * Drives PGlite, PostgreSQL in the process, for tests without a server.
 *
 * What this medium can't do, so that tests of it need a cluster:
 * - It has one session. All connections share it, so one server at a time has it, and a read during a transaction sees
 *   what the transaction has sent.
 * - It can't be cut or killed, so no commit is left without an answer.
 */
export function pgliteDriver(database: PGlite, schema: string): Driver {
  return {
    name: 'pglite',
    connect: async () => {
      await database.exec(`set search_path to "${schema}"`);
      return connectionTo(database);
    },
  };
}

function connectionTo(database: PGlite): DatabaseConnection {
  const ends = new Set<() => void>();
  const unlisten = new Set<() => void>();
  let isOpen = true;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const act of [...unlisten, ...ends]) act();
  };
  return {
    query: async ({ text }, values = []) => {
      if (!isOpen) throw new Error('the connection is closed');
      return (await database.query<DatabaseRow>(text, [...values])).rows;
    },
    together: (act) => act(),
    script: async (text) => {
      if (!isOpen) throw new Error('the connection is closed');
      await database.exec(text);
    },
    get isOpen() {
      return isOpen;
    },
    onEnd: (act) => void ends.add(act),
    onNotification: (act) => void unlisten.add(database.onNotification((_, payload) => act(payload))),
    close: async () => end(),
    destroy: end,
  };
}

import type { Context } from '../context.ts';
import { createReadingServer, type ReadingRoom, type ReadingServer } from '../reading/listener.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { FetchMemory } from './fetch.ts';
import { ImapSession } from './session.ts';

/** A client may stay silent for half an hour (RFC 3501 5.4). */
const ROOM: ReadingRoom = { connections: 500, idleMs: 31 * 60_000, signInMs: 60_000 };

/** Creates the server for clients that read mailboxes over IMAP (docs/imap.md#imap). */
export function createImapServer(ctx: Context, tls: ServerTls, room: ReadingRoom = ROOM): ReadingServer {
  const memory = new FetchMemory();
  return createReadingServer(
    ctx,
    tls,
    {
      name: 'IMAP',
      farewell: (reason) => `* BYE ${reason}\r\n`,
      serve: (connection, ourTls) => new ImapSession(ctx, connection, ourTls, memory).serve(),
    },
    room,
  );
}

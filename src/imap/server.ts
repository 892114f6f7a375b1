import type { Context } from '../context.ts';
import { createReadingServer, type ReadingRoom } from '../reading/listener.ts';
import type { MailServer } from '../smtp/listening.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { FetchMemory } from './fetch.ts';
import { ImapSession } from './session.ts';

/** A client may stay silent for half an hour (RFC 3501 5.4). */
const ROOM: ReadingRoom = { connections: 500, idleMs: 31 * 60_000, signInMs: 60_000 };

/** Creates the server for clients that read mailboxes over IMAP (docs/imap.md#imap). */
export function createImapServer(ctx: Context, tls: ServerTls, room: ReadingRoom = ROOM): MailServer {
  const memory = new FetchMemory();
  return createReadingServer(
    ctx,
    tls,
    {
      name: 'IMAP',
      farewell: (reason) => `* BYE ${reason}\r\n`,
      serve: (connection) => new ImapSession(ctx, connection, tls, memory).serve(),
    },
    room,
  );
}

import type { Context } from '../context.ts';
import { ListRoom } from '../reading/list-room.ts';
import { createReadingServer, type ReadingRoom } from '../reading/listener.ts';
import type { MailServer } from '../smtp/listening.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { SentSizes } from './sent-sizes.ts';
import { Pop3Session } from './session.ts';

const ROOM: ReadingRoom = { connections: 1_000, idleMs: 600_000, signInMs: 60_000 };

/** Creates the server for clients that read mailboxes over POP3 (docs/imap.md#pop3). */
export function createPop3Server(ctx: Context, tls: ServerTls, room: ReadingRoom = ROOM): MailServer {
  const shared = { lists: new ListRoom(), sizes: new SentSizes(ctx) };
  return createReadingServer(
    ctx,
    tls,
    {
      name: 'POP3',
      farewell: (reason) => `-ERR [SYS/TEMP] ${reason}\r\n`,
      serve: (connection) => new Pop3Session(ctx, connection, tls, shared).serve(),
    },
    room,
  );
}

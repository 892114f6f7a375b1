import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * The fate of what a client of the database says:
 * - `lost`: the connection is cut before it arrives.
 * - `answer lost`: it arrives, and the connection is cut when the database has ended the transaction.
 * - `silence`: it arrives, and from then on nothing passes, in either direction. No end is told.
 */
export type Fate = 'passed on' | 'lost' | 'answer lost' | 'silence';

/** A session of the database through the proxy. */
export interface ProxiedSession {
  /** The name that the client gave, as `pg_stat_activity` has it. */
  readonly name: string;
  /** Tells whether the database last said that a transaction is open. */
  readonly isInTransaction: boolean;
  /** Lets nothing pass any more, without an end. */
  mute(): void;
}

/** A proxy before PostgreSQL that fails as networks do. */
export interface DatabaseProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** The sessions that are open. */
  readonly sessions: ReadonlySet<ProxiedSession>;
  /**
   * Decides the fate of each message. Its text is a simple query's, or for a prepared statement the step and the name:
   * `bind`, `execute` or `sync`. It is empty for others.
   */
  meet: (session: ProxiedSession, text: string) => Fate;
  /** Tells whether new connections get no word. */
  isDeaf: boolean;
}

/** The lengths in bytes of a message's length, and of its type. */
const [LENGTH, TYPE] = [4, 1];

/** The types of the messages that run a prepared statement. */
const STEPS: ReadonlyMap<number, string> = new Map([
  [0x42, 'bind'],
  [0x45, 'execute'],
  [0x53, 'sync'],
]);

/** Starts a proxy before the database of a URL. It ends with the test. */
export async function proxyTo(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const sessions = new Set<ProxiedSession>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (proxy.isDeaf) return;
    const database = connect(Number(target.port), target.hostname);
    keep(database);
    join(client, database, sessions, (session, text) => proxy.meet(session, text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  const through = new URL(url);
  through.port = String(port);
  const proxy: DatabaseProxy = { url: through.href, sessions, meet: () => 'passed on', isDeaf: false };
  return proxy;
}

function join(client: Socket, database: Socket, sessions: Set<ProxiedSession>, meet: DatabaseProxy['meet']): void {
  let session: ProxiedSession | null = null;
  let isMute = false;
  let isAwaited = false;
  let isInTransaction = false;
  let statement = '';
  const cut = () => {
    client.destroy();
    database.destroy();
  };
  const fromClient = splitter(true, (message) => {
    if (session === null) {
      const name = /application_name\0([^\0]*)/.exec(message.toString('latin1'))?.[1] ?? '';
      const mute = () => {
        isMute = true;
      };
      session = {
        name,
        mute,
        get isInTransaction() {
          return isInTransaction;
        },
      };
      sessions.add(session);
      database.write(message);
      return;
    }
    const step = STEPS.get(message[0] ?? 0);
    const content = message.toString('latin1', TYPE + LENGTH);
    // `Bind` names a portal and a statement.
    if (step === 'bind') statement = content.split('\0', 2)[1] ?? '';
    const text = message[0] === 0x51 ? content.slice(0, -1) : step === undefined ? '' : `${step} ${statement}`;
    const fate = isMute ? 'passed on' : meet(session, text);
    if (fate === 'lost') cut();
    else if (!isMute) database.write(message);
    if (fate === 'silence') isMute = true;
    if (fate === 'answer lost') isAwaited = true;
  });
  const fromDatabase = splitter(false, (message) => {
    // `ReadyForQuery` says whether a transaction is open.
    if (message[0] === 0x5a) isInTransaction = message[TYPE + LENGTH] !== 0x49;
    if (isAwaited && message[0] === 0x5a && !isInTransaction) cut();
    else if (!isMute && !client.destroyed) client.write(message);
  });
  client.on('data', fromClient);
  database.on('data', fromDatabase);
  const over = () => {
    if (session !== null) sessions.delete(session);
    if (!isMute) cut();
  };
  client.once('close', over);
  database.once('close', over);
}

/** Cuts a stream of PostgreSQL's protocol into messages. The first one of a client has no type. */
function splitter(isUntyped: boolean, take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let at = isUntyped ? 0 : TYPE;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= at + LENGTH) {
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      at = TYPE;
      take(message);
    }
  };
}

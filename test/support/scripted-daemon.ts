import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A daemon on loopback that answers by a script. */
export interface ScriptedDaemon extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The address as an option takes it: `host:port`. */
  readonly address: string;
  /** The complete contents in the order of their arrival. */
  readonly contents: Buffer[];
  readonly connections: number;
  close(): Promise<void>;
}

/** The action of the daemon after it received a content. */
export type Script = (socket: Socket, content: Buffer) => void;

export interface Daemon {
  readonly script: Script;
  /** Returns the complete content, or null if more data must follow. */
  contentOf(received: Buffer): Buffer | null;
  /** Called for each connection, of which nothing is read then. */
  readonly greet?: ((socket: Socket) => void) | undefined;
  readonly port?: number;
}

/** Starts a daemon. */
export async function scriptedDaemon({ script, contentOf, greet, port = 0 }: Daemon): Promise<ScriptedDaemon> {
  const sockets = new Set<Socket>();
  const contents: Buffer[] = [];
  let connections = 0;
  // A client may end its side of the connection before it has the answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (greet !== undefined) return greet(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const content = contentOf(received);
      if (content === null) return;
      socket.removeAllListeners('data').resume();
      contents.push(content);
      script(socket, content);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a TCP listener's address is never a string
  const close = async () => {
    if (!server.listening) return;
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return {
    host: '127.0.0.1',
    port: address.port,
    address: `127.0.0.1:${address.port}`,
    contents,
    get connections() {
      return connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

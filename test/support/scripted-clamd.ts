import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface ScriptedClamd extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The address as `--clamd` takes it: `host:port`. */
  readonly address: string;
  /** The complete contents in the order of their arrival. */
  readonly contents: Buffer[];
  readonly connections: number;
  close(): Promise<void>;
}

/** The action of the daemon after it received a content. */
export type Script = (socket: Socket, content: Buffer) => void;

/** Returns a script that sends a verdict in clamd's format. */
export function answer(reply: string): Script {
  return (socket) => socket.end(`${reply}\0`);
}

/**
 * Starts a daemon that implements INSTREAM as the manual says and answers by the script. With `greet`, it calls that
 * for each connection and reads nothing.
 */
export async function scriptedClamd(
  script: Script,
  greet?: (socket: Socket) => void,
  port = 0,
): Promise<ScriptedClamd> {
  const sockets = new Set<Socket>();
  const contents: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
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

const COMMAND = Buffer.from('zINSTREAM\0');

/** Returns the complete content, or null if more data must follow. */
function contentOf(received: Buffer): Buffer | null {
  if (received.length < COMMAND.length) return null;
  if (!received.subarray(0, COMMAND.length).equals(COMMAND)) throw new Error('this is no zINSTREAM');
  const chunks: Buffer[] = [];
  for (let at = COMMAND.length; received.length >= at + 4; ) {
    const length = received.readUInt32BE(at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}

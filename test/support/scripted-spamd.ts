import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface ScriptedSpamd extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The address as `--spamd` takes it: `host:port`. */
  readonly address: string;
  /** The whole requests in the order of their arrival. */
  readonly requests: Buffer[];
  close(): Promise<void>;
}

/** The action of the daemon after a whole request. */
export type SpamdScript = (socket: Socket, request: Buffer) => void;

const RULER = '---- ---------------------- --------------------------------------------------';

/** Returns an answer in spamd's format. */
export function spamdAnswer(spam: string, rules: readonly string[] = [], above = ''): string {
  const report = ['Spam detection software', above, ' pts rule name              description', RULER, ...rules, '', ''];
  const body = Buffer.from(report.join('\n'));
  return `SPAMD/1.1 0 EX_OK\r\nContent-length: ${body.length}\r\nSpam: ${spam}\r\n\r\n${body.toString('latin1')}`;
}

/** Starts a daemon that reads a request by its Content-length and answers by the script. */
export async function scriptedSpamd(script: SpamdScript): Promise<ScriptedSpamd> {
  const sockets = new Set<Socket>();
  const requests: Buffer[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const head = received.indexOf('\r\n\r\n');
      const [, length] = /Content-length: (\d+)/.exec(received.toString('latin1', 0, Math.max(0, head))) ?? [];
      if (head < 0 || received.length < head + 4 + Number(length)) return;
      socket.removeAllListeners('data').resume();
      requests.push(received);
      script(socket, received);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP listener's address is never a string
  const close = async () => {
    if (!server.listening) return;
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return {
    host: '127.0.0.1',
    port,
    address: `127.0.0.1:${port}`,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

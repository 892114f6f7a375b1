import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** An action of the script: a reply, `drop` to cut the connection, or `stall` to stay silent until the test ends. */
export type Move = string | 'drop' | 'stall';

export interface Script {
  greet?(connection: number): Move;
  /** The relay offers AUTH if this function exists. */
  auth?(): Move;
  mail?(from: string): Move;
  /** `times` is how often the client named this recipient before. */
  rcpt?(address: string, times: number): Move;
  data?(): Move;
  /** Called at the first bytes of the message. */
  middle?(): Move | null;
  /** Called at the end of the message. The relay keeps the message only if it answers 2xx. */
  end?(mail: ReceivedMail): Move;
}

export interface ReceivedMail {
  readonly from: string;
  readonly rcptTo: readonly string[];
  /** The message without dot-stuffing. */
  readonly raw: string;
}

export interface ScriptedRelay extends AsyncDisposable {
  readonly url: string;
  /** The messages that were answered with 2xx, in order. */
  readonly taken: ReceivedMail[];
  /** All complete messages, whatever the reply. */
  readonly seen: ReceivedMail[];
  /** All commands as they were sent. */
  readonly commands: string[];
  connections: number;
  /** The current script. A test may replace it. */
  script: Script;
  /** Cuts all connections. */
  cut(): void;
}

/** Starts an SMTP server that follows a script and otherwise behaves correctly. */
export async function scriptedRelay(script: Script = {}, port = 0): Promise<ScriptedRelay> {
  const sockets = new Set<Socket>();
  const named = new Map<string, number>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    relay.connections++;
    converse(relay, named, socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo; // a TCP server has an address
  const relay: ScriptedRelay = {
    url: `smtp://127.0.0.1:${bound}`,
    taken: [],
    seen: [],
    commands: [],
    connections: 0,
    script,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      relay.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return relay;
}

function converse(relay: ScriptedRelay, named: Map<string, number>, socket: Socket): void {
  let pending = '';
  let from = '';
  let rcptTo: string[] = [];
  let message: string | null = null;
  let begun = false;
  let stalled = false;

  /** Performs a move. Returns false if the connection takes no further reply. */
  const make = (move: Move): boolean => {
    if (move === 'drop') socket.destroy();
    else if (move === 'stall') stalled = true;
    else socket.write(`${move}\r\n`);
    return move !== 'drop' && move !== 'stall';
  };

  const command = (line: string): void => {
    relay.commands.push(line);
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<(.*?)>/.exec(line)?.[1] ?? '';
    if (verb === 'EHLO') {
      const auth = relay.script.auth === undefined ? '' : '250-AUTH PLAIN\r\n';
      make(`250-relay.test\r\n${auth}250-8BITMIME\r\n250-SMTPUTF8\r\n250 PIPELINING`);
    } else if (verb === 'AUTH') make(relay.script.auth?.() ?? '502 5.5.1 Not here');
    else if (verb === 'MAIL') {
      from = address;
      rcptTo = [];
      make(relay.script.mail?.(address) ?? '250 2.1.0 Ok');
    } else if (verb === 'RCPT') {
      const times = named.get(address) ?? 0;
      named.set(address, times + 1);
      const move = relay.script.rcpt?.(address, times) ?? '250 2.1.5 Ok';
      if (move.startsWith('250')) rcptTo.push(address);
      make(move);
    } else if (verb === 'DATA') {
      if (rcptTo.length === 0) return void make('554 5.5.1 No valid recipients');
      const move = relay.script.data?.() ?? '354 Go ahead';
      if (move.startsWith('354')) message = '';
      begun = false;
      make(move);
    } else if (verb === 'QUIT') {
      make('221 2.0.0 Bye');
      socket.end();
    } else make('250 2.0.0 Ok');
  };

  const end = (): void => {
    const mail = { from, rcptTo, raw: (message ?? '').replace(/^\./gm, '') };
    message = null;
    relay.seen.push(mail);
    const move = relay.script.end?.(mail) ?? '250 2.0.0 Ok: queued';
    if (move.startsWith('250')) relay.taken.push(mail);
    make(move);
  };

  if (!make(relay.script.greet?.(relay.connections) ?? '220 relay.test ESMTP')) return;
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (let at = pending.indexOf('\r\n'); at >= 0 && !socket.destroyed && !stalled; at = pending.indexOf('\r\n')) {
      const line = pending.slice(0, at);
      pending = pending.slice(at + 2);
      if (message === null) command(line);
      else if (line === '.') end();
      else {
        const move = begun ? null : (relay.script.middle?.() ?? null);
        begun = true;
        if (move !== null && !make(move)) return;
        message += `${line}\r\n`;
      }
    }
  });
}

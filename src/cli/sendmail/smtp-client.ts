import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isUrl } from '../../text/is-url.ts';

/** The timeout of the connection, in milliseconds. It is longer than a server takes for a mail. */
const PATIENCE_MS = 5 * 60_000;

export interface ServerReply {
  readonly code: number;
  readonly text: string;
}

export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user: string | null;
  readonly password: string;
}

/** Parses an SMTP URL such as `smtp://user:password@host:port`; null if it is invalid. */
export function parseSmtpUrl(url: string): SmtpTarget | null {
  if (!/^smtps?:\/\//i.test(url) || !isUrl(url)) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const tls = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (tls ? 465 : 25) : Number(port),
    tls,
    user: username === '' ? null : decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** Opens a connection. Rejects if nobody listens. */
export function open({ host, port, tls }: SmtpTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // A mail catcher's certificate is self-signed, so it is not verified.
    const to = { host, port, timeout: PATIENCE_MS };
    const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connectTcp(to);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** An SMTP session over a connection. Each method sends a command and returns its reply. */
export class SmtpClient {
  readonly #socket: Socket;
  readonly #replies: AsyncGenerator<ServerReply, void, void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#socket.once('timeout', () => socket.destroy(new Error('the server does not answer')));
    this.#replies = repliesOf(socket);
  }

  async reply(): Promise<ServerReply> {
    const { value } = await this.#replies.next();
    if (value === undefined) throw new Error('the server closed the connection');
    return value;
  }

  command(line: string): Promise<ServerReply> {
    this.#socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends a message, dot-stuffed (RFC 5321 section 4.5.2), and the final dot. `message` must end with CRLF. */
  data(message: Buffer): Promise<ServerReply> {
    this.#socket.write(stuffed(message));
    this.#socket.write('.\r\n');
    return this.reply();
  }

  end(): void {
    this.#socket.end('QUIT\r\n');
    this.#socket.destroySoon();
  }
}

export function stuffed(message: Buffer): Buffer {
  return Buffer.from(message.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1');
}

async function* repliesOf(socket: Socket): AsyncGenerator<ServerReply, void, void> {
  let held = '';
  let lines: string[] = [];
  for await (const chunk of socket) {
    held += String(chunk);
    for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n')) {
      const line = held.slice(0, end).trimEnd();
      held = held.slice(end + 1);
      lines.push(line);
      if (/^\d{3}-/.test(line)) continue;
      yield { code: Number(line.slice(0, 3)), text: lines.join(' ') };
      lines = [];
    }
  }
}

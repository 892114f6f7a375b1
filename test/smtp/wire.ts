import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** An SMTP client that sends exactly what the test says. */
export class Wire {
  socket: Socket | TLSSocket;
  #received = '';
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket | TLSSocket) {
    this.socket = socket;
    this.#listen();
  }

  static async open(port: number, greeted = true): Promise<Wire> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const wire = new Wire(socket);
    if (greeted) await wire.reply();
    return wire;
  }

  /** Connects to a port that uses TLS from the first byte. */
  static async openWithTls(port: number, rejectUnauthorized = false): Promise<Wire> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized });
    await once(socket, 'secureConnect');
    return new Wire(socket);
  }

  /** Connects and sends EHLO, so that MAIL can follow. */
  static async hello(port: number): Promise<Wire> {
    const wire = await Wire.open(port);
    await wire.say('EHLO client.test');
    return wire;
  }

  write(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes);
  }

  /** Returns the next complete reply without its last line end. Rejects if the connection ends before. */
  async reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#received);
      if (match !== null) {
        this.#received = this.#received.slice(match[0].length);
        return match[0].slice(0, -2);
      }
      if (this.#ended) throw new Error(`the connection ended; left: ${JSON.stringify(this.#received)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends lines in turn and returns their replies. */
  async sayAll(...lines: string[]): Promise<string[]> {
    const replies: string[] = [];
    for (const line of lines) replies.push(await this.say(line));
    return replies;
  }

  /**
   * Runs a whole mail transaction and returns the last reply. `content` is sent unchanged, followed by the end of data.
   */
  async mail(to: string | readonly string[], content: string | Buffer, from = 'sender@x.test'): Promise<string> {
    await this.say(`MAIL FROM:<${from}>`);
    for (const recipient of typeof to === 'string' ? [to] : to) await this.say(`RCPT TO:<${recipient}>`);
    const go = await this.say('DATA');
    if (!go.startsWith('354')) return go;
    this.write(content);
    return this.say('\r\n.');
  }

  /** Switches to TLS. `command` may contain more than STARTTLS in the same write. */
  async startTls(command = 'STARTTLS\r\n', rejectUnauthorized = false): Promise<void> {
    this.write(command);
    await this.reply();
    this.socket.removeAllListeners();
    const secure = connectTls({ socket: this.socket, rejectUnauthorized, servername: 'localhost' });
    await once(secure, 'secureConnect');
    this.socket = secure;
    this.#listen();
  }

  /** Resolves when the server has closed its side, with everything that it sent before. */
  async ended(): Promise<string> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }

  #listen(): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('utf8');
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    this.socket.on('end', end).on('close', end).on('error', end);
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectWithTls } from 'node:tls';

/** A client of POP3 or IMAP that says lines as a test writes them. */
export class Wire {
  #socket: Socket;
  #text = '';
  #isEnded = false;
  #more: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** Connects, and reads the greeting. */
  static async greeted(port: number): Promise<Wire> {
    const wire = new Wire(connect(port, '127.0.0.1'));
    await wire.line();
    return wire;
  }

  static async open(port: number): Promise<Wire> {
    return new Wire(connect(port, '127.0.0.1'));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Reads nothing more, so that the server has to wait. */
  pause(): void {
    this.#socket.pause();
  }

  /** Everything that came and was not read. */
  get unread(): string {
    return this.#text;
  }

  write(bytes: string | Uint8Array): boolean {
    return this.#socket.write(bytes);
  }

  /** Reads until a text that `is` what was waited for, and returns it. Rejects if the server ends before. */
  async until(is: (text: string) => number): Promise<string> {
    for (;;) {
      const end = is(this.#text);
      if (end > 0) {
        const read = this.#text.slice(0, end);
        this.#text = this.#text.slice(end);
        return read;
      }
      if (this.#isEnded) throw new Error(`the server ended after ${JSON.stringify(this.#text.slice(-500))}`);
      await new Promise<void>((resolve) => {
        this.#more = resolve;
      });
    }
  }

  async line(): Promise<string> {
    return (await this.until((text) => text.indexOf('\n') + 1)).replace(/\r\n$/, '');
  }

  /** Says a line and returns the next one. */
  async say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.line();
  }

  /** Says a line of POP3 whose answer has many lines, and returns them without the dot at the end. */
  async sayMany(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    const isRefused = (text: string) => (text.startsWith('-') ? text.indexOf('\n') + 1 : 0);
    const text = await this.until(
      (read) => isRefused(read) || read.indexOf('\r\n.\r\n') + 5 * Number(read.includes('\r\n.\r\n')),
    );
    return text.replace(/\r\n\.\r\n$/, '\r\n');
  }

  /** Waits for the end of the connection. Returns what came before it. */
  async ended(): Promise<string> {
    if (!this.#isEnded) await once(this.#socket, 'close');
    return this.#text;
  }

  /** Begins TLS. */
  async secure(): Promise<void> {
    this.#socket.removeAllListeners('data');
    const secured = connectWithTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secured, 'secureConnect');
    this.#socket = secured;
    this.#listen();
  }

  /** Closes the client's half, as `printf ... | nc` does. */
  endWriting(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on('error', () => {});
    this.#socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
      this.#more();
    });
    this.#socket.on('close', () => {
      this.#isEnded = true;
      this.#more();
    });
  }
}

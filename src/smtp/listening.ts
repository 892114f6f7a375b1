import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Context } from '../context.ts';

/** A server of SMTP, POP3 or IMAP. */
export interface MailServer {
  readonly connections: number;
  /** Starts to listen. Rejects if the port is taken or a given TLS file is unusable. */
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Listens on a second port with TLS from the first byte. Rejects as `listen` does. */
  listenWithTls(port: number, host: string): Promise<{ port: number }>;
  /** Stops accepting connections. Running commands get `graceMs` to finish; all other connections end at once. */
  close(graceMs: number): Promise<void>;
}

/** Starts to listen. Rejects if the port is taken. */
export async function listenOn(listener: Server, port: number, host: string): Promise<{ port: number }> {
  await once(listener.listen(port, host), 'listening');
  return { port: (listener.address() as AddressInfo).port }; // a TCP listener's address is never a string
}

/** Accepts no more connections. Those that are busy get `graceMs` to finish, then they are cut. */
export function closeWithin(
  graceMs: number,
  { clock }: Context,
  listeners: readonly Server[],
  connections: { drain(): void; cut(): void },
): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(graceMs, () => {
      connections.cut();
      resolve();
    });
    // A listener that never listened is closed too.
    void Promise.all(listeners.map((listener) => new Promise((ended) => listener.close(ended)))).then(() => {
      stop();
      resolve();
    });
    connections.drain();
  });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { onTestFinished } from 'vitest';
import { type Served, serve } from '../faults/served.ts';

/** Starts a server in a process of its own, with a data directory of its own, on the database. */
export async function serveOn(url: string, ...flags: string[]): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-server-'));
  const served = await serve(directory, '--store', url, '--log-level', 'info', ...flags);
  onTestFinished(async () => {
    await served.end('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  return served;
}

/** Starts two servers on a database, with the same options. */
export async function twoOn(url: string, ...flags: string[]): Promise<readonly [Served, Served]> {
  return [await serveOn(url, ...flags), await serveOn(url, ...flags)];
}

/** Sends a request with the development key, and JSON if there is a body. */
export function call({ ready }: Served, method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
  return fetch(ready.url + path, {
    method,
    headers: {
      authorization: `Bearer ${ready.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export interface Sender {
  /** Sends a mail to the server's inbox and resolves when it is acknowledged. */
  send(subject: string, to?: string): Promise<void>;
  close(): void;
}

/** Sends mail to a server, over up to `connections` connections that stay open. */
export function senderTo({ ready }: Pick<Served, 'ready'>, connections = 5): Sender {
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    host: ready.smtpHost,
    port: ready.smtpPort,
    ignoreTLS: true,
    connectionTimeout: 5_000,
  });
  onTestFinished(() => transport.close());
  return {
    send: async (subject, to = 'someone@mailcap.example.com') => {
      await transport.sendMail({ from: 'app@x.test', to, subject, text: `body of ${subject}` });
    },
    close: () => transport.close(),
  };
}

/** Shows a measurement in the output of the run. */
export function measured(text: string): void {
  process.stdout.write(`${text}\n`);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { TestServer } from '../support/mailcap.ts';
import { json } from './support.ts';

export interface WebhookView {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string | null;
  readonly key: string;
  readonly responseStatus: number;
  readonly responseContentType: string | null;
  readonly responseBody: string;
  readonly forwardMode: number;
  readonly forwardUrl: string | null;
  readonly retentionDays: number;
  readonly maxRetentionDays: number;
  readonly requestCount: number;
  readonly lastRequestAt: string | null;
  readonly createdAt: string;
}

export interface RequestView {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly contentType: string | null;
  readonly sizeBytes: number;
  readonly sourceIp: string;
  readonly receivedAt: string;
  readonly responseStatus: number;
  readonly endpointId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly forwardStatus: number;
  readonly forwardHttpStatus: number | null;
  readonly forwardAttempts: number;
  readonly forwardedAt: string | null;
  readonly forwardError: string | null;
  readonly forwardResponse: string | null;
  readonly bodyIsText: boolean;
  readonly bodyText: string | null;
}

export interface RequestPage {
  readonly items: readonly RequestView[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
}

export interface Hook extends WebhookView {
  /** The webhook URL. */
  readonly url: string;
}

/** Creates a webhook, and throws if the server refuses it. */
export async function addHook(
  server: TestServer,
  settings: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Hook> {
  const response = await server.api('/v1/webhooks', { json: settings, headers });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const view = await json<WebhookView>(response);
  return { ...view, url: `${server.ready.webhookBaseUrl}/${view.key}` };
}

export async function getHook(server: TestServer, { id }: WebhookView): Promise<WebhookView> {
  return json<WebhookView>(server.api(`/v1/webhooks/${id}`));
}

/** Returns the captured requests of a webhook, newest first. */
export async function requestsOf(server: TestServer, { id }: WebhookView): Promise<readonly RequestView[]> {
  return (await json<RequestPage>(server.api(`/v1/webhooks/${id}/requests?pageSize=200`))).items;
}

/** Returns the newest captured request with all its fields. */
export async function lastRequest(server: TestServer, hook: WebhookView): Promise<RequestView> {
  const [newest] = await requestsOf(server, hook);
  return json<RequestView>(server.api(`/v1/webhooks/requests/${newest?.id}`));
}

/** Returns the newest request as the local API has it: its headers as sent, and its exact bytes. */
export async function asSent(
  server: TestServer,
  hook: WebhookView,
): Promise<{ headers: [string, string][]; hasBody: boolean; bytes: Buffer }> {
  const [newest] = await requestsOf(server, hook);
  const path = `/_mailcap/webhooks/requests/${newest?.id}`;
  const { headers, hasBody } = await json<{ headers: [string, string][]; hasBody: boolean }>(server.api(path));
  return { headers, hasBody, bytes: Buffer.from(await (await server.api(`${path}/body`)).arrayBuffer()) };
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Target {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Resolves when this many requests have arrived. */
  until(count: number): Promise<readonly Received[]>;
}

/** Starts a server as a forwarding target. It answers 200 by default. */
export async function startTarget(
  answer: (res: ServerResponse, received: Received, count: number) => void = (res) => res.end('thanks'),
): Promise<Target> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url = '', rawHeaders, headers } = req;
      const one = { method, url, rawHeaders, headers, body: Buffer.concat(chunks) };
      received.push(one);
      for (const wake of waiting) wake();
      answer(res, one, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    until: async (count) => {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
      return received;
    },
  };
}

/** Repeats a request until the claim holds. It pauses in between, because a retry of the server can be seconds away. */
export function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  return vi.waitFor(
    async () => {
      const value = await ask();
      if (!holds(value)) throw new Error(`it does not hold of ${JSON.stringify(value)}`);
      return value;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** Sends bytes unchanged. It reads until the server closes the connection or `enough` returns true. */
export function wire(
  url: string,
  bytes: readonly (string | Buffer)[],
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const part of bytes) socket.write(part);
    });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

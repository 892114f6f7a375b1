import { type IncomingMessage, request } from 'node:http';

/** The parts of an answer that the command line reads. */
export interface QuickReply {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** The parts of a request that the client uses. */
interface QuickRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a request as `fetch` does, by Node's older client: loading `fetch` takes longer than all else that a command
 * does. It follows no redirect, as no answer of a mailcap server is one. Other URLs than http go to `fetch`.
 */
export async function quickFetch(url: string | URL, init: QuickRequest = {}): Promise<QuickReply> {
  const target = new URL(url);
  if (target.protocol !== 'http:') return fetch(target, init as RequestInit);
  const { method = 'GET', headers = {}, body, signal } = init;
  signal?.throwIfAborted();
  try {
    return await read(await sent(target, { method, headers, signal }, body));
  } catch (error) {
    signal?.throwIfAborted();
    // As with `fetch`, the reason is the cause.
    throw new TypeError('fetch failed', { cause: error });
  }
}

function sent(
  url: URL,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    signal: AbortSignal | undefined;
  },
  body: string | Uint8Array | undefined,
): Promise<IncomingMessage> {
  const bytes = body === undefined ? null : Buffer.from(body);
  const headers = { ...options.headers, ...(bytes === null ? {} : { 'Content-Length': `${bytes.length}` }) };
  return new Promise((resolve, reject) => {
    const going = request(url, { ...options, headers }, resolve).once('error', reject);
    going.end(bytes ?? undefined);
  });
}

async function read(message: IncomingMessage): Promise<QuickReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const status = message.statusCode ?? 0;
  const text = async () => bytes.toString('utf8');
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
    text,
    json: async () => JSON.parse(await text()),
  };
}

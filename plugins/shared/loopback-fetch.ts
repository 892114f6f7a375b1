import http, { type IncomingMessage } from 'node:http';
import { isThisMachine } from '../../src/extract/list-unsubscribe.ts';

/**
 * The time in milliseconds after which an idle connection is closed. The server keeps it longer, so no request is sent
 * on a connection that the server is closing.
 */
const KEPT_MS = 30_000;

/** The connections to the server. An idle one does not keep the process alive. */
const agent = new http.Agent({ keepAlive: true, timeout: KEPT_MS });

/**
 * Makes the requests of the fixtures. It calls a server on this machine through `node:http`, which is a millisecond
 * faster per request than the global `fetch`, and which no test replaces by a stub. It calls other servers by `fetch`.
 * It fails as `fetch` does: with the signal's reason, or with a TypeError that has a `cause`.
 */
export const loopbackFetch: typeof fetch = async (input, init = {}) => {
  const url = typeof input === 'string' ? new URL(input) : null;
  const { method = 'GET', headers, body = null, signal } = init;
  const isPlain = body === null || typeof body === 'string' || body instanceof Uint8Array;
  if (url?.protocol !== 'http:' || !isThisMachine(url.hostname) || !isPlain) return globalThis.fetch(input, init);
  signal?.throwIfAborted();
  try {
    const sent = { agent, method, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) };
    const answer = await send(url, sent, body);
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece);
    const status = answer.statusCode ?? 0;
    return new Response(isBodiless(status) ? null : Buffer.concat(pieces), { status, headers: headersOf(answer) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
};

function send(url: URL, options: http.RequestOptions, body: string | Uint8Array | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.request(url, options, resolve).on('error', reject).end(body);
  });
}

/** Tells whether an answer with this status has no body. `Response` would refuse a body for it. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';
import { whyUnreached } from '../unreachable.ts';
import { bytesOf, type WholeRequest } from './read-request.ts';

/** The timeout of a request, in milliseconds. A forward by the server has the same. */
const PATIENCE_MS = 10_000;
/** The most bytes of an answer that are read. */
const MOST_BYTES = 1024 * 1024;
/**
 * The headers that applied to the original connection only (RFC 9110 section 7.6.1), and those that are written anew.
 */
const LEFT_OUT = new Set([
  ...['host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'expect', 'proxy-authorization', 'proxy-authenticate'],
]);

export interface Answer {
  /** The URL that was called, with the sub-path and query of the request. */
  readonly url: string;
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends a captured request again to another URL, with its original method, headers and bytes. Throws a
 * {@link UserError} if nobody answers.
 */
export async function sendAgain(request: WholeRequest, to: string): Promise<Answer> {
  const { view, headers } = request;
  const url = targetOf(to, view.path, view.query);
  const body = bytesOf(request);
  const kept = headers.filter(([name]) => !LEFT_OUT.has(name.toLowerCase()));
  const method = view.method ?? 'POST';
  const length = body.length > 0 || /^(POST|PUT|PATCH)$/i.test(method) ? [['Content-Length', `${body.length}`]] : [];
  const flat = [['Host', url.host], ...kept, ...length].flat();
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const sent = send(url, { method, headers: flat, signal }, resolve).once('error', reject);
      sent.end(body);
    });
    return { url: url.href, status: response.statusCode ?? 0, body: await beginningOf(response) };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'AbortError';
    const why = isLate
      ? `no answer within ${PATIENCE_MS / 1_000} s`
      : error instanceof Error
        ? whyUnreached(error) || 'it refused'
        : String(error);
    throw new UserError(`${url.origin} did not take the request: ${why}.`, EXIT.failed, { cause: error });
  }
}

/** Builds the URL. The sub-path and the query are appended, as in a forward. */
function targetOf(to: string, path: string | null, query: string | null): URL {
  const url = new URL(to);
  if (path !== null && path !== '/') url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  if (query) url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url;
}

async function beginningOf(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    chunks.push(bytes.subarray(0, MOST_BYTES - size));
    size += bytes.length;
    if (size >= MOST_BYTES) break;
  }
  return Buffer.concat(chunks);
}

import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { beginningOf, joinedHeaders } from '../../webhooks/answer.ts';
import type { DeliveryReply, DeliveryRequest } from '../../webhooks/deliver.ts';
import { isOwnHeader } from '../../webhooks/parcel.ts';
import { type HttpTarget, targetFor } from '../../webhooks/target.ts';
import { whyUnreached } from '../unreachable.ts';

/** The most bytes of an answer that are read. */
const MOST_BYTES = 1024 * 1024;

/** Returns the target below a URL, byte for byte: the sub-path and the query are appended, as in a forward. */
export function targetBelow(to: string, path: string | null, query: string | null): HttpTarget {
  return targetFor(to, { path: path ?? '/', query: query || null });
}

/**
 * Sends a request once, with its headers in their order and case. It follows no redirect, and reads at most 1 MiB of the
 * answer. A target that does not answer gives a reply with an error.
 */
export async function exchange(
  target: HttpTarget,
  { method, headers, body, timeoutMs }: DeliveryRequest,
): Promise<DeliveryReply> {
  const { origin, path } = target;
  const signal = AbortSignal.timeout(timeoutMs);
  const kept = headers.filter(([name]) => !isOwnHeader(name));
  const length = body.length > 0 || /^(POST|PUT|PATCH)$/i.test(method) ? [['Content-Length', `${body.length}`]] : [];
  const url = new URL(origin);
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  const nothing = { status: null, headers: {}, beginning: new Uint8Array() };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, path, headers: [['Host', url.host], ...kept, ...length].flat(), signal };
      const sent = send(url, options, resolve).once('error', reject);
      // This program asks for no other protocol. Without a listener the request would end without an answer or an error.
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response);
      });
      sent.end(body);
    });
    const status = response.statusCode ?? null;
    const beginning = await beginningOf(response, MOST_BYTES);
    return { status, headers: joinedHeaders(response.headers), beginning, isLate: false, error: null };
  } catch (error) {
    if (signal.aborted) return { ...nothing, isLate: true, error: `no answer within ${timeoutMs / 1_000} s` };
    const why = error instanceof Error ? whyUnreached(error) || 'it refused' : String(error);
    return { ...nothing, isLate: false, error: why };
  }
}

import type { IncomingMessage } from 'node:http';
import type { IncomingBody } from '../actions/capture-request.ts';
import { Incoming } from '../actions/incoming.ts';
import { refuse } from '../domain/errors.ts';
import type { Blobs, BlobWriter } from '../ports/store.ts';

/**
 * The largest body of a captured request, in bytes. A larger one gets a 413 and is not recorded
 * (docs/contract.md#capture).
 */
const BODY_LIMIT = 10 * 1024 * 1024;

/** Reads the body byte for byte; null if the request has none (RFC 9112 section 6.3). Throws `payload_too_large`. */
export async function readCaptured(blobs: Blobs, req: IncomingMessage): Promise<IncomingBody | null> {
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers;
  if (encoding === undefined && length === undefined) return null;
  if (Number(length ?? 0) > BODY_LIMIT) throw refuse('payload_too_large');
  const incoming = new Incoming();
  let sizeBytes = 0;
  let writer: BlobWriter | null = null;
  try {
    // The stream stays open after an early end, because the answer goes out on this connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > BODY_LIMIT) throw refuse('payload_too_large');
      if (!incoming.push(chunk)) continue;
      writer ??= blobs.writer();
      for (const part of incoming.take()) await writer.write(part);
    }
    if (writer === null) return { bytes: incoming.takeWhole(), sizeBytes };
    for (const part of incoming.take()) await writer.write(part);
  } catch (error) {
    writer?.abort();
    throw error;
  }
  return { ref: await writer.finish(), sizeBytes };
}

import type { IncomingMessage } from 'node:http';
import type { IncomingBody } from '../actions/capture-request.ts';
import { refuse } from '../domain/errors.ts';
import type { Blobs, BlobWriter } from '../ports/store.ts';

/** Contract 3, Webhooks: over it 413, and the request is not recorded. */
const BODY_LIMIT = 10 * 1024 * 1024;
/** What a caller holds of memory: less than this waits to be kept, more goes to the store as it comes. */
const BLOCK_BYTES = 64 * 1024;
/** A caller that sends a byte at a time costs no buffer for each. */
const MAX_PARTS = 32;

/** The body, exactly as it comes; null where the request has none (RFC 9112 6.3). Throws `payload_too_large`. */
export async function readCaptured(blobs: Blobs, req: IncomingMessage): Promise<IncomingBody | null> {
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers;
  if (encoding === undefined && length === undefined) return null;
  if (Number(length ?? 0) > BODY_LIMIT) throw refuse('payload_too_large');
  let parts: Buffer[] = [];
  let waitingBytes = 0;
  let sizeBytes = 0;
  let writer: BlobWriter | null = null;
  try {
    // Left open when we stop early: the answer still goes out on this connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      waitingBytes += chunk.length;
      if (sizeBytes > BODY_LIMIT) throw refuse('payload_too_large');
      parts.push(chunk);
      if (waitingBytes >= BLOCK_BYTES) {
        writer ??= blobs.writer();
        for (const part of parts) await writer.write(part);
        parts = [];
        waitingBytes = 0;
      } else if (parts.length >= MAX_PARTS) {
        parts = [Buffer.concat(parts)];
      }
    }
    if (writer === null) return { bytes: Buffer.concat(parts), sizeBytes };
    for (const part of parts) await writer.write(part);
  } catch (error) {
    writer?.abort();
    throw error;
  }
  return { ref: await writer.finish(), sizeBytes };
}

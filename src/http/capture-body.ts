import type { IncomingMessage } from 'node:http';
import type { IncomingBody } from '../actions/capture-request.ts';
import { Incoming } from '../actions/incoming.ts';
import { refuse } from '../domain/errors.ts';
import type { Blobs, BlobWriter } from '../ports/store.ts';
import type { Place } from './arriving-bodies.ts';

/**
 * The largest body of a captured request, in bytes. A larger one gets a 413 and is not recorded
 * (docs/webhooks.md#capture).
 */
const BODY_LIMIT = 10 * 1024 * 1024;
/** The bytes of a body that need no room among the arriving ones. Most webhooks are smaller. */
const FREE_BYTES = 4 * 1024;
/** The room of a body of unknown length until it goes to the store. */
const FIRST_ROOM_BYTES = 128 * 1024;

/** Where a body goes, and the bounds that it meets on the way. */
export interface Capturing {
  readonly blobs: Blobs;
  /** The largest request that the quotas have room for, in bytes. */
  readonly most: number;
  readonly place: Place;
}

/**
 * Reads the body byte for byte; null if the request has none (RFC 9112 section 6.3). Throws `payload_too_large` and
 * `capture_quota_reached`. The caller leaves the place when the request is recorded.
 */
export async function readCaptured(req: IncomingMessage, capturing: Capturing): Promise<IncomingBody | null> {
  const { blobs, most, place } = capturing;
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers;
  if (encoding === undefined && length === undefined) return null;
  const check = (bytes: number): void => {
    if (bytes > BODY_LIMIT) throw refuse('payload_too_large');
    if (bytes > most) throw refuse('capture_quota_reached', { limit_bytes: most });
  };
  const declared = encoding === undefined ? Number(length) : null;
  check(declared ?? 0);
  let room = FREE_BYTES;
  if (declared !== null && declared > room) {
    await place.grow(declared);
    room = declared;
  }
  const incoming = new Incoming();
  let sizeBytes = 0;
  let writer: BlobWriter | null = null;
  try {
    // The stream stays open after an early end, because the answer goes out on this connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      check(sizeBytes);
      if (sizeBytes > room) {
        const wanted =
          room < FIRST_ROOM_BYTES && sizeBytes <= FIRST_ROOM_BYTES ? FIRST_ROOM_BYTES : Math.min(BODY_LIMIT, most);
        await place.grow(room === FREE_BYTES ? wanted : wanted - room);
        room = wanted;
      }
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

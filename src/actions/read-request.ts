import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import type { Headers } from '../domain/forwarding.ts';
import type { BlobRef } from '../domain/message.ts';
import { momentNow } from '../ports/clock.ts';
import { readWhile, streamWhile } from './stored-bytes.ts';

/** Reads the header fields in order, with their original case and with repeated fields. */
export async function readHeaders(ctx: Context, request: CapturedRequest): Promise<Headers> {
  const bytes = await readBlob(ctx, request, request.headers);
  // The cast is safe: only captureRequest writes these bytes.
  return JSON.parse(bytes.toString('utf8')) as Headers;
}

/** The largest body, in bytes, that is read whole. A larger one is streamed. */
const WHOLE_BYTES = 64 * 1024;

export interface StreamedBody {
  readonly sizeBytes: number;
  open(): AsyncIterable<Buffer>;
}

/** Reads the exact bytes of the body. A large body comes as a stream; null means that the request had none. */
export async function readBody(ctx: Context, request: CapturedRequest): Promise<Buffer | StreamedBody | null> {
  const { body, sizeBytes } = request;
  if (body === null) return null;
  if (sizeBytes <= WHOLE_BYTES) return readBlob(ctx, request, body);
  return { sizeBytes, open: () => streamBody(ctx, request) };
}

/** Reads the whole body. Returns null if the request had none. */
export async function readWholeBody(ctx: Context, request: CapturedRequest): Promise<Buffer | null> {
  return request.body === null ? null : readBlob(ctx, request, request.body);
}

/** Reads the kept part of the target's answer as text. Returns null if nothing was kept. */
export async function readForwardResponse(ctx: Context, request: CapturedRequest): Promise<string | null> {
  const { forwardResponse } = request;
  return forwardResponse === null ? null : (await readBlob(ctx, request, forwardResponse)).toString('utf8');
}

/** Streams the exact bytes of the body. The stream is empty if the request had no body. */
export async function* streamBody(ctx: Context, request: CapturedRequest): AsyncGenerator<Buffer, void> {
  if (request.body === null) return;
  yield* streamWhile(() => isThere(ctx, request), ctx.store.blobs.stream(request.body));
}

function readBlob(ctx: Context, request: CapturedRequest, ref: BlobRef): Promise<Buffer> {
  return readWhile(
    () => isThere(ctx, request),
    () => ctx.store.blobs.read(ref),
  );
}

async function isThere(ctx: Context, { id }: CapturedRequest): Promise<boolean> {
  return (await ctx.store.read.requests.get(id, momentNow(ctx.clock))) !== null;
}

import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { beginningOf } from '../webhooks/answer.ts';

// A target may compress its answer, since a request is forwarded with its own Accept-Encoding. What is kept of the
// answer is meant to be read.

/** The most codings of one answer that are undone. */
const MOST_CODINGS = 3;
/** The most bytes of an answer between two of its codings. */
const MOST_BETWEEN = 512 * 1024;
/** The largest window of zstd that a decoder has to have (RFC 9659), as a power of two: 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

type Decoder = (bytes: Uint8Array) => Transform;

/** An answer of which only the beginning is there decodes as far as it goes. */
const PARTIAL = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const gunzip: Decoder = () => zlib.createGunzip(PARTIAL);

const DECODERS: Readonly<Record<string, Decoder | undefined>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some servers send deflate without the frame of zlib, which RFC 9110 section 8.4.1.2 asks for.
  deflate: ([first = 0]) => ((first & 0x0f) === 8 ? zlib.createInflate(PARTIAL) : zlib.createInflateRaw(PARTIAL)),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: zstdDecoder(),
};

/** Returns the decoder of zstd. Node.js has it from 22.15 on, and the types of Node.js 20 do not name it. */
function zstdDecoder(): Decoder | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const window: unknown = Reflect.get(zlib.constants, 'ZSTD_d_windowLogMax');
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush');
  if (typeof create !== 'function' || typeof window !== 'number') return undefined;
  return () => create({ params: { [window]: ZSTD_WINDOW_LOG }, finishFlush: flush }) as Transform; // as Node.js documents it
}

/**
 * Undoes the codings of an answer that `Content-Encoding` names, and returns at most `mostBytes` of the result. Returns
 * the bytes as they came if a coding is not known, or if nothing of them can be decoded.
 */
export async function decodedAnswer(
  bytes: Uint8Array,
  contentEncoding: string | undefined,
  mostBytes: number,
): Promise<Uint8Array> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0 || codings.length > MOST_CODINGS || bytes.length === 0) return bytes;
  let decoded = bytes;
  for (const [at, coding] of [...codings.entries()].reverse()) {
    const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (create === undefined) return bytes;
    const next = await decode(create(decoded), decoded, at === 0 ? mostBytes : MOST_BETWEEN);
    if (next === null) return bytes;
    decoded = next;
  }
  return decoded;
}

/** Returns null if the bytes are broken from the beginning. Leaving the loop at the bound ends the decoder. */
async function decode(decoder: Transform, bytes: Uint8Array, mostBytes: number): Promise<Uint8Array | null> {
  let isBroken = false;
  decoder.once('error', () => {
    isBroken = true;
  });
  decoder.end(bytes);
  const decoded = await beginningOf(decoder, mostBytes);
  return isBroken && decoded.length === 0 ? null : decoded;
}

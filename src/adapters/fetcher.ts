import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { ATTEMPT_MS, type ForwardOutcome, type Headers, KEPT_BYTES } from '../domain/captured-request.ts';
import { lazily } from '../lazily.ts';
import type { Fetcher, OutgoingRequest } from '../ports/outbound.ts';
import { beginningOf, joinedHeaders } from '../webhooks/exchange.ts';
import { boundedAnswers } from './bounded-answers.ts';

/** The number of connections to one target. Further requests wait. */
const CONNECTIONS = 256;
/**
 * The idle time in milliseconds after which a connection is closed. A longer one risks that the target closes it just
 * as a request is sent.
 */
const KEPT_MS = 1_000;
/** The largest answer in bytes: the part that is kept in chunks of one byte, which take six, with head and trailers. */
const ANSWER_BYTES = 8 * KEPT_BYTES;

interface FetcherOptions {
  /** Tells whether to refuse addresses that are not public. */
  readonly guarded: boolean;
  /** The DNS lookup. The default is the system's. */
  readonly lookup?: LookupFunction;
  readonly attemptMs?: number;
}

type Undici = typeof import('undici');

/**
 * Creates a fetcher that uses undici. It is loaded with the first request, because most servers forward nothing. With
 * `guarded` the fetcher refuses to connect to addresses that are not public, also if a name resolves to one
 * (docs/webhooks.md#forwarding).
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  let opened: Promise<ForwardAgent> | null = null;
  const open = lazily(async (): Promise<ForwardAgent> => {
    // Whichever undici is loaded first makes the connections of the global `fetch`. An app in this process must keep
    // those of its Node, which accept other headers, so Node's own is loaded before ours.
    void globalThis.Headers;
    const [undici, isPublic] = await Promise.all([import('undici'), loadAddressCheck()]);
    return new ForwardAgent(undici, isPublic, options);
  });
  return {
    send: async (request) => {
      opened = open();
      return (await opened).send(request);
    },
    close: async () => {
      // A fetcher that could not be loaded has nothing to close.
      const agent = await opened?.catch(() => null);
      await agent?.close();
    },
  };
}

/** Sends requests and reads the first bytes of the answers. */
class ForwardAgent {
  readonly #undici: Undici;
  readonly #agent: Agent;
  readonly #attemptMs: number;

  constructor(undici: Undici, isPublic: AddressCheck, { guarded, lookup, attemptMs = ATTEMPT_MS }: FetcherOptions) {
    this.#undici = undici;
    this.#attemptMs = attemptMs;
    this.#agent = new undici.Agent({
      connections: CONNECTIONS,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      // The deadline in `send` covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: boundedAnswers(
        guarded ? guardedConnector(undici, isPublic, lookup) : undici.buildConnector({ timeout: ATTEMPT_MS }),
        () => ANSWER_BYTES,
      ),
    });
  }

  async send(request: OutgoingRequest): Promise<ForwardOutcome> {
    const timeout = new AttemptTimeout(this.#attemptMs, request.signal);
    const body = new OutgoingBody(request.body);
    try {
      const answer = await this.#agent.request({
        ...request.target,
        // Any token is a valid method (RFC 9110 9.1), but undici's type lists only some.
        method: request.method as Dispatcher.HttpMethod,
        headers: [
          ...request.headers.filter(([name]) => name.toLowerCase() !== 'content-length'),
          ...body.framing,
        ].flat(),
        body: body.content,
        signal: timeout.signal,
      });
      const { statusCode: status } = answer;
      const headers = joinedHeaders(answer.headers);
      const sent = await beginningOf(answer.body, KEPT_BYTES);
      const beginning = await decodedAnswer(sent, headers['content-encoding'], KEPT_BYTES);
      return { kind: 'answered', status, beginning, headers };
    } catch (error) {
      if (body.failure !== null) throw body.failure.error;
      return outcomeOf(error, timeout, this.#undici);
    } finally {
      timeout.end();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function outcomeOf(error: unknown, timeout: AttemptTimeout, { errors }: Undici): ForwardOutcome {
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (cause instanceof NotPublic) return { kind: 'refused', error: cause.message };
  if (cause instanceof errors.InvalidArgumentError || cause instanceof errors.NotSupportedError) {
    return { kind: 'refused', error: `the request can't be sent on: ${cause.message}` };
  }
  if (timeout.passed) return { kind: 'unreachable', error: `no answer within ${timeout.seconds} seconds` };
  return { kind: 'unreachable', error: cause instanceof Error ? cause.message : 'the connection failed' };
}

/**
 * Creates a connector that refuses addresses that are not public. It checks literal addresses, resolved names, and the
 * connected peer.
 */
function guardedConnector(
  { buildConnector }: Undici,
  isPublic: AddressCheck,
  lookup?: LookupFunction,
): buildConnector.connector {
  const connect = buildConnector({ timeout: ATTEMPT_MS, lookup: guardedLookup(isPublic, lookup) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublic(host)) return callback(new NotPublic(), null);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (isPublic(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new NotPublic(), null);
    });
  };
}

/**
 * Limits the time of one attempt. `AbortSignal.any` would need one line, but in Node 20 it leaks memory if a source
 * signal lives longer than the result.
 */
class AttemptTimeout {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  passed = false;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.passed = true;
      this.#abort();
    }, ms);
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
  }

  get seconds(): number {
    return this.#ms / 1_000;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}

/**
 * The body for undici. It records a read error, so that an unreadable body can be distinguished from an unreachable
 * target.
 */
class OutgoingBody {
  readonly content: Uint8Array | Readable | null;
  /** The Content-Length of a stream. undici counts a buffer itself and would send a stream chunked. */
  readonly framing: Headers;
  failure: { readonly error: unknown } | null = null;

  constructor(body: OutgoingRequest['body']) {
    const isStream = body !== null && 'open' in body;
    this.content = isStream ? Readable.from(this.#watched(body.open()), { objectMode: false }) : body;
    this.framing = isStream ? [['Content-Length', String(body.sizeBytes)]] : [];
  }

  async *#watched(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* source;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

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

/** The error for a target whose address only this machine or its network can reach. */
class NotPublic extends Error {
  override readonly name = 'NotPublic';

  constructor() {
    // The message names no address, because the user must not learn how names resolve in this network.
    super('the target is a loopback, private or otherwise special address, which this server does not forward to');
  }
}

/**
 * Tells whether hosts on the internet can reach the address. An IPv6 form that carries an IPv4 address (mapped, RFC
 * 4291; translated, RFC 6052) is judged by that address. Other tunnels and everything outside global unicast are not
 * public.
 */
type AddressCheck = (address: string) => boolean;

export async function loadAddressCheck(): Promise<AddressCheck> {
  const { default: ipaddr } = await import('ipaddr.js');
  const translation = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
  return function isPublic(address) {
    const bare = address.split('%')[0] ?? address;
    if (isIP(bare) === 0) return false;
    const parsed = ipaddr.process(bare);
    if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
    const bytes = parsed.toByteArray();
    if (parsed.match(translation)) return isPublic(bytes.slice(12).join('.'));
    // Only 2000::/3 is allocated (RFC 4291 2.4).
    return parsed.range() === 'unicast' && (bytes[0] ?? 0) >> 5 === 1;
  };
}

/**
 * Wraps a DNS lookup so that it returns only public addresses. The connection uses exactly the addresses that were
 * checked.
 */
function guardedLookup(isPublic: AddressCheck, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const all = Array.isArray(found) ? found : [];
      const addresses = all.filter(({ address }) => isPublic(address));
      const [first] = addresses;
      if (first === undefined) return callback(new NotPublic(), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
